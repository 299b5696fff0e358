// What a search found, for programs and people.
#pragma once

#include <string>
#include <vector>

#include "fit/search.hpp"

namespace tessera::fit {

struct Result {
  const Evaluator* evaluator = nullptr;
  Objective objective;
  std::vector<Candidate> candidates;  ///< the front, what was placed, and the best few, best first
  std::vector<bool> front;
  std::vector<double> mhz, milliseconds;  ///< by candidate, all networks together
  std::size_t best = 0;
  std::size_t examined = 0;  ///< candidates that were looked at
  std::size_t good = 0;      ///< that run the networks and fit
  double clock_factor = 1;
  std::vector<Limit> limits;
};

/// Throws InputError when nothing runs the networks and fits; says what the smallest lacks.
Result result_of(const Evaluator& evaluator, const SearchRequest& request, const Search& search);

/// Schema tessera.fit/1.
std::string to_json(const Result& result);
std::string to_text(const Result& result);

/// The configuration at `path` with the best hardware and the first network, as cosim takes it.
std::string best_config(const Result& result, const std::string& path,
                        const std::vector<std::string>& overrides, const std::string& network);

}  // namespace tessera::fit

// The three engines side by side.
#pragma once

#include <string>
#include <vector>

#include "console/progress.hpp"
#include "tessera/config.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// In percent of the RTL's cycles.
struct Tolerance {
  double layer = 0;
  double total = 0;
};

struct Tolerances {
  Tolerance tlm{2, 1};
  Tolerance model{5, 2};
  std::uint64_t least_cycles = 2000;  ///< layers below are shown, not judged
};

struct Validation {
  Program program;
  RunResult rtl, tlm, model;
  /// What is beyond the tolerances, layer by layer; bytes of traffic and outputs must be the same.
  std::vector<std::string> findings;
};

/// What is beyond the tolerances in the three results.
std::vector<std::string> findings_of(const Validation& validation, const Tolerances& tolerances);

/// Throws as simulate() does.
Validation validate(const Config& config, const Tolerances& tolerances, Progress& progress);

/// Cycles and bytes per layer and in total, with the errors against the RTL.
std::string validation_table(const Config& config, const Validation& validation);
/// One line of a Markdown table: network, hardware, cbuf KiB, memory, RTL cycles, then per engine
/// the worst layer's error and the total's, and whether all bytes are the same.
std::string validation_row(const Config& config, const Validation& validation,
                           std::uint64_t least_cycles);
/// One JSON object, schema "tessera.validation/1".
std::string validation_json(const Config& config, const Validation& validation);

}  // namespace tessera

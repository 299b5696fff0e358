// Policy `best`: programs are tried on the cost model.
#pragma once

#include <memory>

#include "scheduler/autotune/start.hpp"

namespace tessera {

struct Best {
  std::unique_ptr<Start> start;
  Tuning tuning;
};

/// The program with the least of the policy's objective among those tried, that of `first-fit`
/// included, on that hardware and the policy's memory. Throws InputError.
Best find_best(const Network& network, const Hardware& hardware, const Policy& policy,
               const SearchListener& listener);

}  // namespace tessera

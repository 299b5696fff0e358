// Policy `best`: programs are tried on the cost model.
#pragma once

#include "scheduler/program/prepared.hpp"

namespace tessera {

/// The one with the least of the policy's objective among those tried, that of `first-fit`
/// included. Throws InputError.
Tuning best_tuning(const Prepared& prepared, const SearchListener& listener);

}  // namespace tessera

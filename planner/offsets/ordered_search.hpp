// Exact search for offsets of buffers that may overlap in part.
#pragma once

#include <cstdint>

#include "planner/offsets/skyline_search.hpp"
#include "tessera/allocation.hpp"

namespace tessera {

/// Offsets with all buffers below `height`, or the proof that there are none, or the budget's end.
SearchResult search_ordered(const AllocationProblem& problem, std::uint64_t height,
                            std::uint64_t steps);

}  // namespace tessera

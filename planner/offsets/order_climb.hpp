// Placement in one order of buffers after the other.
#pragma once

#include "tessera/allocation.hpp"

namespace tessera {

/// The lowest of all greedy plans and of what small changes of their orders lead to. Ends after so
/// many placements of a buffer, or below `enough` bytes.
Allocation climb_orders(const AllocationProblem& problem, std::uint64_t enough,
                        std::uint64_t steps);

}  // namespace tessera

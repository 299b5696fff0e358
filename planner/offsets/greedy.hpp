// Buffers placed one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/offsets/clearance.hpp"
#include "tessera/allocation.hpp"

namespace tessera {

/// Which of several gaps a buffer takes.
enum class Fit : std::uint8_t {
  Lowest,
  Tightest  ///< the smallest that is large enough
};

std::vector<std::uint64_t> place_in_order(const AllocationProblem& problem,
                                          const Clearances& clearances,
                                          const std::vector<std::size_t>& order, Fit fit);

std::uint64_t height_of(const AllocationProblem& problem,
                        const std::vector<std::uint64_t>& offsets);

std::vector<std::size_t> order_by_size(const AllocationProblem& problem);
std::vector<std::size_t> order_by_breadth(const AllocationProblem& problem);

}  // namespace tessera

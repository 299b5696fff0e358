// Memory of several models: one after the other, or some at the same time.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/memory_plan.hpp"

namespace tessera {

/// What a buffer belongs to.
struct BufferOwner {
  std::uint32_t model = 0;
  std::uint32_t group = 0;
  bool kept = false;  ///< an output that outlives its model
};

/// Offsets by a planner. Models of the same group share no bytes with each other: each gets a
/// block of its own for as long as the group runs, with its buffers planned inside.
Allocation allocate_models(const AllocationProblem& problem, const std::vector<BufferOwner>& owners,
                           PlannerName planner, const SearchBudget& budget);

}  // namespace tessera

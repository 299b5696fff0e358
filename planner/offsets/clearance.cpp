#include "planner/offsets/clearance.hpp"

#include <algorithm>

namespace tessera {

Clearances::Clearances(const AllocationProblem& problem)
    : problem_(problem), neighbours_(problem.buffers.size()), overlaps_(problem.buffers.size()) {
  const auto& buffers = problem.buffers;
  for (std::size_t a = 0; a < buffers.size(); ++a) {
    for (std::size_t b = a + 1; b < buffers.size(); ++b) {
      if (buffers[a].lower < buffers[b].upper && buffers[b].lower < buffers[a].upper) {
        neighbours_[a].push_back(b);
        neighbours_[b].push_back(a);
      }
    }
  }
  for (std::size_t o = 0; o < problem.overlaps.size(); ++o) {
    overlaps_[problem.overlaps[o].below].push_back(o);
  }
}

std::uint64_t Clearances::distance(std::size_t below, std::size_t above) const {
  std::uint64_t result = problem_.buffers[below].size;
  for (const std::size_t o : overlaps_[below]) {
    if (problem_.overlaps[o].above == above) {
      result = std::min(result, problem_.overlaps[o].distance);
    }
  }
  return result;
}

Forbidden Clearances::forbidden(std::size_t buffer, std::size_t placed,
                                std::uint64_t offset) const {
  const auto at = static_cast<std::int64_t>(offset);
  return {at - static_cast<std::int64_t>(distance(buffer, placed)),
          at + static_cast<std::int64_t>(distance(placed, buffer))};
}

}  // namespace tessera

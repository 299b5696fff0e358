// Planners by name.
#include "planner/offsets/greedy.hpp"
#include "tessera/memory_plan.hpp"

namespace tessera {

const std::vector<std::string>& planner_names() {
  static const std::vector<std::string> names = {"best", "greedy-size", "greedy-breadth", "removal",
                                                 "exact"};
  return names;
}

const std::vector<std::string>& order_names() {
  static const std::vector<std::string> names = {"best", "given", "greedy", "exact"};
  return names;
}

Allocation allocate_best(const AllocationProblem& problem, std::uint64_t capacity,
                         const SearchBudget& budget) {
  // Its incumbent is the lowest of all greedy plans.
  return allocate_exact(problem, capacity, budget);
}

Allocation allocate(const AllocationProblem& problem, PlannerName planner,
                    const SearchBudget& budget) {
  switch (planner) {
    case PlannerName::GreedySize:
      return allocate_greedy_size(problem);
    case PlannerName::GreedyBreadth:
      return allocate_greedy_breadth(problem);
    case PlannerName::Removal: {
      Allocation result;
      result.offsets =
          place_in_order(problem, Clearances(problem), order_by_size(problem), Fit::Lowest);
      result.height = height_of(problem, result.offsets);
      result.lower_bound = live_bound(problem);
      return result;
    }
    case PlannerName::Exact:
      return allocate_exact(problem, 0, budget);
    case PlannerName::Best:
      break;
  }
  return allocate_best(problem, 0, budget);
}

}  // namespace tessera

// Execution order and addresses of a network's activations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/allocation.hpp"
#include "tessera/model_rules.hpp"

namespace tessera {

/// Removal is greedy by size over what is left once removable and merging operators are gone.
enum class PlannerName : std::uint8_t { Best, GreedySize, GreedyBreadth, Removal, Exact };
enum class OrderName : std::uint8_t { Best, Given, Greedy, Exact };

/// In the order of the enums, as configs name them.
const std::vector<std::string>& planner_names();
const std::vector<std::string>& order_names();

struct PlanOptions {
  PlannerName planner = PlannerName::Best;
  OrderName order = OrderName::Best;
  bool in_place = true;  ///< outputs may overwrite inputs that are read by then (best, exact)
  std::uint64_t budget = 50'000;  ///< steps of search for offsets, and states of that for orders
};

/// Peaks of live bytes by order, 0 when not computed.
struct OrderPeaks {
  std::uint64_t given = 0;
  std::uint64_t greedy = 0;
  std::uint64_t exact = 0;
  std::uint64_t bound = 0;  ///< proved: no order has a lower one
};

struct MemoryPlan {
  AllocationProblem problem;  ///< buffers named after tensors; time counts units of work
  Allocation allocation;
  std::string planner;
  std::string order;
  OrderPeaks peaks;
  std::uint64_t order_bytes = 0;  ///< most bytes alive at once in the order taken
  bool in_place = false;  ///< outputs may lie on inputs: what `allocation` proves holds with that
  std::uint64_t in_place_saved_bytes = 0;   ///< against the same order without overlaps
  std::vector<std::uint32_t> layers;        ///< of the units of work, in the order taken
  std::vector<std::size_t> output_buffers;  ///< that hold the network's outputs
  std::vector<ModelMemory> models;          ///< when there are several
};

/// The lowest of all planners as far as the budget goes. With a capacity, any height up to it will
/// do.
Allocation allocate_best(const AllocationProblem& problem, std::uint64_t capacity,
                         const SearchBudget& budget);

/// Offsets by the planner of that name.
Allocation allocate(const AllocationProblem& problem, PlannerName planner,
                    const SearchBudget& budget);

}  // namespace tessera

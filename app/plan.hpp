// Memory plans for people and programs, without simulating.
#pragma once

#include <string>
#include <vector>

#include "tessera/memory_plan.hpp"
#include "tessera/operator_graph.hpp"
#include "tessera/program.hpp"

namespace tessera {

struct PlanReport {
  std::string name;
  AllocationProblem problem;
  Allocation allocation;
  std::string planner;
  std::string order;  ///< empty: the problem fixes the times
  OrderPeaks peaks;
  std::uint64_t order_bytes = 0;
  bool without_in_place = false;  ///< outputs could lie on inputs, but this planner lets none
  std::uint64_t in_place_saved_bytes = 0;
  std::uint64_t copies_saved_bytes = 0;     ///< traffic of operators that vanished
  std::vector<std::string> removed;         ///< those operators
  std::vector<std::string> steps;           ///< names of the units of time; empty: numbers
  std::vector<ModelMemory> models;          ///< when there are several
  std::uint64_t constants_saved_bytes = 0;  ///< equal ones are kept once
  std::uint64_t commands_saved_bytes = 0;
  std::uint64_t capacity = 0;  ///< 0: none was asked for

  [[nodiscard]] bool fits() const { return capacity == 0 || allocation.height <= capacity; }
};

/// Of a problem as it stands. With a capacity, any height up to it will do.
PlanReport plan_problem(const std::string& name, AllocationProblem problem, PlannerName planner,
                        std::uint64_t capacity, std::uint64_t budget);

/// A plan made elsewhere. Throws InputError naming the first violation.
PlanReport check_plan(const std::string& name, AllocationProblem problem,
                      std::vector<std::uint64_t> offsets, std::uint64_t capacity);

/// Order and offsets of an operator graph.
PlanReport plan_graph(const OperatorGraph& graph, const PlanOptions& options,
                      std::uint64_t alignment, std::uint64_t capacity);

/// The plan that a program was compiled with.
PlanReport plan_of(const Program& program);

/// The moment at which most bytes are taken, the first of several, and by which buffers, the
/// largest first.
struct PlanPeak {
  std::int64_t moment = 0;
  std::uint64_t bytes = 0;  ///< shared ones once
  std::vector<std::size_t> buffers;
};
PlanPeak peak_of(const PlanReport& report);

std::string plan_text(const PlanReport& report);
/// Schema "tessera.plan/1".
std::string plan_json(const PlanReport& report);

}  // namespace tessera

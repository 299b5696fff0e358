// All work of a network in one order, and where its activations lie.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/program/decided_network.hpp"

namespace tessera {

/// Work of one unit that nothing of another unit comes between; none of what is not for the
/// accelerator.
struct Segment {
  std::uint32_t unit = 0;
  bool loads_only = false;
  std::vector<Operation> operations;  ///< on virtual addresses
};

struct WorkPlan {
  std::vector<std::uint32_t> order;
  std::string order_name;
  std::vector<Segment> segments;
  AllocationProblem problem;
  Allocation allocation;  ///< of the activations, in the arena
};

/// Whether outputs may lie on inputs that are read by then.
bool plans_in_place(const PlanOptions& plan);

/// Along the order whose activations need the least memory.
WorkPlan plan_work(const Prepared& prepared, const Tuning& tuning, const DecidedNetwork& decided);

}  // namespace tessera

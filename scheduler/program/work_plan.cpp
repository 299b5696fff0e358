#include "scheduler/program/work_plan.hpp"

#include <optional>
#include <stdexcept>

#include "scheduler/interlayer/fused_operations.hpp"
#include "scheduler/interlayer/in_place.hpp"
#include "scheduler/program/alignment.hpp"
#include "scheduler/tile_loops/pass_planner.hpp"

namespace tessera {
namespace {

/// What all orders have in common.
struct Work {
  const Prepared& prepared;
  const Tuning& tuning;
  const DecidedNetwork& decided;

  [[nodiscard]] const FusedOperator& unit(std::uint32_t u) const { return prepared.plan.units[u]; }
};

std::vector<Operation> operations_of(const Work& work, std::uint32_t u, StreamState& state) {
  std::vector<Operation> operations;
  for (const ScheduledPass& pass : work.decided.passes[u]) {
    plan_pass(pass, work.prepared.hardware, state, operations);
  }
  return operations;
}

// Kept tensors are in use as well.
void note_kept(const Work& work, std::uint32_t u, StreamState& state) {
  const ScheduledPass& pass = work.decided.passes[u][0];
  const ConvShape& shape = pass.shape.conv;
  const Hardware& hardware = work.prepared.hardware;
  if (pass.residency.ifmap) {
    const std::uint32_t at = pass.residency.ifmap->at;
    state.allocator.note({at, at + u32(shape.in_h) * u32(shape.in_w) * atoms_of(shape, hardware)});
  }
  if (pass.residency.ofmap) {
    const std::uint32_t at = pass.residency.ofmap->at;
    state.allocator.note(
        {at, at + u32(shape.out_h) * u32(shape.out_w) * output_atoms(shape, hardware)});
  }
}

// From place `first` of the order on.
void plan_group(const Work& work, const std::vector<std::uint32_t>& order, std::size_t first,
                const FusedLayout& layout, StreamState& state, std::vector<Segment>& segments) {
  std::vector<FusedLayer> layers;
  for (std::size_t i = 0; i < layout.rows.size(); ++i) {
    const std::uint32_t u = order[first + i];
    const std::size_t buffer = work.prepared.activations.buffer_of(work.unit(u).written());
    layers.push_back({&work.decided.passes[u][0], work.decided.residency.external[buffer]});
  }
  for (FusedSegment& segment : plan_fused(layers, layout, work.prepared.hardware, state)) {
    segments.push_back(
        {order[first + segment.layer], segment.loads_only, std::move(segment.operations)});
  }
}

// What one layer of a group reads is read until the last one is done, what one writes is written
// from the first one on.
void needed_throughout(const FusedGroup& group, AllocationProblem& problem) {
  const auto first = static_cast<std::int64_t>(group.first);
  const auto last = static_cast<std::int64_t>(group.last);
  for (Buffer& buffer : problem.buffers) {
    if (buffer.lower > first && buffer.lower <= last) {
      buffer.lower = first;
    }
    if (buffer.upper > first && buffer.upper <= last) {
      buffer.upper = last + 1;
    }
  }
}

AllocationProblem memory_problem(const Work& work, const std::vector<std::uint32_t>& order) {
  AllocationProblem problem = work.prepared.activations.allocation_problem(order, kAlignment);
  const Residency& residency = work.decided.residency;
  for (const FusedGroup& group : residency.groups) {
    needed_throughout(group, problem);
  }
  for (std::size_t b = 0; b < problem.buffers.size(); ++b) {
    problem.buffers[b].size = residency.external[b] ? problem.buffers[b].size : 0;
  }
  return problem;
}

// A state that slides in its memory must not be written where it is still to be read.
void check_in_place(const Work& work, const FusedOperator& unit,
                    const std::vector<Operation>& operations) {
  for (const State& state : work.prepared.network.states) {
    const std::size_t buffer = work.prepared.activations.buffer_of(state.input);
    const std::uint64_t base = (buffer + 1) * kVirtualBuffer;
    if (unit.output == state.output && overwrites_unread(operations, base)) {
      throw std::logic_error("state `" + state.name + "` is written before it is read");
    }
  }
}

StreamState fresh_state(const Work& work) {
  StreamState state(work.prepared.hardware);
  state.rows_last = work.tuning.rows_last;
  return state;
}

// The host's work and another model's end a stream.
bool starts_stream(const Work& work, const std::vector<std::uint32_t>& order, std::size_t i) {
  const Activations& activations = work.prepared.activations;
  return work.unit(order[i]).kind == OperatorPlace::Host ||
         (i > 0 && activations.model_of(order[i]) != activations.model_of(order[i - 1]));
}

WorkPlan plan_in(const Work& work, const std::vector<std::uint32_t>& order) {
  WorkPlan plan;
  plan.order = order;
  plan.problem = memory_problem(work, order);
  const Policy& policy = work.prepared.policy;
  const Residency& residency = work.decided.residency;
  const bool overlaps = plans_in_place(policy.plan);
  StreamState state = fresh_state(work);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const FusedOperator& unit = work.unit(order[i]);
    if (starts_stream(work, order, i)) {
      state = fresh_state(work);
    }
    state.allocator.set_window(residency.units[order[i]].window);
    if (const auto group = residency.units[order[i]].group) {
      plan_group(work, order, i, residency.layouts[*group], state, plan.segments);
      i = residency.groups[*group].last;
      continue;
    }
    plan.segments.push_back({order[i], false, {}});
    if (unit.kind == OperatorPlace::Accelerator) {
      plan.segments.back().operations = operations_of(work, order[i], state);
      note_kept(work, order[i], state);
    }
    check_in_place(work, unit, plan.segments.back().operations);
    if (overlaps && unit.kind != OperatorPlace::NoCopy) {
      work.prepared.activations.add_overlaps(unit, i, plan.segments.back().operations,
                                             plan.problem);
    }
  }
  plan.allocation = allocate_models(plan.problem, work.prepared.activations.owners(),
                                    policy.plan.planner, {policy.plan.budget});
  return plan;
}

}  // namespace

bool plans_in_place(const PlanOptions& plan) {
  return plan.in_place && (plan.planner == PlannerName::Best || plan.planner == PlannerName::Exact);
}

WorkPlan plan_work(const Prepared& prepared, const Tuning& tuning, const DecidedNetwork& decided) {
  const Work work{prepared, tuning, decided};
  std::optional<WorkPlan> best;
  for (std::size_t i = 0; i < decided.orders.orders.size(); ++i) {
    WorkPlan plan = plan_in(work, decided.orders.orders[i]);
    if (!best || plan.allocation.height < best->allocation.height) {
      best = std::move(plan);
      best->order_name = decided.orders.names[i];
    }
  }
  if (const std::string problem = violation(best->problem, best->allocation.offsets);
      !problem.empty()) {
    throw std::logic_error("memory plan: " + problem);
  }
  return std::move(*best);
}

}  // namespace tessera

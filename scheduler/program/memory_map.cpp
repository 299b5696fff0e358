#include "scheduler/program/memory_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/program/alignment.hpp"
#include "tessera/error.hpp"

namespace tessera {

MemoryMap map_memory(const Prepared& prepared, const Residency& residency, const WorkPlan& work,
                     std::uint64_t constants_bytes) {
  const Network& network = prepared.network;
  const std::uint64_t bytes = align(work.allocation.height);
  const std::uint64_t base = align(constants_bytes);
  // Behind them come the commands.
  constexpr std::uint64_t kMost = kAddressSpace - (std::uint64_t{1} << 28);
  if (base + bytes > kMost) {
    throw InputError(
        fmt::format("{}: constants and activations need {} bytes; addresses of 32 bits reach {} "
                    "beside commands",
                    network.name, base + bytes, kMost));
  }
  MemoryMap map;
  map.arena = {base, bytes};
  for (const std::uint64_t offset : work.allocation.offsets) {
    map.buffers.push_back(base + offset);
  }
  map.tensors.resize(network.tensors.size());
  for (std::size_t t = 0; t < map.tensors.size(); ++t) {
    const auto tensor = static_cast<std::int32_t>(t);
    const std::size_t buffer = prepared.activations.buffer_of(tensor);
    if (buffer != Activations::kNone && residency.external[buffer]) {
      map.tensors[t] = Slot{map.buffers[buffer] + prepared.plan.aliases.of(tensor).offset,
                            network.tensors[t].bytes()};
    }
  }
  return map;
}

Slot output_of(const FusedOperator& unit, const Network& network, const MemoryMap& map) {
  Slot result = *map.slot(unit.written());
  if (unit.place) {
    result.address += unit.place->offset;
    result.bytes = network.tensors[static_cast<std::size_t>(unit.output)].bytes();
    result.segment_bytes = unit.place->block;
    result.stride = unit.place->pitch;
  }
  return result;
}

MemoryPlan describe_memory(const Prepared& prepared, const WorkPlan& work) {
  const PlanOptions& options = prepared.policy.plan;
  const Activations& activations = prepared.activations;
  MemoryPlan memory;
  memory.problem = work.problem;
  memory.allocation = work.allocation;
  memory.in_place = plans_in_place(prepared.policy.plan);
  memory.planner = planner_names()[static_cast<std::size_t>(options.planner)];
  memory.order = work.order_name;
  memory.peaks = prepared.orders.peaks;
  const auto along = memory_along(activations.order_problem(), work.order);
  memory.order_bytes = along.empty() ? 0 : *std::max_element(along.begin(), along.end());
  if (!work.problem.overlaps.empty()) {
    AllocationProblem apart = work.problem;
    apart.overlaps.clear();
    const std::uint64_t height =
        allocate_models(apart, activations.owners(), options.planner, {options.budget}).height;
    memory.in_place_saved_bytes = height - std::min(height, work.allocation.height);
  }
  for (const std::int32_t output : prepared.network.outputs) {
    memory.output_buffers.push_back(activations.buffer_of(output));
  }
  memory.models = activations.model_memory(work.problem);
  for (const std::uint32_t unit : work.order) {
    memory.layers.push_back(static_cast<std::uint32_t>(prepared.plan.units[unit].op));
  }
  return memory;
}

}  // namespace tessera

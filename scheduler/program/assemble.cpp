// The way from a prepared network to its program, one step after the other.
#include "scheduler/program/assemble.hpp"

#include <utility>

#include "scheduler/program/bind_passes.hpp"
#include "scheduler/program/layer_records.hpp"
#include "scheduler/program/memory_map.hpp"
#include "scheduler/program/program_steps.hpp"
#include "scheduler/program/reset_work.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

std::vector<Segment> linked(std::vector<Segment> segments, const MemoryMap& map) {
  for (Segment& segment : segments) {
    link_addresses(segment.operations, map.buffers);
  }
  return segments;
}

std::vector<Slot> slots_of(const std::vector<std::int32_t>& tensors, const Network& network,
                           const MemoryMap& map) {
  std::vector<Slot> slots;
  for (const std::int32_t tensor : tensors) {
    if (!map.slot(tensor)) {
      throw InputError(network.name + ": an output is a constant");
    }
    slots.push_back(*map.slot(tensor));
  }
  return slots;
}

// Several states may wait for each other where one alone would not.
bool may_slide(const Network& network, const Hardware& hardware, const Policy& policy) {
  if (network.states.empty()) {
    return true;
  }
  const Partition plan = partition_network(network, hardware, policy);
  return !has_circle(Activations(network, plan).order_problem());
}

}  // namespace

Prepared prepare(const Network& network, const Hardware& hardware, const Policy& policy) {
  Partition plan =
      partition_network(network, hardware, policy, may_slide(network, hardware, policy));
  Activations activations(network, plan);
  OrderChoice orders = choose_orders(activations.order_problem(), policy.plan);
  return {network, hardware, policy, std::move(plan), std::move(activations), std::move(orders)};
}

Program compile_tuned(const Prepared& prepared, const Tuning& tuning, Contents contents) {
  DecidedNetwork decided = decide_network(prepared, tuning);
  set_sizes(prepared, tuning, decided);
  return assemble(prepared, tuning, std::move(decided), contents);
}

Program assemble(const Prepared& prepared, const Tuning& tuning, DecidedNetwork decided,
                 Contents contents) {
  Constants constants;
  bind_passes(prepared, contents, decided, constants);
  ResetWork reset = plan_reset(prepared, constants);
  WorkPlan work = plan_work(prepared, tuning, decided);
  const MemoryMap map = map_memory(prepared, decided.residency, work, constants.image.size());

  Program program;
  program.network = prepared.network.name;
  program.hardware = prepared.hardware;
  program.layers = describe_layers(prepared, decided);
  program.memory = describe_memory(prepared, work);
  program.inputs = slots_of(prepared.network.inputs, prepared.network, map);
  program.outputs = slots_of(prepared.network.outputs, prepared.network, map);
  for (std::size_t s = 0; s < reset.initial.size(); ++s) {
    const State& state = prepared.network.states[s];
    const Slot place = *map.slot(state.input);
    program.states.push_back({state.name, place, {reset.initial[s], place.bytes}});
  }
  program.constants_saved_bytes = constants.saved_bytes;
  program.regions = {{MemoryKind::Constants, {0, constants.image.size()}},
                     {MemoryKind::Arena, map.arena}};
  program.image = std::move(constants.image);
  program.coded = std::move(constants.coded);
  add_steps(linked(std::move(work.segments), map), linked_reset(std::move(reset), prepared, map),
            prepared, map, tuning.ahead, contents, program);
  return program;
}

}  // namespace tessera

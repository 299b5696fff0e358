#include "scheduler/program/reset_work.hpp"

#include <fmt/format.h>

#include "scheduler/program/alignment.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

constexpr std::int32_t kMostChannels = 64;

// Bytes as rows of channels, whatever they mean.
std::vector<std::int32_t> rows_of(std::size_t bytes) {
  std::int32_t channels = kMostChannels;
  while (bytes % static_cast<std::size_t>(channels) != 0) {
    --channels;
  }
  return {1, 1, static_cast<std::int32_t>(bytes / static_cast<std::size_t>(channels)), channels};
}

// A copy for each state, as an operator that is never a view.
Network copies_of(const Network& network) {
  Network copies;
  copies.name = network.name + ", reset";
  for (const State& state : network.states) {
    Tensor tensor;
    tensor.name = state.name;
    tensor.shape = rows_of(state.initial.size());
    tensor.quantisation = {{1.0F}, 0};
    const auto from = static_cast<std::int32_t>(copies.tensors.size());
    copies.tensors.push_back(tensor);
    copies.tensors.push_back(tensor);
    copies.inputs.push_back(from);
    copies.outputs.push_back(from + 1);
    Operator op;
    op.name = state.name;
    op.attributes = Concatenation{0};
    op.inputs = {from};
    op.output = from + 1;
    copies.operators.push_back(std::move(op));
  }
  return copies;
}

}  // namespace

ResetWork plan_reset(const Prepared& prepared, Constants& constants) {
  ResetWork reset;
  const Network& network = prepared.network;
  if (network.states.empty()) {
    return reset;
  }
  for (const State& state : network.states) {
    constants.image.resize(align(constants.image.size()));
    reset.initial.push_back(constants.image.size());
    constants.image.insert(constants.image.end(), state.initial.begin(), state.initial.end());
  }
  const Network copies = copies_of(network);
  Policy policy;
  policy.memory = prepared.policy.memory;
  const Prepared own = prepare(copies, prepared.hardware, policy);
  for (const FusedOperator& unit : own.plan.units) {
    if (unit.kind != OperatorPlace::Accelerator) {
      throw InputError(fmt::format("{}: state `{}` cannot be reset by the accelerator: {}",
                                   network.name, copies.operators[unit.op].name, unit.host_reason));
    }
  }
  DecidedNetwork decided = decide_network(own, {});
  bind_passes(own, Contents::All, decided, constants);
  WorkPlan work = plan_work(own, {}, decided);
  for (Segment& segment : work.segments) {
    for (Operation& operation : segment.operations) {
      reset.operations.push_back(std::move(operation));
    }
  }
  for (std::size_t b = 0; b < own.activations.buffers(); ++b) {
    const std::int32_t tensor = own.activations.tensor_of(b);
    reset.states.push_back(tensor / 2);
    reset.is_initial.push_back(tensor % 2 == 0);
  }
  return reset;
}

std::vector<Operation> linked_reset(ResetWork reset, const Prepared& prepared,
                                    const MemoryMap& map) {
  std::vector<std::uint64_t> base;
  for (std::size_t b = 0; b < reset.states.size(); ++b) {
    const auto s = static_cast<std::size_t>(reset.states[b]);
    base.push_back(reset.is_initial[b] ? reset.initial[s]
                                       : map.slot(prepared.network.states[s].input)->address);
  }
  link_addresses(reset.operations, base);
  return std::move(reset.operations);
}

}  // namespace tessera

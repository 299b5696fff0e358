#include "scheduler/program/layer_records.hpp"

#include "scheduler/operations/constants.hpp"

namespace tessera {
namespace {

LayerRecord describe_operator(const Network& network, const Operator& op) {
  LayerRecord record;
  record.name = op.name;
  record.op = std::string(op.type_name());
  record.macs = macs_of(network, op);
  record.output_shape = network.tensors[static_cast<std::size_t>(op.output)].shape;
  return record;
}

PassRecord describe_pass(const ScheduledPass& pass) {
  return {pass.strategy,
          pass.residency.ifmap.has_value(),
          pass.residency.ofmap.has_value(),
          pass.residency.is_stored,
          pass.shape.columns,
          pass.explanation};
}

}  // namespace

std::vector<LayerRecord> describe_layers(const Prepared& prepared, const DecidedNetwork& decided) {
  std::vector<LayerRecord> layers;
  layers.reserve(prepared.network.operators.size());
  for (const Operator& op : prepared.network.operators) {
    layers.push_back(describe_operator(prepared.network, op));
  }
  for (std::size_t u = 0; u < prepared.plan.units.size(); ++u) {
    const FusedOperator& unit = prepared.plan.units[u];
    const std::vector<ScheduledPass>& passes = decided.passes[u];
    LayerRecord& record = layers[unit.op];
    record.no_copy = unit.kind == OperatorPlace::NoCopy;
    record.host_reason = unit.host_reason;
    if (unit.kind == OperatorPlace::Host) {
      record.host = host_work(prepared.network, prepared.network.operators[unit.op]);
    }
    record.riders = unit.absorbed;
    for (const std::size_t rider : unit.absorbed) {
      layers[rider].rides_on = unit.op;
    }
    record.passes = u32(passes.size());
    for (const ScheduledPass& pass : passes) {
      const Binding& binding = pass.binding;
      const std::uint64_t bytes =
          binding.computed_weights ? 0 : packed_bytes(pass.shape.conv, prepared.hardware);
      record.weight_bytes += bytes;
      record.stored_weight_bytes += binding.coded ? binding.coded->bytes() : bytes;
    }
    if (!passes.empty()) {
      record.pass = describe_pass(passes[0]);
    }
  }
  return layers;
}

}  // namespace tessera

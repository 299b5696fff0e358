#include "scheduler/program/layer_records.hpp"

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

}  // namespace

std::vector<LayerRecord> describe_layers(const Prepared& prepared, const DecidedNetwork& decided) {
  std::vector<LayerRecord> layers;
  layers.reserve(prepared.network.operators.size());
  for (const Operator& op : prepared.network.operators) {
    layers.push_back(describe_operator(prepared.network, op));
  }
  for (std::size_t u = 0; u < prepared.plan.units.size(); ++u) {
    const WorkUnit& unit = prepared.plan.units[u];
    const std::vector<PlannedPiece>& pieces = decided.pieces[u];
    LayerRecord& record = layers[unit.op];
    record.no_copy = unit.kind == UnitKind::NoCopy;
    record.host_reason = unit.host_reason;
    if (unit.kind == UnitKind::Host) {
      record.host = host_work(prepared.network, prepared.network.operators[unit.op]);
    }
    record.riders = unit.absorbed;
    for (const std::size_t rider : unit.absorbed) {
      layers[rider].rides_on = unit.op;
    }
    record.passes = u32(pieces.size());
    if (!pieces.empty()) {
      record.decision = pieces[0].decision;
      record.decision->output_columns = pieces[0].columns;
    }
  }
  return layers;
}

}  // namespace tessera

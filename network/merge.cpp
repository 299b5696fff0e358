// Several networks as one.
#include <algorithm>

#include "tessera/error.hpp"
#include "tessera/merge.hpp"

namespace tessera {

Network merge_networks(const std::vector<ModelSource>& sources) {
  Network merged;
  for (const ModelSource& source : sources) {
    const auto offset = static_cast<std::int32_t>(merged.tensors.size());
    const auto moved = [offset](std::int32_t tensor) { return tensor < 0 ? -1 : tensor + offset; };
    Model model;
    model.name = source.name;
    model.group = source.group;
    model.keep_outputs = source.keep_outputs;
    model.first_op = merged.operators.size();
    model.first_input = merged.inputs.size();
    model.first_output = merged.outputs.size();
    if (std::any_of(merged.models.begin(), merged.models.end(),
                    [&](const Model& other) { return other.name == source.name; })) {
      throw InputError("two models are named `" + source.name + "`");
    }
    merged.name += (merged.name.empty() ? "" : " + ") + source.name;
    for (Tensor tensor : source.network.tensors) {
      tensor.name = source.name + "/" + tensor.name;
      merged.tensors.push_back(std::move(tensor));
    }
    for (Operator op : source.network.operators) {
      op.name = source.name + "/" + op.name;
      std::transform(op.inputs.begin(), op.inputs.end(), op.inputs.begin(), moved);
      op.output = moved(op.output);
      merged.operators.push_back(std::move(op));
    }
    for (const std::int32_t input : source.network.inputs) {
      merged.inputs.push_back(moved(input));
    }
    for (const std::int32_t output : source.network.outputs) {
      merged.outputs.push_back(moved(output));
    }
    for (State state : source.network.states) {
      state.name = source.name + "/" + state.name;
      state.input = moved(state.input);
      state.output = moved(state.output);
      merged.states.push_back(std::move(state));
    }
    for (const std::string& note : source.network.notes) {
      merged.notes.push_back(source.name + ": " + note);
    }
    for (const std::string& left_out : source.network.left_out) {
      merged.left_out.push_back(source.name + ": " + left_out);
    }
    model.end_op = merged.operators.size();
    model.end_input = merged.inputs.size();
    model.end_output = merged.outputs.size();
    merged.models.push_back(std::move(model));
  }
  return merged;
}

}  // namespace tessera

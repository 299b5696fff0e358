#include "tessera/reference.hpp"

#include <stdexcept>

#include "network/reference/reference_kernels.hpp"

namespace tessera {
namespace {

struct Dispatch {
  const reference::Operands& operands;
  void operator()(const Conv2d& op) const { reference::conv(op, operands); }
  void operator()(const DepthwiseConv2d& op) const { reference::depthwise_conv(op, operands); }
  void operator()(const FullyConnected& op) const { reference::fully_connected(op, operands); }
  void operator()(const TransposeConv2d& op) const { reference::transpose_conv(op, operands); }
  void operator()(const Binary& op) const { reference::binary(op, operands); }
  void operator()(const Unary& op) const { reference::unary(op, operands); }
  void operator()(const Mean& op) const { reference::mean(op, operands); }
  void operator()(const Transpose& op) const { reference::transpose(op, operands); }
  void operator()(const StridedSlice& op) const { reference::strided_slice(op, operands); }
  void operator()(const ResizeNearest& op) const { reference::resize_nearest(op, operands); }
  void operator()(const Dequantize&) const { reference::dequantize(operands); }
  void operator()(const Pool2d& op) const { reference::pool(op, operands); }
  void operator()(const Reshape&) const { reference::reshape(operands); }
  void operator()(const Softmax& op) const { reference::softmax(op, operands); }
  void operator()(const Pad& op) const { reference::pad(op, operands); }
  void operator()(const Concatenation& op) const { reference::concatenation(op, operands); }
  void operator()(const HostOperator& op) const { reference::host(op, operands); }
};

}  // namespace

void run_operator(const Network& network, const Operator& op,
                  const std::vector<const std::uint8_t*>& data, std::uint8_t* output) {
  const reference::Operands operands{network, op, data, output};
  std::visit(Dispatch{operands}, op.attributes);
}

std::vector<Bytes> initial_states(const Network& network) {
  std::vector<Bytes> states;
  states.reserve(network.states.size());
  for (const State& state : network.states) {
    states.push_back(state.initial);
  }
  return states;
}

std::vector<Bytes> run_reference(
    const Network& network, const std::vector<Bytes>& inputs,
    const std::function<void(std::size_t op, const Bytes& output)>& observe,
    std::vector<Bytes>* states) {
  if (inputs.size() != network.inputs.size()) {
    throw std::invalid_argument("run_reference: wrong number of inputs");
  }
  std::vector<Bytes> values(network.tensors.size());
  std::vector<std::size_t> last_use(network.tensors.size(), 0);
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    for (const std::int32_t input : network.operators[i].inputs) {
      if (input >= 0) {
        last_use[static_cast<std::size_t>(input)] = i;
      }
    }
  }
  for (const std::int32_t output : network.outputs) {
    last_use[static_cast<std::size_t>(output)] = network.operators.size();
  }
  if (states != nullptr && states->size() != network.states.size()) {
    throw std::invalid_argument("run_reference: wrong number of states");
  }
  for (std::size_t s = 0; s < network.states.size(); ++s) {
    const State& state = network.states[s];
    last_use[static_cast<std::size_t>(state.output)] = network.operators.size();
    values[static_cast<std::size_t>(state.input)] =
        states != nullptr ? (*states)[s] : state.initial;
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto tensor = static_cast<std::size_t>(network.inputs[i]);
    if (inputs[i].size() != network.tensors[tensor].bytes()) {
      throw std::invalid_argument("run_reference: wrong number of input bytes");
    }
    values[tensor] = inputs[i];
  }
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const Operator& op = network.operators[i];
    std::vector<const std::uint8_t*> data;
    for (const std::int32_t input : op.inputs) {
      if (input < 0) {
        data.push_back(nullptr);
        continue;
      }
      const auto tensor = static_cast<std::size_t>(input);
      const Bytes& constant = network.tensors[tensor].constant;
      data.push_back(constant.empty() ? values[tensor].data() : constant.data());
    }
    Bytes& output = values[static_cast<std::size_t>(op.output)];
    output.resize(network.tensors[static_cast<std::size_t>(op.output)].bytes());
    run_operator(network, op, data, output.data());
    if (observe) {
      observe(i, output);
    }
    for (const std::int32_t input : op.inputs) {
      if (input >= 0 && last_use[static_cast<std::size_t>(input)] == i) {
        values[static_cast<std::size_t>(input)] = Bytes();
      }
    }
  }
  for (std::size_t s = 0; states != nullptr && s < network.states.size(); ++s) {
    (*states)[s] = values[static_cast<std::size_t>(network.states[s].output)];
  }
  std::vector<Bytes> outputs;
  for (const std::int32_t output : network.outputs) {
    const auto tensor = static_cast<std::size_t>(output);
    const Bytes& constant = network.tensors[tensor].constant;
    outputs.push_back(constant.empty() ? values[tensor] : constant);
  }
  return outputs;
}

}  // namespace tessera

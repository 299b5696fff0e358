#include "network/states.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tessera/error.hpp"

namespace tessera {
namespace {

// What may lie in the memory of its input.
bool is_view(const Operator& op) {
  return std::holds_alternative<Reshape>(op.attributes) ||
         std::holds_alternative<StridedSlice>(op.attributes);
}

std::size_t producer_of(const Network& network, std::int32_t tensor) {
  return static_cast<std::size_t>(
      std::find_if(network.operators.begin(), network.operators.end(),
                   [&](const Operator& op) { return op.output == tensor; }) -
      network.operators.begin());
}

// Tensors that are the state, or may be part of its memory.
std::vector<bool> views_of(const Network& network, std::int32_t tensor) {
  std::vector<bool> views(network.tensors.size());
  views[static_cast<std::size_t>(tensor)] = true;
  for (const Operator& op : network.operators) {
    if (is_view(op) && views[static_cast<std::size_t>(op.inputs[0])]) {
      views[static_cast<std::size_t>(op.output)] = true;
    }
  }
  return views;
}

Operator copy_of(const Tensor& tensor, std::int32_t from, std::int32_t to, std::string name) {
  Operator op;
  op.name = std::move(name);
  op.attributes = StridedSlice{std::vector<std::int32_t>(tensor.shape.size(), 0),
                               std::vector<std::int32_t>(tensor.shape.size(), 1)};
  op.inputs = {from};
  op.output = to;
  return op;
}

bool is_among(const std::vector<std::int32_t>& tensors, std::int32_t tensor) {
  return std::find(tensors.begin(), tensors.end(), tensor) != tensors.end();
}

std::int32_t tensor_like(Network& network, std::int32_t like, const std::string& name) {
  Tensor tensor = network.tensors[static_cast<std::size_t>(like)];
  tensor.name = name;
  tensor.constant.clear();
  network.tensors.push_back(std::move(tensor));
  return static_cast<std::int32_t>(network.tensors.size()) - 1;
}

// Of the network's inputs or outputs.
std::int32_t named(const Network& network, const std::vector<std::int32_t>& among,
                   const std::string& name, const char* what) {
  std::vector<std::string> names;
  for (const std::int32_t tensor : among) {
    names.push_back(network.tensors[static_cast<std::size_t>(tensor)].name);
    if (names.back() == name) {
      return tensor;
    }
  }
  throw InputError(fmt::format("{}: state: `{}` is no {} of the network; it has {}", network.name,
                               name, what, fmt::join(names, ", ")));
}

template <class T>
std::vector<std::uint8_t> repeated(T value, std::size_t count) {
  std::vector<std::uint8_t> bytes(count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T));
  }
  return bytes;
}

// The real value, as the tensor stores it.
std::vector<std::uint8_t> filled(const Tensor& tensor, double value) {
  const auto count = static_cast<std::size_t>(tensor.elements());
  switch (tensor.type) {
    case DataType::Float32:
      return repeated(static_cast<float>(value), count);
    case DataType::Int64:
      return repeated(static_cast<std::int64_t>(value), count);
    case DataType::Int32:
      return repeated(static_cast<std::int32_t>(std::clamp(value, -2147483648.0, 2147483647.0)),
                      count);
    case DataType::Bool:
      return repeated(static_cast<std::uint8_t>(value != 0), count);
    default:
      break;
  }
  const double scale = tensor.quantisation.scales.empty() ? 1.0 : tensor.quantisation.scales[0];
  const double stored = std::round(value / scale) + tensor.quantisation.zero_point;
  return repeated(static_cast<std::int8_t>(std::clamp(stored, -128.0, 127.0)), count);
}

void remove(std::vector<std::int32_t>& tensors, std::int32_t tensor) {
  tensors.erase(std::remove(tensors.begin(), tensors.end(), tensor), tensors.end());
}

void add_copy(Network& network, State& state) {
  const std::int32_t to = tensor_like(network, state.output, state.name + "/next");
  const Tensor& tensor = network.tensors[static_cast<std::size_t>(to)];
  network.operators.push_back(copy_of(tensor, state.output, to, state.name + "/next"));
  state.output = to;
}

}  // namespace

bool is_settled(const Network& network, const State& state) {
  const std::size_t writer = producer_of(network, state.output);
  if (writer == network.operators.size() ||
      std::holds_alternative<Reshape>(network.operators[writer].attributes)) {
    return false;
  }
  const std::vector<bool> views = views_of(network, state.input);
  std::vector<bool> later(network.tensors.size());  // needs the new value
  later[static_cast<std::size_t>(state.output)] = true;
  for (std::size_t i = writer; i < network.operators.size(); ++i) {
    const Operator& op = network.operators[i];
    const auto reads = [&](const std::vector<bool>& tensors) {
      return std::any_of(op.inputs.begin(), op.inputs.end(), [&](std::int32_t input) {
        return input >= 0 && tensors[static_cast<std::size_t>(input)];
      });
    };
    const bool waits = i == writer || reads(later);
    if (waits && reads(views)) {
      return false;
    }
    later[static_cast<std::size_t>(op.output)] =
        later[static_cast<std::size_t>(op.output)] || waits;
  }
  return true;
}

void settle_states(Network& network) {
  std::vector<State> states;
  std::vector<std::int32_t> written;
  for (State& state : network.states) {
    if (state.output == state.input) {
      network.tensors[static_cast<std::size_t>(state.input)].constant = std::move(state.initial);
      continue;
    }
    const bool is_other =
        std::any_of(network.states.begin(), network.states.end(),
                    [&](const State& other) { return other.input == state.output; });
    if (is_among(network.inputs, state.output) || is_among(written, state.output) || is_other ||
        is_among(network.outputs, state.output) || !is_settled(network, state)) {
      add_copy(network, state);
    }
    written.push_back(state.output);
    states.push_back(std::move(state));
  }
  network.states = std::move(states);
}

void add_state(Network& network, const std::string& name, std::int32_t input, std::int32_t output,
               std::vector<std::uint8_t> initial) {
  State state{name, input, output, std::move(initial)};
  const Tensor from = network.tensors[static_cast<std::size_t>(output)];
  const Tensor& to = network.tensors[static_cast<std::size_t>(input)];
  if (from.shape != to.shape || from.type != to.type) {
    throw InputError(fmt::format(
        "{}: state: output `{}` is {} of shape [{}], input `{}` is {} of shape [{}]; allowed are "
        "two that are alike",
        network.name, from.name, name_of(from.type), fmt::join(from.shape, ", "), to.name,
        name_of(to.type), fmt::join(to.shape, ", ")));
  }
  if (from.quantisation.scales != to.quantisation.scales ||
      from.quantisation.zero_point != to.quantisation.zero_point) {
    Operator op;
    op.name = name + "/requantised";
    Unary quantize;
    quantize.kind = UnaryKind::Quantize;
    op.attributes = quantize;
    op.inputs = {output};
    op.output = tensor_like(network, input, op.name);
    state.output = op.output;
    network.operators.push_back(std::move(op));
  }
  remove(network.inputs, input);
  network.states.push_back(std::move(state));
}

void tie_state(Network& network, const std::string& input, const std::string& output,
               double initial) {
  const std::int32_t from = named(network, network.inputs, input, "input");
  const std::int32_t to = named(network, network.outputs, output, "output");
  std::vector<std::uint8_t> values =
      filled(network.tensors[static_cast<std::size_t>(from)], initial);
  add_state(network, input, from, to, std::move(values));
  if (network.outputs.size() > 1) {
    remove(network.outputs, to);
  }
}

}  // namespace tessera

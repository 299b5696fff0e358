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

// A slice of everything.
bool is_whole(const Network& network, const Operator& op) {
  const auto* slice = std::get_if<StridedSlice>(&op.attributes);
  return slice != nullptr &&
         network.tensors[static_cast<std::size_t>(op.inputs[0])].shape ==
             network.tensors[static_cast<std::size_t>(op.output)].shape &&
         std::all_of(slice->stride.begin(), slice->stride.end(),
                     [](std::int32_t stride) { return stride == 1; });
}

// What a tensor is by another name. Files may hold circles, which nothing has refused yet.
std::int32_t source_of(const Network& network, std::int32_t tensor) {
  std::size_t before = network.operators.size();
  while (true) {
    const std::size_t producer = producer_of(network, tensor);
    if (producer >= before ||
        !(std::holds_alternative<Reshape>(network.operators[producer].attributes) ||
          is_whole(network, network.operators[producer]))) {
      return tensor;
    }
    before = producer;
    tensor = network.operators[producer].inputs[0];
  }
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
  if (state.output == state.input) {
    return true;  // never written anew
  }
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

namespace {

// Outputs that are a state's old value by another name are copied: the state is written anew before
// they are taken.
void copy_shown_states(Network& network) {
  for (std::int32_t& output : network.outputs) {
    const std::int32_t source = source_of(network, output);
    const bool shows = std::any_of(network.states.begin(), network.states.end(),
                                   [&](const State& state) { return state.input == source; });
    if (shows) {
      const std::string name = network.tensors[static_cast<std::size_t>(output)].name + "/output";
      const std::int32_t to = tensor_like(network, output, name);
      network.operators.push_back(
          copy_of(network.tensors[static_cast<std::size_t>(to)], output, to, name));
      output = to;
    }
  }
}

// Operators with what waits for them: readers of their outputs, and what writes a state anew for
// all that reads the old one.
std::vector<std::vector<std::size_t>> waiting_in(const Network& network) {
  std::vector<std::vector<std::size_t>> waiting(network.operators.size());
  std::vector<std::size_t> producers(network.tensors.size(), network.operators.size());
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    producers[static_cast<std::size_t>(network.operators[i].output)] = i;
  }
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    for (const std::int32_t input : network.operators[i].inputs) {
      if (input >= 0 && producers[static_cast<std::size_t>(input)] < network.operators.size()) {
        waiting[producers[static_cast<std::size_t>(input)]].push_back(i);
      }
    }
  }
  for (const State& state : network.states) {
    const std::size_t writer = producers[static_cast<std::size_t>(state.output)];
    if (writer == network.operators.size() || state.output == state.input) {
      continue;
    }
    const std::vector<bool> views = views_of(network, state.input);
    for (std::size_t i = 0; i < network.operators.size(); ++i) {
      const auto& inputs = network.operators[i].inputs;
      if (i != writer && std::any_of(inputs.begin(), inputs.end(), [&](std::int32_t input) {
            return input >= 0 && views[static_cast<std::size_t>(input)];
          })) {
        waiting[i].push_back(writer);
      }
    }
  }
  return waiting;
}

bool has_circle(const Network& network) {
  const auto waiting = waiting_in(network);
  std::vector<std::size_t> waits_for(waiting.size(), 0);
  for (const auto& others : waiting) {
    for (const std::size_t other : others) {
      ++waits_for[other];
    }
  }
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < waits_for.size(); ++i) {
    if (waits_for[i] == 0) {
      ready.push_back(i);
    }
  }
  std::size_t done = 0;
  while (!ready.empty()) {
    const std::size_t next = ready.back();
    ready.pop_back();
    ++done;
    for (const std::size_t other : waiting[next]) {
      if (--waits_for[other] == 0) {
        ready.push_back(other);
      }
    }
  }
  return done < waiting.size();
}

// The new value is kept apart until all that reads any state has done so: a copy that is no view,
// and one into the state's place.
void add_two_copies(Network& network, State& state) {
  const std::int32_t apart = tensor_like(network, state.output, state.name + "/apart");
  Operator op;
  op.name = state.name + "/apart";
  op.attributes = Concatenation{0};
  op.inputs = {state.output};
  op.output = apart;
  network.operators.push_back(std::move(op));
  state.output = apart;
  add_copy(network, state);
}

}  // namespace

void settle_states(Network& network) {
  if (network.states.empty()) {
    return;
  }
  copy_shown_states(network);
  std::vector<State> states;
  std::vector<std::int32_t> written;
  for (State& state : network.states) {
    if (source_of(network, state.output) == state.input) {
      state.output = state.input;
      states.push_back(std::move(state));
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
  // States that wait for each other, such as two that change places.
  for (std::size_t s = 0; s < network.states.size() && has_circle(network); ++s) {
    if (network.states[s].output != network.states[s].input) {
      add_two_copies(network, network.states[s]);
    }
  }
}

void add_state(Network& network, const std::string& name, std::int32_t input, std::int32_t output,
               std::vector<std::uint8_t> initial, const std::string& output_name) {
  State state{name, input, output, std::move(initial)};
  const Tensor from = network.tensors[static_cast<std::size_t>(output)];
  const Tensor& to = network.tensors[static_cast<std::size_t>(input)];
  if (from.shape != to.shape || from.type != to.type) {
    throw InputError(fmt::format(
        "{}: state: output `{}` is {} of shape [{}], input `{}` is {} of shape [{}]; allowed are "
        "two that are alike",
        network.name, output_name, name_of(from.type), fmt::join(from.shape, ", "), name,
        name_of(to.type), fmt::join(to.shape, ", ")));
  }
  if (from.type == DataType::Int8 && (from.quantisation.scales != to.quantisation.scales ||
                                      from.quantisation.zero_point != to.quantisation.zero_point)) {
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

namespace {

// The bytes behind a float output and in front of a float input, when a state of bytes does as
// well: what computes the output turns bytes into floats, and all readers of the input turn it into
// bytes again. The input is computed from the state then.
void keep_bytes(Network& network, std::int32_t& input, std::int32_t& output) {
  const std::size_t writer = producer_of(network, output);
  if (writer == network.operators.size() ||
      !std::holds_alternative<Dequantize>(network.operators[writer].attributes)) {
    return;
  }
  const std::int32_t bytes = network.operators[writer].inputs[0];
  const auto reads = [&](const Operator& op) { return is_among(op.inputs, input); };
  const auto quantises = [](const Operator& op) {
    const auto* unary = std::get_if<Unary>(&op.attributes);
    return unary != nullptr && unary->kind == UnaryKind::Quantize;
  };
  const bool all = std::all_of(network.operators.begin(), network.operators.end(),
                               [&](const Operator& op) { return !reads(op) || quantises(op); });
  if (!all || is_among(network.outputs, input)) {
    return;
  }
  const bool is_read = is_among(network.outputs, output) ||
                       std::any_of(network.operators.begin(), network.operators.end(),
                                   [&](const Operator& op) { return is_among(op.inputs, output); });
  if (!is_read) {
    network.operators.erase(network.operators.begin() + static_cast<std::ptrdiff_t>(writer));
  }
  const std::int32_t state =
      tensor_like(network, bytes, network.tensors[static_cast<std::size_t>(input)].name + "/state");
  network.tensors[static_cast<std::size_t>(state)].shape =
      network.tensors[static_cast<std::size_t>(input)].shape;
  Operator op;
  op.name = network.tensors[static_cast<std::size_t>(state)].name;
  op.attributes = Dequantize{};
  op.inputs = {state};
  op.output = input;
  network.operators.insert(network.operators.begin(), std::move(op));
  remove(network.inputs, input);
  input = state;
  output = bytes;
}

}  // namespace

void tie_state(Network& network, const std::string& name, std::int32_t input, std::int32_t output,
               double initial, const std::string& output_name) {
  // Zero is the same in bytes.
  if (initial == 0) {
    keep_bytes(network, input, output);
  }
  std::vector<std::uint8_t> values =
      filled(network.tensors[static_cast<std::size_t>(input)], initial);
  add_state(network, name, input, output, std::move(values), output_name);
}

}  // namespace tessera

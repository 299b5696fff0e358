#include "scheduler/lower/aliases.hpp"

#include <algorithm>
#include <optional>

#include "scheduler/lower/loop_nest.hpp"
#include "scheduler/lower/lowering_parts.hpp"

namespace tessera {
namespace {

using lowering::tensor_of;

// Bytes from the input's begin to the output's, where the elements follow each other there.
std::optional<std::int64_t> offset_of(const Tensor& in, const Tensor& out,
                                      const StridedSlice& slice) {
  const auto in_strides = row_major_strides(in.shape);
  const auto out_strides = row_major_strides(out.shape);
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < in.shape.size(); ++d) {
    if (out.shape[d] > 1 && in_strides[d] * slice.stride[d] != out_strides[d]) {
      return std::nullopt;
    }
    offset += slice.begin[d] * in_strides[d];
  }
  return offset * static_cast<std::int64_t>(size_of(in.type));
}

}  // namespace

bool same_quantisation(const Tensor& a, const Tensor& b) {
  return a.quantisation.scales == b.quantisation.scales &&
         a.quantisation.zero_point == b.quantisation.zero_point;
}

Aliases::Aliases(const Network& network, bool slide)
    : network_(network), slide_(slide), fixed_(network.tensors.size()) {
  for (std::size_t t = 0; t < network.tensors.size(); ++t) {
    places_.push_back({static_cast<std::int32_t>(t), 0});
    fixed_[t] = !network.tensors[t].constant.empty();
  }
  for (const std::int32_t input : network.inputs) {
    fixed_[static_cast<std::size_t>(input)] = true;
  }
  for (const State& state : network.states) {
    fixed_[static_cast<std::size_t>(state.input)] = true;
    fixed_[static_cast<std::size_t>(state.output)] = true;
  }
}

void Aliases::place_states() {
  for (const State& state : network_.states) {
    put(state.output, state.input, 0);
  }
}

bool Aliases::lies_in(std::int32_t tensor, std::int32_t other) const {
  while (tensor != other && places_[static_cast<std::size_t>(tensor)].tensor != tensor) {
    tensor = places_[static_cast<std::size_t>(tensor)].tensor;
  }
  return tensor == other;
}

Aliases::Place Aliases::of(std::int32_t tensor) const {
  Place place{tensor, 0};
  while (places_[static_cast<std::size_t>(place.tensor)].tensor != place.tensor) {
    const Place& next = places_[static_cast<std::size_t>(place.tensor)];
    place = {next.tensor, place.offset + next.offset};
  }
  return place;
}

void Aliases::put(std::int32_t tensor, std::int32_t inside, std::uint64_t offset) {
  places_[static_cast<std::size_t>(tensor)] = {inside, offset};
}

bool Aliases::is_free(std::int32_t tensor) const {
  return tensor_of(network_, tensor).constant.empty();
}

bool Aliases::try_no_copy(const Operator& op) {
  if (fixed_[static_cast<std::size_t>(op.output)]) {
    return false;  // a state: written in its own place
  }
  if (shows_state(op)) {
    return false;  // the old value is wanted when the new one is there
  }
  if (std::holds_alternative<Reshape>(op.attributes) || changes_nothing(op)) {
    return reshape(op);
  }
  if (const auto* part = std::get_if<StridedSlice>(&op.attributes); part != nullptr) {
    return slice(op, *part);
  }
  if (const auto* concat = std::get_if<Concatenation>(&op.attributes); concat != nullptr) {
    return concatenation(op, *concat);
  }
  return false;
}

bool Aliases::is_input(std::int32_t tensor) const {
  const auto& inputs = network_.inputs;
  return std::find(inputs.begin(), inputs.end(), tensor) != inputs.end();
}

// An output of the network that would lie in a state.
bool Aliases::shows_state(const Operator& op) const {
  const auto& outputs = network_.outputs;
  if (std::find(outputs.begin(), outputs.end(), op.output) == outputs.end() || op.inputs[0] < 0) {
    return false;
  }
  const std::int32_t root = of(op.inputs[0]).tensor;
  return std::any_of(network_.states.begin(), network_.states.end(),
                     [&](const State& state) { return state.input == root; });
}

// From int8 to uint8 of the same real values: they are stored alike.
bool Aliases::changes_nothing(const Operator& op) const {
  const auto* unary = std::get_if<Unary>(&op.attributes);
  const Tensor& in = tensor_of(network_, op.inputs[0]);
  const Tensor& out = tensor_of(network_, op.output);
  return unary != nullptr && unary->kind == UnaryKind::Quantize && in.type == DataType::Int8 &&
         out.type == DataType::Int8 && same_quantisation(in, out);
}

bool Aliases::reshape(const Operator& op) {
  if (!is_free(op.inputs[0])) {
    return false;
  }
  put(op.output, op.inputs[0], 0);
  return true;
}

// The elements must follow each other in the input.
bool Aliases::slice(const Operator& op, const StridedSlice& slice) {
  const Tensor& in = tensor_of(network_, op.inputs[0]);
  const Tensor& out = tensor_of(network_, op.output);
  if (!is_free(op.inputs[0])) {
    return false;
  }
  const auto offset = offset_of(in, out, slice);
  if (!offset) {
    return false;
  }
  put(op.output, op.inputs[0], static_cast<std::uint64_t>(*offset));
  return true;
}

namespace {

/// A state's old rows in front of new ones, as streaming networks join them.
class SlidingState {
 public:
  SlidingState(const Network& network, const State& state, std::int32_t joined)
      : network_(network),
        state_(state),
        joined_(joined),
        views_(network.tensors.size()),
        later_(network.tensors.size()) {}

  // The state lies at the begin of the joined tensor for good, and is written anew there when all
  // that reads the tensor has done so.
  bool can_lie_there() {
    mark_views();
    for (const std::int32_t output : network_.outputs) {
      if (views_[at(output)]) {
        return false;
      }
    }
    later_[at(state_.output)] = true;
    for (const Operator& op : network_.operators) {
      const bool writes = op.output == state_.output;
      if (writes ? !slides(op) : reads(op, later_) && reads(op, views_)) {
        return false;
      }
      later_[at(op.output)] = later_[at(op.output)] || reads(op, later_);
    }
    return true;
  }

 private:
  static std::size_t at(std::int32_t tensor) { return static_cast<std::size_t>(tensor); }

  // What may lie in the joined tensor's memory.
  void mark_views() {
    views_[at(joined_)] = views_[at(state_.input)] = true;
    for (const Operator& op : network_.operators) {
      const bool is_view = std::holds_alternative<Reshape>(op.attributes) ||
                           std::holds_alternative<StridedSlice>(op.attributes) ||
                           std::holds_alternative<Concatenation>(op.attributes) ||
                           std::holds_alternative<Unary>(op.attributes);
      const bool is_state =
          std::any_of(network_.states.begin(), network_.states.end(),
                      [&](const State& state) { return state.output == op.output; });
      if (is_view && !is_state && reads(op, views_)) {
        views_[at(op.output)] = true;
      }
    }
  }

  // Towards the begin: what is read later lies behind what is written.
  [[nodiscard]] bool slides(const Operator& op) const {
    const auto* slice = std::get_if<StridedSlice>(&op.attributes);
    return !reads(op, views_) ||
           (slice != nullptr && op.inputs[0] == joined_ &&
            offset_of(network_.tensors[at(joined_)], network_.tensors[at(op.output)], *slice));
  }

  [[nodiscard]] static bool reads(const Operator& op, const std::vector<bool>& tensors) {
    return std::any_of(op.inputs.begin(), op.inputs.end(),
                       [&](std::int32_t input) { return input >= 0 && tensors[at(input)]; });
  }

  const Network& network_;
  const State& state_;
  std::int32_t joined_;
  std::vector<bool> views_;
  std::vector<bool> later_;  // what needs the new value
};

}  // namespace

// Whether the first input is a state that may lie in the output.
bool Aliases::holds_state(const Operator& concat) const {
  const auto state = std::find_if(network_.states.begin(), network_.states.end(),
                                  [&](const State& one) { return one.input == concat.inputs[0]; });
  return slide_ && state != network_.states.end() && concat.inputs.size() > 1 &&
         SlidingState(network_, *state, concat.output).can_lie_there();
}

// What computes the inputs writes into the output at once.
bool Aliases::concatenation(const Operator& op, const Concatenation& concat) {
  const Tensor& out = tensor_of(network_, op.output);
  for (std::int32_t d = 0; d < concat.axis; ++d) {
    if (out.shape[static_cast<std::size_t>(d)] != 1) {
      return false;
    }
  }
  const bool with_state = holds_state(op);
  std::vector<std::int32_t> roots;
  for (const std::int32_t input : op.inputs) {
    const Place place = of(input);
    const Tensor& in = tensor_of(network_, input);
    const bool is_fixed = fixed_[static_cast<std::size_t>(place.tensor)];
    const bool may_move = with_state && (roots.empty() || is_input(place.tensor));
    if ((is_fixed && !may_move) || place.offset != 0 ||
        tensor_of(network_, place.tensor).bytes() != in.bytes() || !same_quantisation(in, out) ||
        std::find(roots.begin(), roots.end(), place.tensor) != roots.end()) {
      return false;
    }
    roots.push_back(place.tensor);
  }
  std::uint64_t offset = 0;
  for (const std::int32_t root : roots) {
    put(root, op.output, offset);
    offset += tensor_of(network_, root).bytes();
  }
  return true;
}

}  // namespace tessera

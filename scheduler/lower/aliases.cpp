#include "scheduler/lower/aliases.hpp"

#include <algorithm>

#include "scheduler/lower/loop_nest.hpp"
#include "scheduler/lower/lowering_parts.hpp"

namespace tessera {
namespace {

using lowering::tensor_of;

}  // namespace

bool same_quantisation(const Tensor& a, const Tensor& b) {
  return a.quantisation.scales == b.quantisation.scales &&
         a.quantisation.zero_point == b.quantisation.zero_point;
}

Aliases::Aliases(const Network& network) : network_(network), fixed_(network.tensors.size()) {
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
  if (std::holds_alternative<Reshape>(op.attributes)) {
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
  const auto in_strides = row_major_strides(in.shape);
  const auto out_strides = row_major_strides(out.shape);
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < in.shape.size(); ++d) {
    if (out.shape[d] > 1 && in_strides[d] * slice.stride[d] != out_strides[d]) {
      return false;
    }
    offset += slice.begin[d] * in_strides[d];
  }
  put(op.output, op.inputs[0], static_cast<std::uint64_t>(offset) * size_of(in.type));
  return true;
}

// What computes the inputs writes into the output at once.
bool Aliases::concatenation(const Operator& op, const Concatenation& concat) {
  const Tensor& out = tensor_of(network_, op.output);
  for (std::int32_t d = 0; d < concat.axis; ++d) {
    if (out.shape[static_cast<std::size_t>(d)] != 1) {
      return false;
    }
  }
  std::vector<std::int32_t> roots;
  for (const std::int32_t input : op.inputs) {
    const Place place = of(input);
    const Tensor& in = tensor_of(network_, input);
    if (fixed_[static_cast<std::size_t>(place.tensor)] || place.offset != 0 ||
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

#include "tests/rom/runtime/drawn_operator.hpp"

#include <cmath>
#include <cstring>

#include "network/host_kinds.hpp"
#include "network/reference/elements.hpp"
#include "tessera/error.hpp"

namespace tessera::test {

float Dice::real(float low, float high) {
  return low + (high - low) * static_cast<float>(between(0, 1 << 20)) / static_cast<float>(1 << 20);
}

Quantisation Dice::quantisation() {
  // Powers of two have results that lie on halves.
  return {{std::ldexp(once_in(3) ? 1.0F : real(1, 2), between(-9, 1))}, between(-128, 127)};
}

std::vector<std::int32_t> Dice::shape(std::size_t least_rank, std::size_t most_rank,
                                      std::int32_t most) {
  std::vector<std::int32_t> shape;
  const std::int32_t rank =
      between(static_cast<std::int32_t>(least_rank), static_cast<std::int32_t>(most_rank));
  shape.reserve(most_rank);
  for (std::int32_t d = 0; d < rank; ++d) {
    shape.push_back(between(1, most));
  }
  return shape;
}

std::vector<std::int32_t> Dice::narrowed(std::vector<std::int32_t> shape) {
  for (std::int32_t& extent : shape) {
    extent = once_in(4) ? 1 : extent;
  }
  const std::int32_t gone = once_in(3) ? between(0, static_cast<std::int32_t>(shape.size())) : 0;
  shape.erase(shape.begin(), shape.begin() + gone);
  return shape;
}

Bytes Dice::values(const Tensor& tensor) {
  Bytes bytes(tensor.bytes());
  const std::vector<float> turns = {0.0F, -0.0F, 0.5F,  -0.5F, 1.5F,  2.5F, -2.5F,
                                    1.0F, -1.0F, -3.0F, 3.0F,  1e-6F, 1e6F, -1e6F};
  const auto whole = [&](std::int64_t most) {
    return once_in(3) ? between(-3, 3)
                      : static_cast<std::int64_t>(rng_.next() >> 1) % (2 * most + 1) - most;
  };
  reference::for_type(tensor.type, [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      if constexpr (std::is_same_v<T, float>) {
        reference::put(bytes.data(), i, once_in(5) ? one_of(turns) : real(-6, 6));
      } else if (tensor.type == DataType::Bool) {
        reference::put(bytes.data(), i, static_cast<T>(between(0, 1)));
      } else if constexpr (sizeof(T) == 1) {
        reference::put(
            bytes.data(), i,
            static_cast<T>(once_in(4) ? one_of<std::int32_t>({-128, 127, 0}) : between(-128, 127)));
      } else if constexpr (sizeof(T) == 2) {
        reference::put(bytes.data(), i, static_cast<T>(between(-255, 255)));
      } else {
        reference::put(bytes.data(), i,
                       static_cast<T>(whole(sizeof(T) == 4 ? INT32_MAX : INT64_MAX / 4)));
      }
    }
  });
  return bytes;
}

OperatorDraft::OperatorDraft(Dice& dice, Attributes attributes) : dice_(dice) {
  network_.name = "drawn";
  network_.operators.push_back({"drawn", std::move(attributes), {}, -1, Rounding::Twice});
}

Tensor& OperatorDraft::input(const std::vector<std::int32_t>& shape, DataType type,
                             const Quantisation& quantisation) {
  Operator& drawn = network_.operators[0];
  drawn.inputs.push_back(static_cast<std::int32_t>(network_.tensors.size()));
  Tensor tensor;
  tensor.name = "in" + std::to_string(drawn.inputs.size());
  tensor.shape = shape;
  tensor.type = type;
  if (type == DataType::Int8 || type == DataType::Int16) {
    tensor.quantisation = quantisation;
  }
  network_.tensors.push_back(tensor);
  given_.emplace_back();
  return network_.tensors.back();
}

Tensor& OperatorDraft::input(const std::vector<std::int32_t>& shape, DataType type) {
  return input(shape, type, dice_.quantisation());
}

Tensor& OperatorDraft::constant(const std::vector<std::int32_t>& shape, DataType type,
                                const Quantisation& quantisation, int bits) {
  Tensor& tensor = input(shape, type, quantisation);
  if (type == DataType::Int8 || type == DataType::Int32) {
    tensor.quantisation = quantisation;
  }
  tensor.constant = dice_.values(tensor);
  if (type == DataType::Int32) {
    for (std::int64_t i = 0; i < tensor.elements(); ++i) {
      reference::put(tensor.constant.data(), i, dice_.between(-(1 << bits), 1 << bits));
    }
  }
  return tensor;
}

void OperatorDraft::absent() {
  network_.operators[0].inputs.push_back(-1);
  given_.emplace_back();
}

Tensor& OperatorDraft::output(const std::vector<std::int32_t>& shape, DataType type,
                              const Quantisation& quantisation) {
  network_.operators[0].output = static_cast<std::int32_t>(network_.tensors.size());
  Tensor tensor;
  tensor.name = "out";
  tensor.shape = shape;
  tensor.type = type;
  if (type == DataType::Int8) {
    tensor.quantisation = quantisation;
  }
  network_.tensors.push_back(tensor);
  return network_.tensors.back();
}

const Tensor& OperatorDraft::in(std::size_t i) const {
  return network_.tensors[static_cast<std::size_t>(network_.operators[0].inputs[i])];
}

void OperatorDraft::give(std::size_t input, Bytes bytes) {
  given_[input] = std::move(bytes);
}

DrawnOperator OperatorDraft::finish() {
  DrawnOperator drawn{network_, {}};
  const Operator& alone = network_.operators[0];
  for (std::size_t i = 0; i < alone.inputs.size(); ++i) {
    const bool computed = alone.inputs[i] >= 0 && in(i).constant.empty();
    drawn.inputs.push_back(!computed           ? Bytes()
                           : given_[i].empty() ? dice_.values(in(i))
                                               : given_[i]);
  }
  return drawn;
}

void OperatorDraft::give_no_number(std::size_t input) {
  const Tensor& tensor = in(input);
  Bytes bytes = dice_.values(tensor);
  for (const float value : {NAN, INFINITY, -INFINITY}) {
    reference::put(bytes.data(), dice_.between(0, static_cast<int>(tensor.elements()) - 1), value);
  }
  give(input, bytes);
}

std::vector<OperatorKind> operator_kinds() {
  std::vector<OperatorKind> kinds;
  const auto add = [&](const Attributes& attributes, const char* suffix = "") {
    Operator op;
    op.attributes = attributes;
    kinds.push_back({std::string(op.type_name()) + suffix, attributes});
  };
  add(Conv2d{});
  add(DepthwiseConv2d{});
  add(TransposeConv2d{});
  add(FullyConnected{});
  for (const BinaryKind kind : {BinaryKind::Add, BinaryKind::Sub, BinaryKind::Mul}) {
    add(Binary{kind, {}});
  }
  for (const UnaryKind kind :
       {UnaryKind::Relu, UnaryKind::Relu6, UnaryKind::LeakyRelu, UnaryKind::Logistic,
        UnaryKind::Tanh, UnaryKind::HardSwish, UnaryKind::Quantize, UnaryKind::Lookup}) {
    add(Unary{kind, 0, {}, false});
  }
  Pool2d greatest;
  greatest.kind = PoolKind::Max;
  add(Pool2d{});
  add(greatest);
  add(Mean{});
  add(Reshape{});
  add(Transpose{});
  add(StridedSlice{});
  add(ResizeNearest{});
  add(Softmax{});
  add(Pad{});
  add(Concatenation{});
  add(Dequantize{});
  for (const HostRule& rule : host_rules()) {
    add(HostOperator{rule.kind, {}, {}}, " of the host");
  }
  return kinds;
}

DrawnOperator draw_operator(const OperatorKind& kind, std::uint64_t number) {
  for (std::uint64_t attempt = 0;; ++attempt) {
    Dice dice(number * 1000 + attempt);
    OperatorDraft draft(dice, kind.attributes);
    const auto* host = std::get_if<HostOperator>(&kind.attributes);
    host != nullptr ? draw_host(draft, *host) : draw_ordinary(draft);
    DrawnOperator drawn = draft.finish();
    try {
      check_operator(drawn.network, drawn.network.operators[0]);
      return drawn;
    } catch (const InputError&) {
      if (attempt == 200) {
        throw;
      }
    }
  }
}

Bytes expected_of(const DrawnOperator& drawn) {
  const Operator& op = drawn.network.operators[0];
  std::vector<const std::uint8_t*> data;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const bool constant = op.inputs[i] >= 0 && drawn.inputs[i].empty();
    data.push_back(
        constant ? drawn.network.tensors[static_cast<std::size_t>(op.inputs[i])].constant.data()
        : op.inputs[i] < 0 ? nullptr
                           : drawn.inputs[i].data());
  }
  Bytes output(drawn.network.tensors[static_cast<std::size_t>(op.output)].bytes());
  run_operator(drawn.network, op, data, output.data());
  return output;
}

}  // namespace tessera::test

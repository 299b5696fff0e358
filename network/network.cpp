#include "tessera/network.hpp"

#include <array>
#include <numeric>

#include "network/host_kinds.hpp"

namespace tessera {

std::size_t size_of(DataType type) {
  constexpr std::array<std::size_t, 6> sizes = {1, 2, 4, 4, 8, 1};
  return sizes[static_cast<std::size_t>(type)];
}

std::string_view name_of(DataType type) {
  constexpr std::array<std::string_view, 6> names = {"int8",    "int16", "int32",
                                                     "float32", "int64", "bool"};
  return names[static_cast<std::size_t>(type)];
}

std::int64_t Tensor::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::size_t Tensor::bytes() const {
  return static_cast<std::size_t>(elements()) * size_of(type);
}

std::string_view Operator::type_name() const {
  struct Namer {
    std::string_view operator()(const Conv2d&) const { return "CONV_2D"; }
    std::string_view operator()(const DepthwiseConv2d&) const { return "DEPTHWISE_CONV_2D"; }
    std::string_view operator()(const FullyConnected&) const { return "FULLY_CONNECTED"; }
    std::string_view operator()(const TransposeConv2d&) const { return "TRANSPOSE_CONV"; }
    std::string_view operator()(const Binary& op) const {
      constexpr std::array<std::string_view, 3> names = {"ADD", "SUB", "MUL"};
      return names[static_cast<std::size_t>(op.kind)];
    }
    std::string_view operator()(const Unary& op) const {
      constexpr std::array<std::string_view, 8> names = {
          "RELU", "RELU6", "LEAKY_RELU", "LOGISTIC", "TANH", "HARD_SWISH", "QUANTIZE", "LOOKUP"};
      return names[static_cast<std::size_t>(op.kind)];
    }
    std::string_view operator()(const Pool2d& pool) const {
      return pool.kind == PoolKind::Average ? "AVERAGE_POOL_2D" : "MAX_POOL_2D";
    }
    std::string_view operator()(const Mean&) const { return "MEAN"; }
    std::string_view operator()(const Reshape& op) const {
      constexpr std::array<std::string_view, 3> names = {"RESHAPE", "SQUEEZE", "EXPAND_DIMS"};
      return names[static_cast<std::size_t>(op.kind)];
    }
    std::string_view operator()(const Transpose&) const { return "TRANSPOSE"; }
    std::string_view operator()(const StridedSlice&) const { return "STRIDED_SLICE"; }
    std::string_view operator()(const ResizeNearest&) const { return "RESIZE_NEAREST_NEIGHBOR"; }
    std::string_view operator()(const Dequantize&) const { return "DEQUANTIZE"; }
    std::string_view operator()(const Softmax&) const { return "SOFTMAX"; }
    std::string_view operator()(const Pad&) const { return "PAD"; }
    std::string_view operator()(const Concatenation&) const { return "CONCATENATION"; }
    std::string_view operator()(const HostOperator& op) const { return rule_of(op.kind).name; }
  };
  return std::visit(Namer{}, attributes);
}

MeanExtents extents_of(const Mean& mean, const std::vector<std::int32_t>& shape) {
  MeanExtents extents;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto axis = static_cast<std::int32_t>(d);
    std::int64_t& extent = axis < mean.first_axis               ? extents.outer
                           : axis < mean.first_axis + mean.axes ? extents.count
                                                                : extents.inner;
    extent *= shape[d];
  }
  return extents;
}

std::uint64_t macs_of(const Network& network, const Operator& op) {
  const auto elements = [&](std::int32_t tensor) {
    return static_cast<std::uint64_t>(network.tensors[static_cast<std::size_t>(tensor)].elements());
  };
  if (op.inputs.size() < 2) {
    return 0;
  }
  if (std::holds_alternative<Conv2d>(op.attributes) ||
      std::holds_alternative<FullyConnected>(op.attributes)) {
    const auto& kernel = network.tensors[static_cast<std::size_t>(op.inputs[1])];
    return elements(op.output) * static_cast<std::uint64_t>(kernel.elements() / kernel.shape[0]);
  }
  if (std::holds_alternative<TransposeConv2d>(op.attributes)) {
    const auto& kernel = network.tensors[static_cast<std::size_t>(op.inputs[1])];
    return elements(op.inputs[0]) * static_cast<std::uint64_t>(kernel.elements() / kernel.shape[3]);
  }
  if (std::holds_alternative<DepthwiseConv2d>(op.attributes)) {
    const auto& kernel = network.tensors[static_cast<std::size_t>(op.inputs[1])];
    return elements(op.output) * static_cast<std::uint64_t>(kernel.shape[1] * kernel.shape[2]);
  }
  if (const auto* host = std::get_if<HostOperator>(&op.attributes);
      host != nullptr && host->kind == HostKind::BatchMatMul) {
    const auto& shape = network.tensors[static_cast<std::size_t>(op.inputs[0])].shape;
    return elements(op.output) * static_cast<std::uint64_t>(host->integers[0] != 0
                                                                ? shape[shape.size() - 2]
                                                                : shape.back());
  }
  return 0;
}

}  // namespace tessera

#include "network/import/onnx/onnx_values.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

constexpr std::size_t kNchw[] = {0, 2, 3, 1};         // logical axis of a stored one
constexpr std::size_t kNchwInverse[] = {0, 3, 1, 2};  // stored axis of a logical one

}  // namespace

std::vector<std::int32_t> stored_shape(const std::vector<std::int64_t>& dims) {
  std::vector<std::int32_t> shape;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::int64_t extent = dims[logical_axis(d, dims.size())];
    shape.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(extent, 0, INT32_MAX)));
  }
  return shape;
}

std::size_t stored_axis(std::int64_t axis, std::size_t rank) {
  const auto positive =
      static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
  return rank == 4 && positive < 4 ? kNchwInverse[positive] : positive;
}

std::size_t logical_axis(std::size_t axis, std::size_t rank) {
  return rank == 4 && axis < 4 ? kNchw[axis] : axis;
}

std::vector<std::int64_t> logical_dims(const std::vector<std::int32_t>& shape) {
  std::vector<std::int64_t> dims;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    dims.push_back(shape[shape.size() == 4 ? kNchwInverse[d] : d]);
  }
  return dims;
}

OnnxWeights read_weights(const OnnxGraph& graph, const std::string& values,
                         const std::string& scale, const std::string& zero_point,
                         std::int64_t axis) {
  const OnnxConstant quantised = graph.constant(values);
  const OnnxConstant scales = graph.constant(scale);
  if (quantised.type != onnx::TensorProto::INT8 && quantised.type != onnx::TensorProto::UINT8) {
    graph.fail(fmt::format("quantised constant `{}` is neither int8 nor uint8", values));
  }
  OnnxWeights weights;
  weights.dims = quantised.dims;
  weights.scales.assign(scales.values.begin(), scales.values.end());
  std::vector<double> zeros(weights.scales.size(), 0.0);
  if (!zero_point.empty()) {
    const OnnxConstant given = graph.constant(zero_point);
    if (given.type != onnx::TensorProto::INT8 && given.type != onnx::TensorProto::UINT8) {
      graph.fail(fmt::format("zero point `{}` is neither int8 nor uint8", zero_point));
    }
    zeros = given.values;
  }
  std::int64_t inner = 1;
  for (std::size_t d = static_cast<std::size_t>(std::max<std::int64_t>(axis, 0)) + 1;
       d < weights.dims.size(); ++d) {
    inner *= weights.dims[d];
  }
  const std::size_t channels = weights.scales.size();
  const bool per_channel = channels > 1;
  if (channels == 0 || zeros.size() != channels ||
      (per_channel &&
       (static_cast<std::size_t>(axis) >= weights.dims.size() ||
        weights.dims[static_cast<std::size_t>(axis)] != static_cast<std::int64_t>(channels)))) {
    graph.fail(fmt::format("`{}` has {} scales and {} zero points, which do not fit its shape",
                           values, channels, zeros.size()));
  }
  for (std::size_t i = 0; i < quantised.values.size(); ++i) {
    const std::size_t channel = per_channel ? i / static_cast<std::size_t>(inner) % channels : 0;
    weights.values.push_back(static_cast<std::int32_t>(quantised.values[i] - zeros[channel]));
  }
  return weights;
}

void set_kernel(GivenWeights& given, const std::vector<std::int32_t>& values,
                const std::vector<std::size_t>& order) {
  const bool narrow = std::all_of(values.begin(), values.end(),
                                  [](std::int32_t value) { return value >= -128 && value <= 127; });
  given.kernel_type = narrow ? DataType::Int8 : DataType::Int16;
  std::vector<std::uint8_t> bytes;
  for (const std::size_t at : order) {
    bytes.push_back(static_cast<std::uint8_t>(values[at]));
    if (!narrow) {
      bytes.push_back(static_cast<std::uint8_t>(values[at] >> 8));
    }
  }
  given.kernel = std::move(bytes);
}

Quantisation read_quantisation(const OnnxGraph& graph, const std::string& scale,
                               const std::string& zero_point) {
  const OnnxConstant scales = graph.constant(scale);
  Quantisation quantisation;
  double zero = 0;
  bool is_signed = false;
  if (!zero_point.empty()) {
    const OnnxConstant zeros = graph.constant(zero_point);
    if (zeros.type != onnx::TensorProto::INT8 && zeros.type != onnx::TensorProto::UINT8) {
      graph.fail(fmt::format("zero point `{}` is neither int8 nor uint8", zero_point));
    }
    is_signed = zeros.type == onnx::TensorProto::INT8;
    zero = zeros.values.size() == 1 ? zeros.values[0] : 1e9;
  }
  if (scales.values.size() != 1 || zero > 255) {
    graph.fail(fmt::format("`{}`: activations need one scale and one zero point", scale));
  }
  quantisation.scales = {static_cast<float>(scales.values[0])};
  quantisation.zero_point = static_cast<std::int32_t>(zero) - (is_signed ? 0 : 128);
  return quantisation;
}

}  // namespace tessera

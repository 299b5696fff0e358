#include "scheduler/layer_kernel.hpp"

#include <cstring>

namespace tessera {
namespace {

const Tensor& tensor_of(const Network& network, std::int32_t index) {
  return network.tensors[static_cast<std::size_t>(index)];
}

Activation activation_of(const Operator& op) {
  if (const auto* conv = std::get_if<Conv2d>(&op.attributes); conv != nullptr) {
    return conv->activation;
  }
  if (const auto* depthwise = std::get_if<DepthwiseConv2d>(&op.attributes); depthwise != nullptr) {
    return depthwise->conv.activation;
  }
  if (const auto* pool = std::get_if<Pool2d>(&op.attributes); pool != nullptr) {
    return pool->activation;
  }
  return std::get<FullyConnected>(op.attributes).activation;
}

// Depthwise kernels come as HWO.
std::vector<std::uint8_t> channel_first(const Tensor& kernel) {
  const auto channels = static_cast<std::size_t>(kernel.shape[3]);
  const std::size_t taps = kernel.constant.size() / channels;
  std::vector<std::uint8_t> turned(kernel.constant.size());
  for (std::size_t k = 0; k < channels; ++k) {
    for (std::size_t tap = 0; tap < taps; ++tap) {
      turned[k * taps + tap] = kernel.constant[tap * channels + k];
    }
  }
  return turned;
}

// Sums of the bytes as they are; the factor divides them.
LayerKernel average_kernel(const ConvShape& shape) {
  const auto channels = static_cast<std::size_t>(shape.out_c);
  LayerKernel kernel;
  kernel.weights.assign(channels * static_cast<std::size_t>(shape.divisor),
                        static_cast<std::uint8_t>(kAverageWeight));
  kernel.biases.assign(channels, 0);
  kernel.factors.assign(channels, average_factor(shape.divisor).value());
  return kernel;
}

// Weights say which values count; nothing outside the picture is greater than -128.
LayerKernel maximum_kernel(const ConvShape& shape) {
  const auto channels = static_cast<std::size_t>(shape.out_c);
  LayerKernel kernel;
  kernel.weights.assign(channels * static_cast<std::size_t>(shape.kernel_h) *
                            static_cast<std::size_t>(shape.kernel_w),
                        1);
  kernel.biases.assign(channels, 0);
  kernel.factors.assign(channels, fixed_point(1.0));
  kernel.padding_value = -128;
  return kernel;
}

LayerKernel weighted_kernel(const Network& network, const Operator& op, const ConvShape& shape) {
  const Tensor& in = tensor_of(network, op.inputs[0]);
  const Tensor& weights = tensor_of(network, op.inputs[1]);
  const Tensor& out = tensor_of(network, op.output);
  const auto channels = static_cast<std::size_t>(shape.out_c);
  LayerKernel kernel;
  kernel.weights = std::holds_alternative<DepthwiseConv2d>(op.attributes) ? channel_first(weights)
                                                                          : weights.constant;
  kernel.biases.assign(channels, 0);
  if (op.inputs.size() > 2 && op.inputs[2] >= 0) {
    std::memcpy(kernel.biases.data(), tensor_of(network, op.inputs[2]).constant.data(),
                4 * channels);
  }
  if (std::holds_alternative<FullyConnected>(op.attributes)) {
    kernel.factors.assign(
        channels, fully_connected_factor(in.quantisation, weights.quantisation, out.quantisation));
  } else {
    kernel.factors =
        conv_factors(in.quantisation, weights.quantisation, out.quantisation, shape.out_c);
  }
  kernel.input_zero_point = in.quantisation.zero_point;
  kernel.padding_value = in.quantisation.zero_point;
  kernel.quant.zero_point = out.quantisation.zero_point;
  return kernel;
}

}  // namespace

LayerKernel layer_kernel(const Network& network, const Operator& op, const ConvShape& shape) {
  LayerKernel kernel = shape.divisor > 0 ? average_kernel(shape)
                       : shape.maximum   ? maximum_kernel(shape)
                                         : weighted_kernel(network, op, shape);
  const ClampRange range =
      activation_range(activation_of(op), tensor_of(network, op.output).quantisation);
  kernel.quant.low = range.low;
  kernel.quant.high = range.high;
  return kernel;
}

}  // namespace tessera

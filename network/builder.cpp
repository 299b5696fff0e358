#include "network/builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tessera {
namespace {

// Uniform int8 weights have a standard deviation of 74, features of about 50; this scale brings the
// output's to about 40, so that clamping and every bit of the range are exercised.
float weight_scale(std::int64_t summands) {
  const double deviation =
      74.0 * 50.0 * std::sqrt(static_cast<double>(std::max<std::int64_t>(summands, 1)));
  return static_cast<float>(40.0 / (1.5 * deviation));
}

}  // namespace

std::int32_t window_outputs(std::int32_t in, std::int32_t kernel, std::int32_t stride,
                            std::int32_t dilation, std::int32_t padding) {
  const std::int64_t room =
      std::int64_t{in} + padding - (std::int64_t{dilation} * (kernel - 1) + 1);
  return room < 0 || stride < 1 ? 0 : static_cast<std::int32_t>(room / stride + 1);
}

NetworkBuilder::NetworkBuilder(std::string name, std::uint64_t seed) : rng_(seed) {
  network_.name = std::move(name);
}

std::int32_t NetworkBuilder::add_tensor(Tensor tensor) {
  network_.tensors.push_back(std::move(tensor));
  return static_cast<std::int32_t>(network_.tensors.size()) - 1;
}

std::int32_t NetworkBuilder::input(const std::string& name, std::vector<std::int32_t> shape) {
  Tensor tensor;
  tensor.name = name;
  tensor.shape = std::move(shape);
  tensor.quantisation = {{1.0F / 64}, static_cast<std::int32_t>(rng_.below(33)) - 16};
  const std::int32_t index = add_tensor(std::move(tensor));
  network_.inputs.push_back(index);
  return index;
}

std::int32_t NetworkBuilder::constant_kernel(const std::string& name,
                                             std::vector<std::int32_t> shape, std::int32_t kernels,
                                             bool per_kernel, const GivenWeights& given) {
  Tensor tensor;
  tensor.name = name;
  tensor.shape = std::move(shape);
  const std::int64_t summands = tensor.elements() / std::max(kernels, 1);
  tensor.type = given.kernel_type;
  tensor.quantisation.scales = given.kernel_scales;
  for (std::int32_t i = 0; given.kernel_scales.empty() && i < (per_kernel ? kernels : 1); ++i) {
    // Between one and two times the common scale, so that channels differ.
    tensor.quantisation.scales.push_back(weight_scale(summands) *
                                         (1.0F + static_cast<float>(rng_.below(256)) / 256.0F));
  }
  if (given.kernel) {
    tensor.constant = *given.kernel;
  } else if (tensor.elements() > 0 && tensor.bytes() < (std::size_t{1} << 30)) {
    tensor.constant.resize(tensor.bytes());
    if (tensor.type == DataType::Int16) {
      draw_wide(tensor, kernels, given);
    } else {
      for (std::uint8_t& weight : tensor.constant) {
        weight = static_cast<std::uint8_t>(narrowed(rng_.int8(), given));
      }
    }
  }
  return add_tensor(std::move(tensor));
}

// With as few bits as the layer asks for, or zero.
std::int32_t NetworkBuilder::narrowed(std::int32_t weight, const GivenWeights& given) {
  const bool is_zero = given.zeros_percent != 0 && rng_.below(100) < given.zeros_percent;
  return is_zero ? 0 : weight >> (8 - given.bits);
}

// As bytes around a zero point, now and then another one from a kernel on.
void NetworkBuilder::draw_wide(Tensor& kernel, std::int32_t kernels, const GivenWeights& given) {
  const auto count = static_cast<std::size_t>(std::max(kernels, 1));
  const auto each = static_cast<std::size_t>(kernel.elements()) / count;
  const bool outputs_last = kernel.shape.front() != kernels;
  std::int32_t zero = rng_.int8();
  for (std::size_t k = 0; k < count; ++k) {
    zero = rng_.below(16) == 0 ? rng_.int8() : zero;
    for (std::size_t i = 0; i < each; ++i) {
      const std::size_t at = outputs_last ? i * count + k : k * each + i;
      const auto value = static_cast<std::uint16_t>(narrowed(rng_.int8() - zero, given));
      kernel.constant[2 * at] = static_cast<std::uint8_t>(value);
      kernel.constant[2 * at + 1] = static_cast<std::uint8_t>(value >> 8);
    }
  }
}

std::int32_t NetworkBuilder::constant_bias(const std::string& name, std::int32_t channels,
                                           const GivenWeights& given) {
  if (given.no_bias) {
    return -1;
  }
  Tensor tensor;
  tensor.name = name;
  tensor.type = DataType::Int32;
  tensor.shape = {channels};
  if (given.bias) {
    tensor.constant = *given.bias;
  } else {
    for (std::int32_t c = 0; c < channels; ++c) {
      const auto value = static_cast<std::int32_t>(rng_.below(8192)) - 4096;
      std::uint8_t bytes[4];
      std::memcpy(bytes, &value, 4);
      tensor.constant.insert(tensor.constant.end(), bytes, bytes + 4);
    }
  }
  return add_tensor(std::move(tensor));
}

std::int32_t NetworkBuilder::computed(const std::string& name, std::vector<std::int32_t> shape,
                                      Quantisation quantisation, Attributes attributes,
                                      std::vector<std::int32_t> inputs) {
  Tensor tensor;
  tensor.name = name;
  tensor.shape = std::move(shape);
  tensor.quantisation = std::move(quantisation);
  const std::int32_t output = add_tensor(std::move(tensor));
  network_.operators.push_back({name, std::move(attributes), std::move(inputs), output});
  return output;
}

// The output keeps the input's scale, so that deep networks stay in range.
Quantisation NetworkBuilder::output_quantisation(std::int32_t in, Activation activation) const {
  return {tensor(in).quantisation.scales, activation == Activation::None ? 3 : -100};
}

std::int32_t NetworkBuilder::conv2d(const std::string& name, std::int32_t in, std::int32_t outputs,
                                    std::int32_t kernel_h, std::int32_t kernel_w,
                                    const Conv2d& conv, const GivenWeights& given,
                                    std::int32_t groups) {
  const std::vector<std::int32_t> shape = tensor(in).shape;
  const std::int32_t kernel = constant_kernel(
      name + "/kernel", {outputs, kernel_h, kernel_w, shape[3] / groups}, outputs, true, given);
  const std::int32_t bias = constant_bias(name + "/bias", outputs, given);
  const std::int32_t out_h = window_outputs(shape[1], kernel_h, conv.stride_h, conv.dilation_h,
                                            conv.padding.top + conv.padding.bottom);
  const std::int32_t out_w = window_outputs(shape[2], kernel_w, conv.stride_w, conv.dilation_w,
                                            conv.padding.left + conv.padding.right);
  return computed(name, {1, out_h, out_w, outputs}, output_quantisation(in, conv.activation), conv,
                  {in, kernel, bias});
}

std::int32_t NetworkBuilder::depthwise(const std::string& name, std::int32_t in,
                                       std::int32_t kernel_h, std::int32_t kernel_w,
                                       const DepthwiseConv2d& depthwise,
                                       const GivenWeights& given) {
  const std::vector<std::int32_t> shape = tensor(in).shape;
  const std::int32_t outputs = shape[3] * depthwise.multiplier;
  const std::int32_t kernel =
      constant_kernel(name + "/kernel", {1, kernel_h, kernel_w, outputs}, outputs, true, given);
  const std::int32_t bias = constant_bias(name + "/bias", outputs, given);
  const Conv2d& conv = depthwise.conv;
  const std::int32_t out_h = window_outputs(shape[1], kernel_h, conv.stride_h, conv.dilation_h,
                                            conv.padding.top + conv.padding.bottom);
  const std::int32_t out_w = window_outputs(shape[2], kernel_w, conv.stride_w, conv.dilation_w,
                                            conv.padding.left + conv.padding.right);
  return computed(name, {1, out_h, out_w, outputs}, output_quantisation(in, conv.activation),
                  depthwise, {in, kernel, bias});
}

std::int32_t NetworkBuilder::fully_connected(const std::string& name, std::int32_t in,
                                             std::int32_t outputs, Activation activation,
                                             const GivenWeights& given, std::int32_t features) {
  const auto elements = static_cast<std::int32_t>(tensor(in).elements());
  features = std::max(features == 0 ? elements : features, 1);
  const std::int32_t kernel =
      constant_kernel(name + "/kernel", {outputs, features}, outputs, false, given);
  const std::int32_t bias = constant_bias(name + "/bias", outputs, given);
  return computed(name, {elements / features, outputs}, output_quantisation(in, activation),
                  FullyConnected{activation}, {in, kernel, bias});
}

bool NetworkBuilder::round(std::int32_t output, Rounding rounding) {
  if (network_.operators.empty() || network_.operators.back().output != output) {
    return false;
  }
  network_.operators.back().rounding = rounding;
  return true;
}

std::int32_t NetworkBuilder::pool(const std::string& name, std::int32_t in, const Pool2d& pool) {
  const std::vector<std::int32_t> shape = tensor(in).shape;
  const std::int32_t out_h = window_outputs(shape[1], pool.filter_h, pool.stride_h, 1,
                                            pool.padding.top + pool.padding.bottom);
  const std::int32_t out_w = window_outputs(shape[2], pool.filter_w, pool.stride_w, 1,
                                            pool.padding.left + pool.padding.right);
  return computed(name, {1, out_h, out_w, shape[3]}, tensor(in).quantisation, pool, {in});
}

std::int32_t NetworkBuilder::transpose_conv2d(const std::string& name, std::int32_t in,
                                              const std::vector<std::int32_t>& out_shape,
                                              std::int32_t kernel_h, std::int32_t kernel_w,
                                              const TransposeConv2d& conv,
                                              const GivenWeights& given) {
  const std::int32_t outputs = out_shape[3];
  const std::int32_t kernel = constant_kernel(
      name + "/kernel", {outputs, kernel_h, kernel_w, tensor(in).shape[3]}, outputs, true, given);
  const std::int32_t bias = constant_bias(name + "/bias", outputs, given);
  return computed(name, out_shape, output_quantisation(in, conv.activation), conv,
                  {in, kernel, bias});
}

std::int32_t NetworkBuilder::constant(const std::string& name, std::vector<std::int32_t> shape,
                                      Quantisation quantisation, std::vector<std::uint8_t> values) {
  Tensor tensor;
  tensor.name = name;
  tensor.shape = std::move(shape);
  tensor.quantisation = std::move(quantisation);
  tensor.constant = std::move(values);
  return add_tensor(std::move(tensor));
}

std::int32_t NetworkBuilder::binary(const std::string& name, std::int32_t a, std::int32_t b,
                                    const Binary& binary) {
  std::vector<std::int32_t> shape = tensor(a).shape;
  const std::vector<std::int32_t>& other = tensor(b).shape;
  if (other.size() > shape.size()) {
    shape.insert(shape.begin(), other.size() - shape.size(), 1);
  }
  for (std::size_t d = 0; d < other.size(); ++d) {
    std::int32_t& extent = shape[shape.size() - 1 - d];
    extent = std::max(extent, other[other.size() - 1 - d]);
  }
  const float scale_a = tensor(a).quantisation.scales.at(0);
  const float scale_b = tensor(b).quantisation.scales.at(0);
  const float scale = binary.kind == BinaryKind::Mul ? scale_a * scale_b * 64 : scale_a + scale_b;
  return computed(name, shape, {{scale}, binary.activation == Activation::None ? -2 : -90}, binary,
                  {a, b});
}

std::int32_t NetworkBuilder::unary(const std::string& name, std::int32_t in, const Unary& unary) {
  Quantisation quantisation = tensor(in).quantisation;
  if (unary.kind == UnaryKind::Logistic) {
    quantisation = {{1.0F / 256}, -128};
  } else if (unary.kind == UnaryKind::Tanh) {
    quantisation = {{1.0F / 128}, 0};
  } else if (quantisation.scales.empty()) {
    quantisation = {{1.0F / 64}, 0};
  }
  return computed(name, tensor(in).shape, quantisation, unary, {in});
}

std::int32_t NetworkBuilder::moved(const std::string& name, std::vector<std::int32_t> shape,
                                   Attributes attributes, std::vector<std::int32_t> inputs) {
  const Quantisation quantisation = tensor(inputs.at(0)).quantisation;
  const DataType type = tensor(inputs[0]).type;
  const std::int32_t out =
      computed(name, std::move(shape), quantisation, std::move(attributes), std::move(inputs));
  tensor(out).type = type;
  return out;
}

std::int32_t NetworkBuilder::softmax(const std::string& name, std::int32_t in) {
  return computed(name, tensor(in).shape, {{1.0F / 256}, -128}, Softmax{}, {in});
}

std::int32_t NetworkBuilder::flatten(const std::string& name, std::int32_t in) {
  return computed(name, {1, static_cast<std::int32_t>(tensor(in).elements())},
                  tensor(in).quantisation, Reshape{}, {in});
}

void drop_unread_batches(Network& network) {
  std::vector<bool> is_read(network.tensors.size(), false);
  for (const std::int32_t output : network.outputs) {
    is_read[static_cast<std::size_t>(output)] = true;
  }
  const std::string_view end = kBatches;
  for (const State& state : network.states) {
    is_read[static_cast<std::size_t>(state.output)] = true;
  }
  std::vector<Operator> kept;
  for (auto op = network.operators.rbegin(); op != network.operators.rend(); ++op) {
    const bool joins = std::holds_alternative<Concatenation>(op->attributes) &&
                       op->name.size() > end.size() &&
                       op->name.compare(op->name.size() - end.size(), end.size(), end) == 0;
    if (joins && !is_read[static_cast<std::size_t>(op->output)]) {
      continue;
    }
    for (const std::int32_t input : op->inputs) {
      if (input >= 0) {
        is_read[static_cast<std::size_t>(input)] = true;
      }
    }
    kept.push_back(std::move(*op));
  }
  network.operators.assign(std::make_move_iterator(kept.rbegin()),
                           std::make_move_iterator(kept.rend()));
}

Network NetworkBuilder::finish() {
  drop_unread_batches(network_);
  check_network(network_);
  return std::move(network_);
}

}  // namespace tessera

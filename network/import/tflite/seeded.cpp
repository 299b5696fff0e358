#include "network/import/tflite/seeded.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tessera/rng.hpp"

namespace tessera {
namespace {

// As layers of layer lists have it: outputs of a standard deviation of about 40.
float weight_scale(std::int64_t summands) {
  return static_cast<float>(
      40.0 /
      (1.5 * 74.0 * 50.0 * std::sqrt(static_cast<double>(std::max<std::int64_t>(summands, 1)))));
}

void draw_bytes(Tensor& tensor, SplitMix64& rng) {
  tensor.constant.assign(tensor.bytes(), 0);
  for (std::uint8_t& byte : tensor.constant) {
    byte = static_cast<std::uint8_t>(rng.int8());
  }
}

void seed_kernel(Tensor& kernel, std::size_t channel_axis, SplitMix64& rng) {
  kernel.type = DataType::Int8;
  const std::int64_t channels = kernel.shape.size() > channel_axis ? kernel.shape[channel_axis] : 1;
  kernel.quantisation = {{weight_scale(kernel.elements() / std::max<std::int64_t>(channels, 1))},
                         0};
  draw_bytes(kernel, rng);
}

void seed_bias(Tensor& bias, SplitMix64& rng) {
  bias.type = DataType::Int32;
  bias.quantisation = {};
  bias.constant.assign(bias.bytes(), 0);
  for (std::size_t i = 0; i < bias.constant.size(); i += 4) {
    const std::int32_t value = static_cast<std::int32_t>(rng.below(8192)) - 4096;
    std::memcpy(&bias.constant[i], &value, sizeof(value));
  }
}

}  // namespace

void seed_tensor(Tensor& tensor, std::uint64_t seed) {
  if (tensor.type != DataType::Float32) {
    return;
  }
  tensor.type = DataType::Int8;
  tensor.quantisation = {{1.0F / 64}, 0};
  if (!tensor.constant.empty()) {
    SplitMix64 rng(seed + static_cast<std::uint64_t>(tensor.elements()));
    draw_bytes(tensor, rng);
  }
}

void seed_operator(Network& network, const Operator& op, std::uint64_t seed) {
  SplitMix64 rng(seed + static_cast<std::uint64_t>(op.output));
  const auto tensor = [&](std::size_t i) -> Tensor* {
    return i < op.inputs.size() && op.inputs[i] >= 0
               ? &network.tensors[static_cast<std::size_t>(op.inputs[i])]
               : nullptr;
  };
  const bool depthwise = std::holds_alternative<DepthwiseConv2d>(op.attributes);
  const bool weighted = depthwise || std::holds_alternative<Conv2d>(op.attributes) ||
                        std::holds_alternative<TransposeConv2d>(op.attributes) ||
                        std::holds_alternative<FullyConnected>(op.attributes);
  if (weighted && tensor(1) != nullptr && !tensor(1)->constant.empty()) {
    seed_kernel(*tensor(1), depthwise ? 3 : 0, rng);
  }
  if (weighted && tensor(2) != nullptr && !tensor(2)->constant.empty()) {
    seed_bias(*tensor(2), rng);
  }
  Tensor& out = network.tensors[static_cast<std::size_t>(op.output)];
  if (out.type != DataType::Int8) {
    return;
  }
  if (tensor(0) != nullptr && tensor(0)->type == DataType::Int8) {
    out.quantisation = tensor(0)->quantisation;
  }
  const auto* unary = std::get_if<Unary>(&op.attributes);
  if ((unary != nullptr && unary->kind == UnaryKind::Logistic) ||
      std::holds_alternative<Softmax>(op.attributes)) {
    out.quantisation = {{1.0F / 256}, -128};
  } else if (unary != nullptr && unary->kind == UnaryKind::Tanh) {
    out.quantisation = {{1.0F / 128}, 0};
  }
}

}  // namespace tessera

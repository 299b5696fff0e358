#include <algorithm>
#include <tuple>

#include "network/reference/reference_kernels.hpp"
#include "tessera/quantise.hpp"

namespace tessera::reference {
namespace {

std::int8_t quantised(std::int32_t acc, FixedPoint factor, std::int32_t zero_point,
                      ClampRange range, Rounding rounding) {
  const std::int32_t value = requantise(acc, factor, zero_point, rounding);
  return static_cast<std::int8_t>(std::clamp(value, range.low, range.high));
}

// sum of weight * (feature - zero_point) over n consecutive channels, modulo 2^32.
template <class Weight>
std::uint32_t dot(const std::int8_t* feature, const Weight* weight, std::int32_t n,
                  std::int32_t zero_point) {
  std::int32_t products = 0;
  std::int32_t weights = 0;
  for (std::int32_t i = 0; i < n; ++i) {
    products += std::int32_t{feature[i]} * weight[i];
    weights += weight[i];
  }
  return static_cast<std::uint32_t>(products) -
         static_cast<std::uint32_t>(zero_point) * static_cast<std::uint32_t>(weights);
}

// What ordinary and depthwise convolutions have in common.
template <class Weight>
struct Layer {
  Layer(const Conv2d& conv, const Operands& x)
      : in(x.input(0)),
        kernel(x.input(1)),
        out(x.output()),
        factors(weighted_factors(in.quantisation, kernel.quantisation, out.quantisation,
                                 out.shape[3], scale_arithmetic(x.op, kernel.quantisation))),
        range(activation_range(conv.activation, out.quantisation)),
        feature(x.data<std::int8_t>(0)),
        weights(x.data<Weight>(1)),
        bias(x.data<std::int32_t>(2)),
        rounding(x.op.rounding) {}

  [[nodiscard]] std::uint32_t start(std::int32_t k) const {
    return bias != nullptr ? static_cast<std::uint32_t>(bias[k]) : 0U;
  }
  [[nodiscard]] std::int8_t finish(std::uint32_t acc, std::int32_t k) const {
    return quantised(static_cast<std::int32_t>(acc), factors[static_cast<std::size_t>(k)],
                     out.quantisation.zero_point, range, rounding);
  }

  const Tensor& in;
  const Tensor& kernel;
  const Tensor& out;
  std::vector<FixedPoint> factors;
  ClampRange range;
  const std::int8_t* feature;
  const Weight* weights;
  const std::int32_t* bias;
  Rounding rounding;
};

template <class Weight>
void conv_of(const Conv2d& conv, const Operands& x) {
  const Layer<Weight> layer(conv, x);
  const auto& [in, kernel, out] = std::tie(layer.in, layer.kernel, layer.out);
  const std::int32_t channels = kernel.shape[3];
  const std::int32_t group_outputs = out.shape[3] / (in.shape[3] / channels);
  auto* result = x.result();

  for (std::int32_t oy = 0; oy < out.shape[1]; ++oy) {
    for (std::int32_t ox = 0; ox < out.shape[2]; ++ox) {
      for (std::int32_t k = 0; k < out.shape[3]; ++k) {
        std::uint32_t acc = layer.start(k);
        for (std::int32_t ky = 0; ky < kernel.shape[1]; ++ky) {
          const std::int32_t y = oy * conv.stride_h - conv.padding.top + ky * conv.dilation_h;
          if (y < 0 || y >= in.shape[1]) {
            continue;
          }
          for (std::int32_t kx = 0; kx < kernel.shape[2]; ++kx) {
            const std::int32_t col = ox * conv.stride_w - conv.padding.left + kx * conv.dilation_w;
            if (col < 0 || col >= in.shape[2]) {
              continue;
            }
            const std::int64_t pixel = (std::int64_t{y} * in.shape[2] + col) * in.shape[3] +
                                       std::int64_t{k / group_outputs} * channels;
            const std::int64_t tap =
                ((std::int64_t{k} * kernel.shape[1] + ky) * kernel.shape[2] + kx) * channels;
            acc += dot(layer.feature + pixel, layer.weights + tap, channels,
                       in.quantisation.zero_point);
          }
        }
        *result++ = layer.finish(acc, k);
      }
    }
  }
}

template <class Weight>
void depthwise_conv_of(const DepthwiseConv2d& depthwise, const Operands& x) {
  const Conv2d& conv = depthwise.conv;
  const Layer<Weight> layer(conv, x);
  const auto& [in, kernel, out] = std::tie(layer.in, layer.kernel, layer.out);
  const std::int32_t channels = in.shape[3];
  const std::int32_t outputs = out.shape[3];
  auto* result = x.result();

  for (std::int32_t oy = 0; oy < out.shape[1]; ++oy) {
    for (std::int32_t ox = 0; ox < out.shape[2]; ++ox) {
      for (std::int32_t k = 0; k < outputs; ++k) {
        std::uint32_t acc = layer.start(k);
        for (std::int32_t ky = 0; ky < kernel.shape[1]; ++ky) {
          const std::int32_t y = oy * conv.stride_h - conv.padding.top + ky * conv.dilation_h;
          for (std::int32_t kx = 0; kx < kernel.shape[2]; ++kx) {
            const std::int32_t col = ox * conv.stride_w - conv.padding.left + kx * conv.dilation_w;
            if (y < 0 || y >= in.shape[1] || col < 0 || col >= in.shape[2]) {
              continue;
            }
            const std::int64_t at =
                (std::int64_t{y} * in.shape[2] + col) * channels + k / depthwise.multiplier;
            const std::int64_t tap = (std::int64_t{ky} * kernel.shape[2] + kx) * outputs + k;
            acc += static_cast<std::uint32_t>(layer.weights[tap] *
                                              (layer.feature[at] - in.quantisation.zero_point));
          }
        }
        *result++ = layer.finish(acc, k);
      }
    }
  }
}

template <class Weight>
void transpose_conv_of(const TransposeConv2d& conv, const Operands& x) {
  const Layer<Weight> layer(Conv2d{1, 1, 1, 1, {}, conv.activation}, x);
  const auto& [in, kernel, out] = std::tie(layer.in, layer.kernel, layer.out);
  const std::int32_t channels = in.shape[3];
  auto* result = x.result();
  // The input row (or column) that feeds an output through a tap, or -1.
  const auto source_of = [](std::int32_t at, std::int32_t tap, std::int32_t stride,
                            std::int32_t extent) {
    const std::int32_t offset = at - tap;
    return offset >= 0 && offset % stride == 0 && offset / stride < extent ? offset / stride : -1;
  };
  for (std::int32_t oy = 0; oy < out.shape[1]; ++oy) {
    for (std::int32_t ox = 0; ox < out.shape[2]; ++ox) {
      for (std::int32_t k = 0; k < out.shape[3]; ++k) {
        std::uint32_t acc = layer.start(k);
        for (std::int32_t ky = 0; ky < kernel.shape[1]; ++ky) {
          const std::int32_t y = source_of(oy + conv.padding.top, ky, conv.stride_h, in.shape[1]);
          for (std::int32_t kx = 0; y >= 0 && kx < kernel.shape[2]; ++kx) {
            const std::int32_t col =
                source_of(ox + conv.padding.left, kx, conv.stride_w, in.shape[2]);
            if (col >= 0) {
              const std::int64_t pixel = (std::int64_t{y} * in.shape[2] + col) * channels;
              const std::int64_t tap =
                  ((std::int64_t{k} * kernel.shape[1] + ky) * kernel.shape[2] + kx) * channels;
              acc += dot(layer.feature + pixel, layer.weights + tap, channels,
                         in.quantisation.zero_point);
            }
          }
        }
        *result++ = layer.finish(acc, k);
      }
    }
  }
}

template <class Weight>
void fully_connected_of(const FullyConnected& fc, const Operands& x) {
  const Tensor& in = x.input(0);
  const Tensor& kernel = x.input(1);
  const Tensor& out = x.output();
  const std::int32_t channels = kernel.shape[1];
  const std::int32_t outputs = kernel.shape[0];
  const auto factors = weighted_factors(in.quantisation, kernel.quantisation, out.quantisation,
                                        outputs, scale_arithmetic(x.op, kernel.quantisation));
  const ClampRange range = activation_range(fc.activation, out.quantisation);
  const auto* feature = x.data<std::int8_t>(0);
  const auto* weights = x.data<Weight>(1);
  const auto* bias = x.data<std::int32_t>(2);
  auto* result = x.result();

  for (std::int64_t row = 0; row < in.elements() / channels; ++row) {
    for (std::int32_t k = 0; k < outputs; ++k) {
      auto acc = bias != nullptr ? static_cast<std::uint32_t>(bias[k]) : 0U;
      acc += dot(feature + row * channels, weights + std::int64_t{k} * channels, channels,
                 in.quantisation.zero_point);
      *result++ = quantised(static_cast<std::int32_t>(acc), factors[static_cast<std::size_t>(k)],
                            out.quantisation.zero_point, range, x.op.rounding);
    }
  }
}

bool is_wide(const Operands& x) {
  return x.input(1).type == DataType::Int16;
}

}  // namespace

void conv(const Conv2d& conv, const Operands& x) {
  is_wide(x) ? conv_of<std::int16_t>(conv, x) : conv_of<std::int8_t>(conv, x);
}

void depthwise_conv(const DepthwiseConv2d& conv, const Operands& x) {
  is_wide(x) ? depthwise_conv_of<std::int16_t>(conv, x) : depthwise_conv_of<std::int8_t>(conv, x);
}

void transpose_conv(const TransposeConv2d& conv, const Operands& x) {
  is_wide(x) ? transpose_conv_of<std::int16_t>(conv, x) : transpose_conv_of<std::int8_t>(conv, x);
}

void fully_connected(const FullyConnected& fc, const Operands& x) {
  is_wide(x) ? fully_connected_of<std::int16_t>(fc, x) : fully_connected_of<std::int8_t>(fc, x);
}

}  // namespace tessera::reference

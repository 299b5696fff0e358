// Convolutions and fully connected layers of floats, and of numbers of 32 bits. By weights of bytes
// (hybrid models) each picture, or row, is quantised while it runs, as LiteRT has it.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "network/reference/elements.hpp"
#include "network/reference/host_kernels.hpp"

namespace tessera::reference {
namespace {

struct Quantised {
  std::vector<std::int8_t> values;
  float scale = 1;
  std::int32_t zero_point = 0;
};

std::int8_t rounded(float value, float least) {
  return static_cast<std::int8_t>(std::clamp(std::round(value), least, 127.0F));
}

Quantised around_zero(const float* values, std::int64_t count) {
  Quantised q;
  q.values.resize(static_cast<std::size_t>(count));
  const auto [least, most] = std::minmax_element(values, values + count);
  const float range = std::max(std::fabs(*least), std::fabs(*most));
  if (range == 0) {
    return q;
  }
  q.scale = range / 127.0F;
  const float inverse = 127.0F / range;
  std::transform(values, values + count, q.values.begin(),
                 [&](float value) { return rounded(value * inverse, -127.0F); });
  return q;
}

Quantised with_zero_point(const float* values, std::int64_t count) {
  Quantised q;
  q.values.resize(static_cast<std::size_t>(count));
  const auto [first, last] = std::minmax_element(values, values + count);
  const double least = std::fmin(0.0, static_cast<double>(*first));
  const double most = std::fmax(0.0, static_cast<double>(*last));
  if (least == most) {
    return q;
  }
  const double scale = (most - least) / 255.0;
  // From the end that loses less.
  const double point = 128 + std::fabs(least / scale) < 127 + std::fabs(most / scale)
                           ? -128 - least / scale
                           : 127 - most / scale;
  q.zero_point = static_cast<std::int32_t>(std::round(std::clamp(point, -128.0, 127.0)));
  q.scale = static_cast<float>(scale);
  const auto inverse = static_cast<float>(1.0 / static_cast<double>(q.scale));
  std::transform(values, values + count, q.values.begin(), [&](float value) {
    return rounded(static_cast<float>(q.zero_point) + value * inverse, -128.0F);
  });
  return q;
}

/// One picture's windows, as the kernel's layout walks them.
struct Geometry {
  std::int32_t height = 1, width = 1, channels = 1;  // of the input
  std::int32_t rows = 1, cols = 1, outputs = 1;      // of the output
  std::int32_t kernel_h = 1, kernel_w = 1;
  std::int32_t stride[2] = {1, 1}, dilation[2] = {1, 1}, before[2] = {0, 0};
  bool depthwise = false;
  std::int32_t inputs = 1;  // of one group
};

Geometry geometry_of(const HostOperator& host, const Operands& x) {
  Geometry g;
  const std::vector<std::int32_t>& kernel = x.input(1).shape;
  if (host.kind == HostKind::FullyConnected) {
    g.channels = kernel[1];
    g.outputs = kernel[0];
    g.inputs = kernel[1];
    return g;
  }
  const std::vector<std::int32_t>& in = x.input(0).shape;
  const std::vector<std::int32_t>& out = x.output().shape;
  g.height = in[1];
  g.width = in[2];
  g.channels = in[3];
  g.rows = out[1];
  g.cols = out[2];
  g.outputs = out[3];
  g.kernel_h = kernel[1];
  g.kernel_w = kernel[2];
  g.depthwise = host.kind == HostKind::DepthwiseConv2d;
  g.inputs = g.depthwise ? 1 : kernel[3];
  for (std::size_t a = 0; a < 2; ++a) {
    g.stride[a] = host.integers[a];
    g.dilation[a] = host.integers[2 + a];
    g.before[a] = host.integers[4 + a];
  }
  return g;
}

// Sums of all outputs of one picture in the order of rows, columns and channels.
template <class Sum, class Value, class Weight, class Give>
void walk(const Geometry& g, const Value& value, const Weight& weight, const Give& give) {
  const std::int32_t by_group = g.outputs / (g.channels / g.inputs);
  const std::int64_t taps = std::int64_t{g.kernel_h} * g.kernel_w;
  for (std::int32_t y = 0; y < g.rows; ++y) {
    for (std::int32_t col = 0; col < g.cols; ++col) {
      for (std::int32_t o = 0; o < g.outputs; ++o) {
        Sum sum = 0;
        const std::int32_t first = o / by_group * g.inputs;
        for (std::int32_t ky = 0; ky < g.kernel_h; ++ky) {
          const std::int32_t row = y * g.stride[0] - g.before[0] + ky * g.dilation[0];
          for (std::int32_t kx = 0; kx < g.kernel_w; ++kx) {
            const std::int32_t at = col * g.stride[1] - g.before[1] + kx * g.dilation[1];
            if (row < 0 || row >= g.height || at < 0 || at >= g.width) {
              continue;
            }
            const std::int64_t pixel = (std::int64_t{row} * g.width + at) * g.channels + first;
            const std::int64_t tap = std::int64_t{ky} * g.kernel_w + kx;
            for (std::int32_t c = 0; c < g.inputs; ++c) {
              sum += value(pixel + c) *
                     weight(g.depthwise ? tap * g.outputs + o : (o * taps + tap) * g.inputs + c);
            }
          }
        }
        give((std::int64_t{y} * g.cols + col) * g.outputs + o, o, sum);
      }
    }
  }
}

// Numbers by numbers; sums wrap as those of other runtimes do.
void weighted_numbers(const Geometry& g, const Operands& x) {
  const std::int64_t in_size = std::int64_t{g.height} * g.width * g.channels;
  const std::int64_t out_size = std::int64_t{g.rows} * g.cols * g.outputs;
  for (std::int64_t p = 0; p < x.input(0).elements() / in_size; ++p) {
    walk<std::uint32_t>(
        g,
        [&](std::int64_t i) {
          return static_cast<std::uint32_t>(get<std::int32_t>(x.inputs[0], p * in_size + i));
        },
        [&](std::int64_t i) {
          return static_cast<std::uint32_t>(get<std::int32_t>(x.inputs[1], i));
        },
        [&](std::int64_t i, std::int32_t, std::uint32_t sum) {
          put(x.output_data, p * out_size + i, static_cast<std::int32_t>(sum));
        });
  }
}

}  // namespace

void host_weighted(const HostOperator& host, const Operands& x) {
  const Geometry g = geometry_of(host, x);
  if (x.input(0).type == DataType::Int32) {
    weighted_numbers(g, x);
    return;
  }
  const auto how = static_cast<DynamicBytes>(host.integers.back());
  const Tensor& kernel = x.input(1);
  const bool of_bytes = kernel.type == DataType::Int8;
  const std::vector<float>& scales = kernel.quantisation.scales;
  const auto scale_of = [&](std::int32_t o) {
    return scales.size() == 1 ? scales[0] : scales[static_cast<std::size_t>(o)];
  };
  const bool has_bias = x.inputs.size() > 2 && x.inputs[2] != nullptr;
  const float low = host.numbers.empty() ? std::numeric_limits<float>::lowest() : host.numbers[0];
  const float high = host.numbers.empty() ? std::numeric_limits<float>::max() : host.numbers[1];
  const std::int64_t in_size = std::int64_t{g.height} * g.width * g.channels;
  const std::int64_t out_size = std::int64_t{g.rows} * g.cols * g.outputs;
  const std::int64_t pictures = in_size == 0 ? 0 : x.input(0).elements() / in_size;
  std::vector<float> picture(static_cast<std::size_t>(in_size));
  for (std::int64_t p = 0; p < pictures; ++p) {
    for (std::int64_t i = 0; i < in_size; ++i) {
      picture[static_cast<std::size_t>(i)] = get<float>(x.inputs[0], p * in_size + i);
    }
    const auto give = [&](std::int64_t i, std::int32_t o, float value) {
      const float bias = has_bias ? get<float>(x.inputs[2], o) : 0.0F;
      put(x.output_data, p * out_size + i, std::clamp(value + bias, low, high));
    };
    if (of_bytes && how != DynamicBytes::None) {
      const Quantised q = how == DynamicBytes::AroundZero
                              ? around_zero(picture.data(), in_size)
                              : with_zero_point(picture.data(), in_size);
      walk<std::int32_t>(
          g, [&](std::int64_t i) { return q.values[static_cast<std::size_t>(i)] - q.zero_point; },
          [&](std::int64_t i) { return get<std::int8_t>(x.inputs[1], i); },
          [&](std::int64_t i, std::int32_t o, std::int32_t sum) {
            give(i, o, static_cast<float>(sum) * scale_of(o) * q.scale);
          });
      continue;
    }
    walk<float>(
        g, [&](std::int64_t i) { return picture[static_cast<std::size_t>(i)]; },
        [&](std::int64_t i) {
          return of_bytes ? static_cast<float>(get<std::int8_t>(x.inputs[1], i))
                          : get<float>(x.inputs[1], i);
        },
        [&](std::int64_t i, std::int32_t o, float sum) {
          give(i, o, of_bytes ? sum * scale_of(o) : sum);
        });
  }
}

}  // namespace tessera::reference

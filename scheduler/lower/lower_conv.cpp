// Convolutions and fully connected layers.
#include <algorithm>
#include <cstring>
#include <utility>

#include "scheduler/lower/lowering_parts.hpp"
#include "scheduler/lower/tiling.hpp"
#include "scheduler/lower/weight_range.hpp"

namespace tessera::lowering {
namespace {

/// Weights of any kind of convolution, by output channel, tap and channel of its group. Those wider
/// than int8 become bytes with a zero point.
struct Weights {
  const Tensor& kernel;
  std::int32_t group_channels;  ///< inputs that an output sees
  bool outputs_last;            ///< HWO instead of OHWI

  [[nodiscard]] std::uint8_t at(std::int32_t output, std::int32_t tap, std::int32_t channel) const {
    const std::int64_t outputs = outputs_last ? kernel.shape[3] : kernel.shape[0];
    const std::int64_t taps = std::int64_t{kernel.shape[1]} * kernel.shape[2];
    const std::int64_t index =
        outputs_last ? tap * outputs + output : (output * taps + tap) * group_channels + channel;
    return value(output, static_cast<std::size_t>(index));
  }
  [[nodiscard]] std::uint8_t value(std::int32_t output, std::size_t index) const {
    return kernel.type == DataType::Int8
               ? kernel.constant[index]
               : static_cast<std::uint8_t>(wide_weight(kernel, index) + zero(output));
  }
  /// The byte that stands for nothing.
  [[nodiscard]] std::int32_t zero(std::int32_t output) const {
    return zeros[static_cast<std::size_t>(output)];
  }

  std::vector<std::int32_t> zeros;  ///< by output
};

Weights weights_of(const Tensor& kernel, std::int32_t group_channels, bool outputs_last) {
  Weights weights{kernel, group_channels, outputs_last, {}};
  for (const KernelRange& range : kernel_ranges(kernel, outputs_last)) {
    weights.zeros.resize(static_cast<std::size_t>(range.end), range.zero);
  }
  return weights;
}

// The weights in the order that `make` gives them.
template <class Make>
void fill_weights(LayerKernel& kernel, Contents contents, Make make) {
  if (contents != Contents::Commands) {
    kernel.weights = make();
  }
}

struct Ends {
  const Tensor& in;
  const Tensor& kernel;
  const Tensor& out;
  const Tensor* bias;
  Activation activation;
  ScaleArithmetic arithmetic;
};

Ends ends_of(const Context& c, const Tensor& in, Activation activation) {
  const bool has_bias = c.op.inputs.size() > 2 && c.op.inputs[2] >= 0;
  return {in,         c.input(1),
          c.output(), has_bias ? &c.input(2) : nullptr,
          activation, scale_arithmetic(c.op, c.input(1).quantisation)};
}

// All but the weights, for the outputs [first, first + count).
LayerKernel frame(const Ends& ends, std::int32_t first, std::int32_t count) {
  LayerKernel kernel;
  kernel.biases.assign(static_cast<std::size_t>(count), 0);
  if (ends.bias != nullptr) {
    std::memcpy(kernel.biases.data(), ends.bias->constant.data() + std::ptrdiff_t{4} * first,
                std::size_t{4} * static_cast<std::size_t>(count));
  }
  const auto factors =
      weighted_factors(ends.in.quantisation, ends.kernel.quantisation, ends.out.quantisation,
                       ends.out.shape.back(), ends.arithmetic);
  kernel.factors.assign(factors.begin() + first, factors.begin() + first + count);
  kernel.input_zero_point = ends.in.quantisation.zero_point;
  kernel.padding_value = ends.in.quantisation.zero_point;
  kernel.quant.zero_point = ends.out.quantisation.zero_point;
  const ClampRange range = activation_range(ends.activation, ends.out.quantisation);
  kernel.quant.low = range.low;
  kernel.quant.high = range.high;
  return kernel;
}

ConvShape shape_of(const Context& c, const Conv2d& conv, const Tensor& in, const Padding& extra) {
  const Tensor& kernel = c.input(1);
  ConvShape shape = shape_between(c.op.name, in, c.output());
  shape.kernel_h = kernel.shape[1];
  shape.kernel_w = kernel.shape[2];
  shape.stride_h = conv.stride_h;
  shape.stride_w = conv.stride_w;
  shape.dilation_h = conv.dilation_h;
  shape.dilation_w = conv.dilation_w;
  shape.pad_top = conv.padding.top + extra.top;
  shape.pad_left = conv.padding.left + extra.left;
  return shape;
}

// Groups that share a pass: their kernels have zeros where another group's channels are. More of
// them fill atoms better, until the zeros outweigh that.
std::int32_t groups_at_once(std::int32_t groups, std::int32_t inputs, std::int32_t outputs,
                            const Hardware& hardware) {
  std::int32_t best = 1;
  std::uint64_t best_cost = UINT64_MAX;
  for (std::int32_t n = 1; n <= groups; ++n) {
    if (groups % n != 0) {
      continue;
    }
    const std::uint64_t cost = static_cast<std::uint64_t>(groups / n) *
                               ceil_div(u32(std::int64_t{n} * inputs), hardware.atomic_c) *
                               ceil_div(u32(std::int64_t{n} * outputs), hardware.atomic_k);
    if (cost <= best_cost) {
      best_cost = cost;
      best = n;
    }
  }
  return best;
}

struct Grouping {
  std::int32_t inputs;   ///< per group
  std::int32_t outputs;  ///< per group
};

// Outputs [first, first + shape.out_c) with zeros outside their groups.
std::vector<std::uint8_t> block_diagonal(const Weights& weights, const ConvShape& shape,
                                         const Grouping& grouping, std::int32_t first) {
  const std::int32_t taps = shape.kernel_h * shape.kernel_w;
  std::vector<std::uint8_t> result;
  for (std::int32_t k = 0; k < shape.out_c; ++k) {
    const auto per_kernel = static_cast<std::size_t>(taps) * static_cast<std::size_t>(shape.in_c);
    result.resize(result.size() + per_kernel, static_cast<std::uint8_t>(weights.zero(first + k)));
    const std::int32_t c0 = k / grouping.outputs * grouping.inputs;
    for (std::int32_t tap = 0; tap < taps; ++tap) {
      std::uint8_t* row = result.data() + (std::int64_t{k} * taps + tap) * shape.in_c + c0;
      for (std::int32_t c = 0; c < grouping.inputs; ++c) {
        row[c] = weights.at(first + k, tap, c);
      }
    }
  }
  return result;
}

Lowering grouped(const Ends& ends, const ConvShape& whole, const Weights& weights,
                 std::int32_t feature, const Hardware& hardware) {
  const std::int32_t groups = whole.in_c / weights.group_channels;
  const Grouping grouping{weights.group_channels, whole.out_c / groups};
  const std::int32_t at_once = groups_at_once(groups, grouping.inputs, grouping.outputs, hardware);
  Lowering lowering;
  for (std::int32_t g = 0; g < groups; g += at_once) {
    ArrayPass piece;
    piece.shape = whole;
    piece.shape.in_c = at_once * grouping.inputs;
    piece.shape.out_c = at_once * grouping.outputs;
    piece.feature = feature;
    piece.feature_view = packed_view(whole.in_w, whole.in_c);
    piece.feature_view.offset = u32(g * grouping.inputs);
    piece.output_view = packed_view(whole.out_w, whole.out_c);
    piece.output_view.offset = u32(g * grouping.outputs);
    const std::int32_t first = g * grouping.outputs;
    piece.first_kernel = first;
    piece.kernel = [ends, weights, grouping, first, shape = piece.shape](Contents contents) {
      LayerKernel kernel = frame(ends, first, shape.out_c);
      fill_weights(kernel, contents,
                   [&] { return block_diagonal(weights, shape, grouping, first); });
      return kernel;
    };
    // Rows without gaps are needed to find one pixel's taps beside the other's.
    if (at_once == groups) {
      piece.folded = fold_taps(piece.shape, hardware);
      piece.folded_columns = piece.folded ? fold_columns(piece.shape, hardware) : std::nullopt;
    }
    lowering.passes.push_back(std::move(piece));
  }
  return lowering;
}

std::vector<std::uint8_t> channel_first(const Weights& weights, const ConvShape& shape) {
  const std::int32_t taps = shape.kernel_h * shape.kernel_w;
  std::vector<std::uint8_t> turned;
  turned.reserve(static_cast<std::size_t>(taps) * static_cast<std::size_t>(shape.out_c));
  for (std::int32_t k = 0; k < shape.out_c; ++k) {
    for (std::int32_t tap = 0; tap < taps; ++tap) {
      turned.push_back(weights.at(k, tap, 0));
    }
  }
  return turned;
}

// A column of pixels lies in memory as a row does: sequences, which have no width, are seen as
// rows where the windows of taps, wider than high, cover their kernels in fewer steps.
void lay_down_sequence(ConvShape& shape, const Hardware& hardware) {
  if (shape.in_w != 1 || shape.out_w != 1 || shape.kernel_w != 1 || shape.pad_left != 0) {
    return;
  }
  ConvShape row = shape;
  std::swap(row.in_h, row.in_w);
  std::swap(row.out_h, row.out_w);
  std::swap(row.kernel_h, row.kernel_w);
  std::swap(row.stride_h, row.stride_w);
  std::swap(row.dilation_h, row.dilation_w);
  std::swap(row.pad_top, row.pad_left);
  if (Windows(row, hardware).chunks() < Windows(shape, hardware).chunks()) {
    shape = std::move(row);
  }
}

// Each channel has a kernel of its own, which sees nothing else.
Lowering channel_by_channel(const Ends& ends, ConvShape shape, std::int32_t feature,
                            bool outputs_last, const Hardware& hardware) {
  shape.depthwise = true;
  lay_down_sequence(shape, hardware);
  ArrayPass piece;
  piece.shape = shape;
  piece.feature = feature;
  piece.feature_view = packed_view(shape.in_w, shape.in_c);
  piece.output_view = packed_view(shape.out_w, shape.out_c);
  piece.kernel = [ends, shape, outputs_last](Contents contents) {
    LayerKernel kernel = frame(ends, 0, shape.out_c);
    fill_weights(kernel, contents,
                 [&] { return channel_first(weights_of(ends.kernel, 1, outputs_last), shape); });
    return kernel;
  };
  Lowering lowering;
  lowering.passes.push_back(std::move(piece));
  return lowering;
}

struct Source {
  std::int32_t tensor;
  Padding extra;
};

Source source_of(const Context& c, const std::optional<FoldedInput>& pad) {
  return pad ? Source{pad->feature, pad->padding} : Source{c.op.inputs[0], {}};
}

}  // namespace

Lowering conv(const Context& c, const Conv2d& conv, const std::optional<FoldedInput>& pad) {
  const Source source = source_of(c, pad);
  const Tensor& in = tensor_of(c.network, source.tensor);
  const ConvShape shape = shape_of(c, conv, in, source.extra);
  const Ends ends = ends_of(c, in, conv.activation);
  if (ends.kernel.shape[3] == 1 && shape.in_c > 1 && shape.out_c == shape.in_c) {
    return channel_by_channel(ends, shape, source.tensor, false, c.hardware);
  }
  return grouped(ends, shape, weights_of(ends.kernel, ends.kernel.shape[3], false), source.tensor,
                 c.hardware);
}

Lowering depthwise(const Context& c, const DepthwiseConv2d& depthwise,
                   const std::optional<FoldedInput>& pad) {
  const Source source = source_of(c, pad);
  const Tensor& in = tensor_of(c.network, source.tensor);
  const ConvShape shape = shape_of(c, depthwise.conv, in, source.extra);
  const Ends ends = ends_of(c, in, depthwise.conv.activation);
  // With one input channel every kernel sees all of the input; with several outputs per channel
  // there is no window for each. Both are ordinary convolutions, with groups.
  if (shape.in_c == 1 || depthwise.multiplier > 1) {
    return grouped(ends, shape, weights_of(ends.kernel, 1, true), source.tensor, c.hardware);
  }
  return channel_by_channel(ends, shape, source.tensor, true, c.hardware);
}

Lowering fully_connected(const Context& c, const FullyConnected& fc) {
  const Ends ends = ends_of(c, c.input(0), fc.activation);
  ArrayPass piece;
  ConvShape& shape = piece.shape;
  shape.name = c.op.name;
  shape.in_c = ends.kernel.shape[1];
  shape.out_c = ends.kernel.shape[0];
  shape.in_w = static_cast<std::int32_t>(ends.in.elements() / shape.in_c);
  shape.out_w = shape.in_w;
  piece.feature = c.op.inputs[0];
  piece.feature_view = packed_view(shape.in_w, shape.in_c);
  piece.output_view = packed_view(shape.out_w, shape.out_c);
  piece.kernel = [ends, outputs = shape.out_c](Contents contents) {
    LayerKernel kernel = frame(ends, 0, outputs);
    fill_weights(kernel, contents, [&] {
      const Weights weights = weights_of(ends.kernel, 0, false);
      std::vector<std::uint8_t> values(static_cast<std::size_t>(ends.kernel.elements()));
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = weights.value(static_cast<std::int32_t>(i) / ends.kernel.shape[1], i);
      }
      return values;
    });
    kernel.factors = weighted_factors(ends.in.quantisation, ends.kernel.quantisation,
                                      ends.out.quantisation, outputs, ends.arithmetic);
    return kernel;
  };
  Lowering lowering;
  lowering.passes.push_back(std::move(piece));
  return lowering;
}

namespace {

/// Outputs of a transposed convolution that lie `stride` apart have the same taps: along one axis
/// they are a convolution of stride 1 with every stride-th tap, in reverse.
struct Phase {
  std::int32_t first;    ///< output
  std::int32_t outputs;  ///< how many
  std::int32_t tap;      ///< the least
  std::int32_t taps;     ///< how many; 0: nothing but the bias
  std::int32_t pad;      ///< before the input; negative: so much of it is skipped
};

Phase phase_of(std::int32_t first, std::int32_t out, std::int32_t kernel, std::int32_t stride,
               std::int32_t cut) {
  Phase phase{};
  phase.first = first;
  phase.outputs = (out - first + stride - 1) / stride;
  phase.tap = (first + cut) % stride;
  phase.taps = phase.tap < kernel ? (kernel - phase.tap + stride - 1) / stride : 0;
  phase.pad = std::max(phase.taps, 1) - 1 - (first + cut) / stride;
  return phase;
}

std::vector<std::uint8_t> phase_weights(const Weights& weights, const ConvShape& shape,
                                        const Phase& y, const Phase& x, std::int32_t stride_h,
                                        std::int32_t stride_w) {
  std::vector<std::uint8_t> result;
  const std::int32_t kernel_w = weights.kernel.shape[2];
  const auto per_kernel = static_cast<std::size_t>(shape.kernel_h) *
                          static_cast<std::size_t>(shape.kernel_w) *
                          static_cast<std::size_t>(shape.in_c);
  for (std::int32_t k = 0; k < shape.out_c; ++k) {
    for (std::int32_t j = y.taps - 1; j >= 0; --j) {
      for (std::int32_t i = x.taps - 1; i >= 0; --i) {
        const std::int32_t tap = (y.tap + j * stride_h) * kernel_w + x.tap + i * stride_w;
        for (std::int32_t c = 0; c < shape.in_c; ++c) {
          result.push_back(weights.at(k, tap, c));
        }
      }
    }
    // No tap: one of zeros.
    result.resize((static_cast<std::size_t>(k) + 1) * per_kernel,
                  static_cast<std::uint8_t>(weights.zero(k)));
  }
  return result;
}

}  // namespace

Lowering transpose_conv(const Context& c, const TransposeConv2d& conv) {
  const Ends ends = ends_of(c, c.input(0), conv.activation);
  const Weights weights = weights_of(ends.kernel, ends.kernel.shape[3], false);
  const std::int32_t height = ends.out.shape[1];
  const std::int32_t width = ends.out.shape[2];
  Lowering lowering;
  for (std::int32_t y0 = 0; y0 < std::min(conv.stride_h, height); ++y0) {
    for (std::int32_t x0 = 0; x0 < std::min(conv.stride_w, width); ++x0) {
      const Phase y = phase_of(y0, height, ends.kernel.shape[1], conv.stride_h, conv.padding.top);
      const Phase x = phase_of(x0, width, ends.kernel.shape[2], conv.stride_w, conv.padding.left);
      ArrayPass piece;
      ConvShape& shape = piece.shape;
      shape.name = c.op.name;
      shape.in_h = ends.in.shape[1];
      shape.in_w = ends.in.shape[2];
      shape.in_c = ends.in.shape[3];
      shape.out_h = y.outputs;
      shape.out_w = x.outputs;
      shape.out_c = ends.out.shape[3];
      const bool empty = y.taps == 0 || x.taps == 0;
      shape.kernel_h = empty ? 1 : y.taps;
      shape.kernel_w = empty ? 1 : x.taps;
      shape.pad_top = y.pad;
      shape.pad_left = x.pad;
      piece.feature = c.op.inputs[0];
      piece.feature_view = packed_view(shape.in_w, shape.in_c);
      const View whole = packed_view(width, shape.out_c);
      piece.output_view.offset = static_cast<std::uint64_t>(y0) * whole.row_stride +
                                 static_cast<std::uint64_t>(x0) * whole.pixel_stride;
      piece.output_view.row_stride = whole.row_stride * static_cast<std::uint64_t>(conv.stride_h);
      piece.output_view.pixel_stride =
          whole.pixel_stride * static_cast<std::uint64_t>(conv.stride_w);
      piece.kernel = [ends, weights, y, x, shape, conv](Contents contents) {
        LayerKernel kernel = frame(ends, 0, shape.out_c);
        fill_weights(kernel, contents, [&] {
          return phase_weights(weights, shape, y, x, conv.stride_h, conv.stride_w);
        });
        return kernel;
      };
      lowering.passes.push_back(std::move(piece));
    }
  }
  return lowering;
}

}  // namespace tessera::lowering

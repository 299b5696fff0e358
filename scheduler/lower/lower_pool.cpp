// Pooling and means: depthwise convolutions with weights that are all the same.
#include <fmt/format.h>

#include <algorithm>

#include "scheduler/lower/lowering_parts.hpp"
#include "scheduler/lower/tiling.hpp"

namespace tessera::lowering {
namespace {

constexpr std::int32_t kMostAveraged = 16384;  // their weighted sum stays far inside int32

std::size_t taps_of(const ConvShape& shape) {
  return static_cast<std::size_t>(shape.kernel_h) * static_cast<std::size_t>(shape.kernel_w);
}

// Few channels are better done by one command.
void share_kernels(ConvShape& shape, const Hardware& hardware) {
  constexpr std::uint32_t kFewGroups = 4;
  const std::uint32_t group = hardware.atomic_k;
  shape.same_kernels = u32(shape.out_c) % group == 0 && u32(shape.out_c) / group >= kFewGroups;
}

LayerKernel equal_weights(const ConvShape& shape, std::int32_t weight, FixedPoint factor) {
  const auto channels = static_cast<std::size_t>(shape.out_c);
  LayerKernel kernel;
  kernel.weights[0].assign(channels * taps_of(shape), static_cast<std::uint8_t>(weight));
  kernel.biases.assign(channels, 0);
  kernel.factors.assign(channels, factor);
  return kernel;
}

void set_range(LayerKernel& kernel, const ClampRange& range) {
  kernel.quant.low = range.low;
  kernel.quant.high = range.high;
}

ConvShape shape_of(const Context& c, const Pool2d& pool) {
  ConvShape shape = shape_between(c.op.name, c.input(0), c.output());
  shape.kernel_h = pool.filter_h;
  shape.kernel_w = pool.filter_w;
  shape.stride_h = pool.stride_h;
  shape.stride_w = pool.stride_w;
  shape.pad_top = pool.padding.top;
  shape.pad_left = pool.padding.left;
  shape.depthwise = true;
  return shape;
}

Piece piece_with(const Context& c, const ConvShape& shape) {
  Piece piece;
  piece.shape = shape;
  // A single output has no stride, whatever the operator says.
  piece.shape.stride_h = shape.out_h == 1 ? 1 : shape.stride_h;
  piece.shape.stride_w = shape.out_w == 1 ? 1 : shape.stride_w;
  share_kernels(piece.shape, c.hardware);
  piece.feature = c.op.inputs[0];
  piece.feature_view = packed_view(shape.in_w, shape.in_c);
  piece.output_view =
      packed_view(c.output().shape.size() == 4 ? c.output().shape[2] : 1, shape.out_c);
  return piece;
}

// Nothing outside the picture is greater than -128; weights only say which values count.
Lowering maximum(const Context& c, const ConvShape& shape, const ClampRange& range) {
  Lowering lowering;
  Piece piece = piece_with(c, shape);
  piece.shape.maximum = true;
  piece.kernel = [shape = piece.shape, range](Contents /*contents*/) {
    LayerKernel kernel = equal_weights(shape, 1, fixed_point(1.0));
    kernel.padding_value = -128;
    set_range(kernel, range);
    return kernel;
  };
  lowering.pieces.push_back(std::move(piece));
  return lowering;
}

/// Outputs along one axis whose windows have as many rows (or columns) inside the picture.
struct Run {
  Range outputs;
  std::int32_t inside;
};

std::vector<Run> runs_of(std::int32_t out, std::int32_t in, std::int32_t kernel,
                         std::int32_t stride, std::int32_t pad) {
  std::vector<Run> runs;
  for (std::int32_t o = 0; o < out; ++o) {
    const std::int32_t first = o * stride - pad;
    const std::int32_t inside = std::min(first + kernel, in) - std::max(first, 0);
    if (!runs.empty() && runs.back().inside == inside) {
      runs.back().outputs.end = o + 1;
    } else {
      runs.push_back({{o, o + 1}, inside});
    }
  }
  return runs;
}

// Sums of the bytes as they are, those outside the picture 0; the factor divides. Windows that
// reach outside have fewer values to divide by: passes of their own.
// Unsigned values, which are 128 more, round as they do when that is added first.
Lowering average(const Context& c, const ConvShape& whole, const ClampRange& range, bool ties_up) {
  const std::int32_t base = ties_up ? -128 : 0;
  Lowering lowering;
  for (const Run& rows :
       runs_of(whole.out_h, whole.in_h, whole.kernel_h, whole.stride_h, whole.pad_top)) {
    for (const Run& cols :
         runs_of(whole.out_w, whole.in_w, whole.kernel_w, whole.stride_w, whole.pad_left)) {
      const std::int64_t count = std::int64_t{rows.inside} * cols.inside;
      if (rows.inside < 1 || cols.inside < 1) {
        return refuse("a window lies outside the picture");
      }
      if (count > kMostAveraged) {
        return refuse(fmt::format("it averages {} values, supported are {}", count, kMostAveraged));
      }
      const auto factor = average_factor(static_cast<std::int32_t>(count), ties_up ? 0 : -128);
      if (!factor) {
        return refuse(fmt::format("no requantisation averages {} values exactly", count));
      }
      ConvShape shape = whole;
      shape.out_h = rows.outputs.size();
      shape.out_w = cols.outputs.size();
      shape.pad_top -= rows.outputs.begin * whole.stride_h;
      shape.pad_left -= cols.outputs.begin * whole.stride_w;
      Piece piece = piece_with(c, shape);
      piece.output_view.offset = u32(rows.outputs.begin) * piece.output_view.row_stride +
                                 u32(cols.outputs.begin) * piece.output_view.pixel_stride;
      piece.kernel = [shape, range, base, factor = *factor](Contents /*contents*/) {
        LayerKernel kernel = equal_weights(shape, kAverageWeight, factor);
        kernel.input_zero_point = base;
        kernel.padding_value = base;
        kernel.quant.zero_point = base;
        set_range(kernel, range);
        return kernel;
      };
      lowering.pieces.push_back(std::move(piece));
    }
  }
  return lowering;
}

}  // namespace

Lowering pool(const Context& c, const Pool2d& pool) {
  const ClampRange range = activation_range(pool.activation, c.output().quantisation);
  const ConvShape shape = shape_of(c, pool);
  return pool.kind == PoolKind::Max ? maximum(c, shape, range)
                                    : average(c, shape, range, pool.ties_up);
}

namespace {

LayerKernel mean_kernel(std::vector<std::uint8_t> weights, std::int32_t channels, const Tensor& in,
                        const Tensor& out, std::int64_t count) {
  LayerKernel kernel;
  kernel.weights[0] = std::move(weights);
  kernel.biases.assign(static_cast<std::size_t>(channels), 0);
  kernel.factors.assign(static_cast<std::size_t>(channels),
                        mean_factor(in.quantisation, out.quantisation, count));
  kernel.input_zero_point = in.quantisation.zero_point;
  kernel.padding_value = in.quantisation.zero_point;
  kernel.quant.zero_point = out.quantisation.zero_point;
  set_range(kernel, {});
  return kernel;
}

}  // namespace

// Over channels: one kernel of ones. Over pixels: each channel by itself.
Lowering mean(const Context& c, const Mean& mean) {
  constexpr std::int64_t kMostPasses = 256;
  const Tensor& in = c.input(0);
  const auto [outer, count, inner] = extents_of(mean, in.shape);
  if (outer > kMostPasses && inner > 1) {
    return refuse("its shape takes too many passes");
  }
  Lowering lowering;
  for (std::int64_t o = 0; o < (inner == 1 ? 1 : outer); ++o) {
    Piece piece;
    ConvShape& shape = piece.shape;
    shape.name = c.op.name;
    if (inner == 1) {
      shape.in_w = shape.out_w = static_cast<std::int32_t>(outer);
      shape.in_c = static_cast<std::int32_t>(count);
    } else {
      const auto rows = in.shape[static_cast<std::size_t>(mean.first_axis)];
      shape.in_h = shape.kernel_h = rows;
      shape.in_w = shape.kernel_w = static_cast<std::int32_t>(count / rows);
      shape.in_c = shape.out_c = static_cast<std::int32_t>(inner);
      shape.depthwise = true;
      share_kernels(shape, c.hardware);
    }
    piece.feature = c.op.inputs[0];
    piece.feature_view = packed_view(shape.in_w, shape.in_c);
    piece.feature_view.offset = static_cast<std::uint64_t>(o * count * inner);
    piece.output_view = packed_view(shape.out_w, shape.out_c);
    piece.output_view.offset = static_cast<std::uint64_t>(o * inner);
    piece.kernel = [channels = shape.out_c, count = count, &in,
                    &out = c.output()](Contents /*contents*/) {
      std::vector<std::uint8_t> ones(static_cast<std::size_t>(count * channels), 1);
      return mean_kernel(std::move(ones), channels, in, out, count);
    };
    lowering.pieces.push_back(std::move(piece));
  }
  return lowering;
}

}  // namespace tessera::lowering

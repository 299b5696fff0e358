// Pooling and means: depthwise convolutions with weights that are all the same.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "scheduler/lower/lowering_parts.hpp"
#include "scheduler/lower/tiling.hpp"

namespace tessera::lowering {
namespace {

constexpr std::int32_t kMostAveraged = 16384;  // their weighted sum stays far inside int32

std::size_t taps_of(const ConvShape& shape) {
  return static_cast<std::size_t>(shape.kernel_h) * static_cast<std::size_t>(shape.kernel_w);
}

// Few channels are better done by one command, where one does several groups.
void share_kernels(ConvShape& shape, const Hardware& hardware) {
  const std::uint32_t few_groups = is_diagonal(shape, hardware) ? 1 : 4;
  const std::uint32_t group = hardware.atomic_k;
  // Each group is cut into the same pieces, or the order of its weights does not depend on them.
  const bool same_pieces = hardware.atomic_c % group == 0 || group % hardware.atomic_c == 0 ||
                           Windows(shape, hardware).chunks() == 1;
  shape.same_kernels =
      same_pieces && u32(shape.out_c) % group == 0 && u32(shape.out_c) / group >= few_groups;
}

LayerKernel equal_weights(const ConvShape& shape, std::int32_t weight, FixedPoint factor) {
  const auto channels = static_cast<std::size_t>(shape.out_c);
  LayerKernel kernel;
  kernel.weights.assign(channels * taps_of(shape), static_cast<std::uint8_t>(weight));
  kernel.biases.assign(channels, 0);
  kernel.factors.assign(channels, factor);
  return kernel;
}

void set_range(LayerKernel& kernel, const ClampRange& range) {
  kernel.quant.low = range.low;
  kernel.quant.high = range.high;
}

/// What a window is of.
struct Seen {
  ConvShape shape;
  /// Pixels from the begin of a row to that of the next one, where rows overlap; 0: none do.
  std::int32_t pitch = 0;
};

bool fits(ConvShape shape, const Hardware& hardware) {
  shape.depthwise = hardware.has(isa::Feature::Depthwise);
  return accelerator_problem(shape, hardware).empty();
}

ConvShape with_window(ConvShape shape, std::int32_t rows, std::int32_t cols) {
  shape.in_h = shape.kernel_h = rows;
  shape.in_w = shape.kernel_w = cols;
  return shape;
}

// The fewest pixels of rows that see each of so many pixels, the end of one row again in the next.
Seen overlapping(const ConvShape& shape, std::int32_t pixels, const Hardware& hardware) {
  constexpr std::int32_t kMostRows = 64;
  Seen seen = {with_window(shape, 1, pixels)};
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (std::int32_t rows = 2; rows <= std::min(pixels, kMostRows); ++rows) {
    for (auto cols = static_cast<std::int32_t>(ceil_div(u32(pixels), u32(rows))); cols < pixels;
         ++cols) {
      const std::int64_t taps = std::int64_t{rows} * cols;
      if (taps >= fewest) {
        break;
      }
      if ((pixels - cols) % (rows - 1) != 0) {
        continue;
      }
      const ConvShape candidate = with_window(shape, rows, cols);
      if (fits(candidate, hardware)) {
        fewest = taps;
        seen = {candidate, (pixels - cols) / (rows - 1)};
      }
    }
  }
  return seen;
}

// Pixels that follow each other are any rectangle of as many: the one with the fewest windows.
Seen seen_as(const ConvShape& shape, std::int32_t pixels, const Hardware& hardware) {
  Seen seen;
  std::uint32_t fewest = std::numeric_limits<std::uint32_t>::max();
  for (std::int32_t rows = 1; rows <= pixels; ++rows) {
    if (pixels % rows != 0) {
      continue;
    }
    const ConvShape candidate = with_window(shape, rows, pixels / rows);
    const std::uint32_t windows = Windows(candidate, hardware)[0].chunks();
    if (windows < fewest && fits(candidate, hardware)) {
      fewest = windows;
      seen.shape = candidate;
    }
  }
  const bool found = fewest < std::numeric_limits<std::uint32_t>::max();
  return found ? seen : overlapping(shape, pixels, hardware);
}

// What is seen twice counts once: weights [output][tap].
void count_once(std::vector<std::uint8_t>& weights, const Seen& seen) {
  if (seen.pitch == 0) {
    return;
  }
  const auto cols = static_cast<std::size_t>(seen.shape.kernel_w);
  const std::size_t again = cols - static_cast<std::size_t>(seen.pitch);
  const std::size_t taps = taps_of(seen.shape);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::size_t tap = i % taps;
    if (tap >= cols && tap % cols < again) {
      weights[i] = 0;
    }
  }
}

View view_of(const Seen& seen) {
  View view = packed_view(seen.shape.in_w, seen.shape.in_c);
  if (seen.pitch != 0) {
    view.row_stride = u32(seen.pitch) * view.pixel_stride;
  }
  return view;
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

ArrayPass piece_with(const Context& c, const Seen& seen) {
  const ConvShape& shape = seen.shape;
  ArrayPass piece;
  piece.own_weights = true;
  piece.shape = shape;
  // A single output has no stride, whatever the operator says.
  piece.shape.stride_h = shape.out_h == 1 ? 1 : shape.stride_h;
  piece.shape.stride_w = shape.out_w == 1 ? 1 : shape.stride_w;
  share_kernels(piece.shape, c.hardware);
  piece.feature = c.op.inputs[0];
  piece.feature_view = view_of(seen);
  piece.output_view =
      packed_view(c.output().shape.size() == 4 ? c.output().shape[2] : 1, shape.out_c);
  return piece;
}

// Nothing outside the picture is greater than -128; weights only say which values count.
Lowering maximum(const Context& c, const Seen& seen, const ClampRange& range) {
  Lowering lowering;
  ArrayPass piece = piece_with(c, seen);
  piece.shape.maximum = true;
  piece.kernel = [shape = piece.shape, range](Contents /*contents*/) {
    LayerKernel kernel = equal_weights(shape, 1, fixed_point(1.0));
    kernel.padding_value = -128;
    set_range(kernel, range);
    return kernel;
  };
  lowering.passes.push_back(std::move(piece));
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

/// How sums of a window become averages.
struct Averaging {
  std::int32_t weight;       ///< of each value
  std::int32_t input_zero;   ///< of values, those outside the picture as well
  std::int32_t output_zero;  ///< added to the average
  FixedPoint factor;
};

// Into another scale like means. Into the same one: sums of the bytes as they are, those outside
// the picture 0; the factor divides. Unsigned values, which are 128 more, round as they do when
// that is added first.
std::optional<Averaging> averaging(const Context& c, std::int32_t count, bool ties_up) {
  const Quantisation& in = c.input(0).quantisation;
  const Quantisation& out = c.output().quantisation;
  if (PoolAverage(in, out, ties_up).rescales()) {
    return Averaging{1, in.zero_point, out.zero_point, mean_factor(in, out, count)};
  }
  const auto factor = average_factor(count, ties_up ? 0 : -128);
  if (!factor) {
    return std::nullopt;
  }
  const std::int32_t base = ties_up ? -128 : 0;
  return Averaging{kAverageWeight, base, base, *factor};
}

// Windows that reach outside have fewer values to divide by: passes of their own.
Lowering average(const Context& c, const Seen& seen, const ClampRange& range, bool ties_up) {
  const ConvShape& whole = seen.shape;
  Lowering lowering;
  for (const Run& rows :
       runs_of(whole.out_h, whole.in_h, whole.kernel_h, whole.stride_h, whole.pad_top)) {
    for (const Run& cols :
         runs_of(whole.out_w, whole.in_w, whole.kernel_w, whole.stride_w, whole.pad_left)) {
      const std::int64_t count = seen.pitch != 0
                                     ? std::int64_t{rows.inside - 1} * seen.pitch + cols.inside
                                     : std::int64_t{rows.inside} * cols.inside;
      if (rows.inside < 1 || cols.inside < 1) {
        return refuse("a window lies outside the picture");
      }
      if (count > kMostAveraged) {
        return refuse(fmt::format("it averages {} values, supported are {}", count, kMostAveraged));
      }
      const auto how = averaging(c, static_cast<std::int32_t>(count), ties_up);
      if (!how) {
        return refuse(fmt::format("no requantisation averages {} values exactly", count));
      }
      Seen part = seen;
      ConvShape& shape = part.shape;
      shape.out_h = rows.outputs.size();
      shape.out_w = cols.outputs.size();
      shape.pad_top -= rows.outputs.begin * whole.stride_h;
      shape.pad_left -= cols.outputs.begin * whole.stride_w;
      ArrayPass piece = piece_with(c, part);
      piece.output_view.offset = u32(rows.outputs.begin) * piece.output_view.row_stride +
                                 u32(cols.outputs.begin) * piece.output_view.pixel_stride;
      piece.kernel = [part, range, how = *how](Contents /*contents*/) {
        LayerKernel kernel = equal_weights(part.shape, how.weight, how.factor);
        count_once(kernel.weights, part);
        kernel.input_zero_point = how.input_zero;
        kernel.padding_value = how.input_zero;
        kernel.quant.zero_point = how.output_zero;
        set_range(kernel, range);
        return kernel;
      };
      lowering.passes.push_back(std::move(piece));
    }
  }
  return lowering;
}

}  // namespace

Lowering pool(const Context& c, const Pool2d& pool) {
  const ClampRange range = activation_range(pool.activation, c.output().quantisation);
  ConvShape shape = shape_of(c, pool);
  const bool sees_all = shape.out_h == 1 && shape.out_w == 1 && shape.kernel_h == shape.in_h &&
                        shape.kernel_w == shape.in_w;
  if (sees_all) {
    shape.stride_h = shape.stride_w = 1;
  }
  const Seen seen = sees_all && !fits(shape, c.hardware)
                        ? seen_as(shape, shape.in_h * shape.in_w, c.hardware)
                        : Seen{shape};
  return pool.kind == PoolKind::Max ? maximum(c, seen, range)
                                    : average(c, seen, range, pool.ties_up);
}

namespace {

LayerKernel mean_kernel(std::vector<std::uint8_t> weights, std::int32_t channels, const Tensor& in,
                        const Tensor& out, std::int64_t count) {
  LayerKernel kernel;
  kernel.weights = std::move(weights);
  kernel.biases.assign(static_cast<std::size_t>(channels), 0);
  kernel.factors.assign(static_cast<std::size_t>(channels),
                        mean_factor(in.quantisation, out.quantisation, count));
  kernel.input_zero_point = in.quantisation.zero_point;
  kernel.padding_value = in.quantisation.zero_point;
  kernel.quant.zero_point = out.quantisation.zero_point;
  set_range(kernel, {});
  return kernel;
}

std::function<LayerKernel(Contents)> kernel_of_ones(const Seen& seen, std::int64_t count,
                                                    const Tensor& in, const Tensor& out) {
  return [=, &in, &out](Contents /*contents*/) {
    const std::int32_t channels = seen.shape.out_c;
    std::vector<std::uint8_t> ones(
        static_cast<std::size_t>(channels) *
            (seen.shape.depthwise ? taps_of(seen.shape) : static_cast<std::size_t>(count)),
        1);
    count_once(ones, seen);
    return mean_kernel(std::move(ones), channels, in, out, count);
  };
}

}  // namespace

// Over channels: one kernel of ones. Over pixels: each channel by itself.
Lowering mean(const Context& c, const Mean& mean) {
  constexpr std::int64_t kMostPasses = 256;
  const Tensor& in = c.input(0);
  const auto [outer, count, inner] = extents_of(mean, in.shape);
  ConvShape rows;
  rows.name = c.op.name;
  rows.in_h = rows.out_h = static_cast<std::int32_t>(outer);
  rows.in_w = rows.kernel_w = static_cast<std::int32_t>(count);
  rows.in_c = rows.out_c = static_cast<std::int32_t>(inner);
  rows.depthwise = true;
  const bool as_rows = outer > 1 && inner > 1 && inner == last_extent(in) &&
                       accelerator_problem(rows, c.hardware).empty();
  const bool at_once = inner == 1 || as_rows;
  if (outer > kMostPasses && !at_once) {
    return refuse("its shape takes too many passes");
  }
  Lowering lowering;
  for (std::int64_t o = 0; o < (at_once ? 1 : outer); ++o) {
    ArrayPass piece;
    Seen seen;
    ConvShape& shape = seen.shape;
    shape.name = c.op.name;
    if (as_rows) {
      shape = rows;
      share_kernels(shape, c.hardware);
    } else if (inner == 1) {
      shape.in_w = shape.out_w = static_cast<std::int32_t>(outer);
      shape.in_c = static_cast<std::int32_t>(count);
    } else {
      const auto channels = static_cast<std::int32_t>(last_extent(in));
      const std::int64_t columns = inner / channels;
      shape.in_c = shape.out_c = channels;
      shape.depthwise = true;
      if (columns > 1) {
        // Each column by itself: its rows are the window.
        shape.in_h = shape.kernel_h = static_cast<std::int32_t>(count);
        shape.in_w = shape.out_w = static_cast<std::int32_t>(columns);
      } else {
        seen = seen_as(shape, static_cast<std::int32_t>(count), c.hardware);
      }
      share_kernels(shape, c.hardware);
    }
    piece.own_weights = true;
    piece.shape = shape;
    piece.feature = c.op.inputs[0];
    piece.feature_view = view_of(seen);
    piece.feature_view.offset = static_cast<std::uint64_t>(o * count * inner);
    piece.output_view = packed_view(shape.out_w, shape.out_c);
    piece.output_view.offset = static_cast<std::uint64_t>(o * inner);
    piece.kernel = kernel_of_ones(seen, count, in, c.output());
    lowering.passes.push_back(std::move(piece));
  }
  return lowering;
}

// Rows, columns or both of an image whose dimensions come in another order: the sums are the same,
// and are written in that order.
Lowering transposed_mean(const Context& c, const Mean& mean, const FoldedInput& input) {
  const Tensor& image = tensor_of(c.network, input.feature);
  const auto is_reduced = [&](std::size_t place) {
    const auto axis = static_cast<std::int32_t>(place);
    return axis >= mean.first_axis && axis < mean.first_axis + mean.axes;
  };
  // Strides in the output, by the image's dimension; 0: reduced.
  std::array<std::uint64_t, 4> strides{};
  std::uint64_t stride = 1;
  for (std::size_t place = 4; place-- > 0;) {
    const auto from = static_cast<std::size_t>(input.order[place]);
    if (!is_reduced(place)) {
      strides[from] = stride;
      stride *= static_cast<std::uint64_t>(image.shape[from]);
    }
  }
  const bool reduces_rows = strides[1] == 0;
  const bool reduces_cols = strides[2] == 0;
  if (image.shape[0] != 1 || strides[3] == 0 || !(reduces_rows || reduces_cols)) {
    return refuse("its transposition is not part of it");
  }
  ArrayPass piece;
  piece.own_weights = true;
  ConvShape& shape = piece.shape;
  shape.name = c.op.name;
  shape.in_h = image.shape[1];
  shape.in_w = image.shape[2];
  shape.in_c = shape.out_c = image.shape[3];
  shape.kernel_h = reduces_rows ? shape.in_h : 1;
  shape.kernel_w = reduces_cols ? shape.in_w : 1;
  shape.out_h = reduces_rows ? 1 : shape.in_h;
  shape.out_w = reduces_cols ? 1 : shape.in_w;
  shape.depthwise = true;
  share_kernels(shape, c.hardware);
  piece.feature = input.feature;
  piece.feature_view = packed_view(shape.in_w, shape.in_c);
  piece.output_view = reduces_rows && reduces_cols ? packed_view(1, shape.out_c)
                                                   : View{0, strides[1], strides[2], strides[3]};
  piece.kernel =
      kernel_of_ones({shape}, std::int64_t{shape.kernel_h} * shape.kernel_w, image, c.output());
  Lowering lowering;
  lowering.passes.push_back(std::move(piece));
  return lowering;
}

}  // namespace tessera::lowering

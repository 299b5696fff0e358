// Operators that move values: the array passes them on, loads and stores place them.
#include <fmt/format.h>

#include <algorithm>

#include "scheduler/lower/loop_nest.hpp"
#include "scheduler/lower/lowering_parts.hpp"
#include "scheduler/lower/tiling.hpp"
#include "tessera/reference.hpp"

namespace tessera::lowering {
namespace {

constexpr std::size_t kMostPieces = 256;
constexpr const char* kTooMany = "its shape takes too many passes";

/// A tensor's shape as height, width and channels; more than three extents above 1 do not fit.
struct Hwc {
  std::int32_t h = 1, w = 1, c = 1;
};

std::optional<Hwc> hwc_of(const std::vector<std::int32_t>& shape) {
  Hwc hwc;
  const std::size_t rank = shape.size();
  for (std::size_t d = 0; d + 3 < rank; ++d) {
    if (shape[d] != 1) {
      return std::nullopt;
    }
  }
  hwc.c = rank > 0 ? shape[rank - 1] : 1;
  hwc.w = rank > 1 ? shape[rank - 2] : 1;
  hwc.h = rank > 2 ? shape[rank - 3] : 1;
  return hwc;
}

// Elements from `in_offset` of a tensor to `out_offset` of another.
bool add_pieces(Lowering& lowering, const Context& c, std::int32_t feature,
                const std::vector<Axis>& axes, std::int64_t in_offset, std::int64_t out_offset) {
  const auto nests = loop_nests(axes, c.hardware);
  if (!nests || lowering.passes.size() + nests->size() > kMostPieces) {
    return false;
  }
  for (const LoopNest& nest : *nests) {
    ArrayPass piece = piece_of(nest, feature, c.op.name);
    piece.feature_view.offset += static_cast<std::uint64_t>(in_offset);
    piece.output_view.offset += static_cast<std::uint64_t>(out_offset);
    lowering.passes.push_back(std::move(piece));
  }
  return true;
}

}  // namespace

LayerKernel identity_kernel(std::int32_t channels) {
  LayerKernel kernel;
  kernel.weights.assign(static_cast<std::size_t>(channels), 1);
  kernel.biases.assign(static_cast<std::size_t>(channels), 0);
  kernel.factors.assign(static_cast<std::size_t>(channels), fixed_point(1.0));
  kernel.quant.low = -128;
  kernel.quant.high = 127;
  return kernel;
}

LayerKernel rescaling_kernel(std::int32_t channels, const Quantisation& in,
                             const Quantisation& out) {
  LayerKernel kernel = identity_kernel(channels);
  kernel.factors.assign(static_cast<std::size_t>(channels), rescale_factor(in, out));
  kernel.input_zero_point = in.zero_point;
  kernel.quant.zero_point = out.zero_point;
  return kernel;
}

// A picture read with padding around it; the padding of channels are pictures of nothing else.
Lowering pad(const Context& c, const Pad& pad) {
  const auto in = hwc_of(c.input(0).shape);
  const auto out = hwc_of(c.output().shape);
  if (!in || !out) {
    return refuse("it has more than height, width and channels");
  }
  const std::size_t rank = pad.before.size();
  const auto before = [&](std::size_t from_end) {
    return rank > from_end ? pad.before[rank - 1 - from_end] : 0;
  };
  const std::int32_t zero_point = c.input(0).quantisation.zero_point;
  Lowering lowering;
  const auto add = [&](std::int32_t from, std::int32_t channels, std::int32_t to, bool blank) {
    ArrayPass piece;
    ConvShape& shape = piece.shape;
    shape.name = c.op.name;
    shape.in_h = in->h;
    shape.in_w = in->w;
    shape.in_c = channels;
    shape.out_h = out->h;
    shape.out_w = out->w;
    shape.out_c = channels;
    // Above the picture there is nothing but padding.
    shape.pad_top = blank ? out->h : before(2);
    shape.pad_left = blank ? 0 : before(1);
    shape.depthwise = true;
    piece.feature = c.op.inputs[0];
    piece.feature_view = packed_view(in->w, in->c);
    piece.feature_view.offset = u32(from);
    piece.output_view = packed_view(out->w, out->c);
    piece.output_view.offset = u32(to);
    piece.own_weights = true;
    piece.kernel = [channels, zero_point](Contents /*contents*/) {
      LayerKernel kernel = identity_kernel(channels);
      kernel.padding_value = zero_point;
      return kernel;
    };
    lowering.passes.push_back(std::move(piece));
  };
  const std::int32_t first = before(0);
  add(0, in->c, first, false);
  for (std::int32_t at = 0; at < out->c;) {
    if (at == first) {
      at += in->c;
      continue;
    }
    const std::int32_t end = at < first ? first : out->c;
    const std::int32_t channels = std::min(in->c, end - at);
    add(0, channels, at, true);
    at += channels;
    if (lowering.passes.size() > kMostPieces) {
      return refuse(kTooMany);
    }
  }
  return lowering;
}

namespace {

constexpr std::int64_t kMostConstantRows = 64;  // each is a pass

// A constant, such as a class token, row by row of its last dimension: kernels of zeros, whose
// biases are its values. `reads`: any tensor, of which one byte is read.
bool add_constant(Lowering& lowering, const Context& c, const Tensor& in, std::int32_t reads,
                  std::int64_t out_offset) {
  const std::int32_t channels = in.shape.back();
  const std::int64_t rows = in.elements() / channels;
  const auto out_strides = row_major_strides(c.output().shape);
  if (rows > kMostConstantRows) {
    return false;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t at = out_offset;
    std::int64_t left = row;
    for (std::size_t d = in.shape.size() - 1; d-- > 0;) {
      at += left % in.shape[d] * out_strides[d];
      left /= in.shape[d];
    }
    ArrayPass piece;
    piece.shape.name = c.op.name;
    piece.shape.out_c = channels;
    piece.feature = reads;
    piece.output_view.offset = static_cast<std::uint64_t>(at);
    piece.own_weights = piece.of_constants = true;
    piece.kernel = [channels, row, &in, &to = c.output().quantisation](Contents /*contents*/) {
      LayerKernel kernel = rescaling_kernel(channels, in.quantisation, to);
      kernel.weights.assign(static_cast<std::size_t>(channels), 0);
      for (std::int32_t k = 0; k < channels; ++k) {
        const auto value =
            static_cast<std::int8_t>(in.constant[static_cast<std::size_t>(row * channels + k)]);
        kernel.biases[static_cast<std::size_t>(k)] =
            static_cast<std::uint32_t>(value - in.quantisation.zero_point);
      }
      return kernel;
    };
    lowering.passes.push_back(std::move(piece));
  }
  return true;
}

}  // namespace

Lowering concatenation(const Context& c, const Concatenation& concat) {
  const auto computed = std::find_if(c.op.inputs.begin(), c.op.inputs.end(), [&](std::int32_t i) {
    return tensor_of(c.network, i).constant.empty();
  });
  if (computed == c.op.inputs.end()) {
    return refuse("all of its inputs are constants");
  }
  const Tensor& out = c.output();
  const auto out_strides = row_major_strides(out.shape);
  const auto axis = static_cast<std::size_t>(concat.axis);
  std::int64_t offset = 0;
  Lowering lowering;
  for (std::size_t i = 0; i < c.op.inputs.size(); ++i) {
    const Tensor& in = c.input(i);
    if (!in.constant.empty()) {
      if (!add_constant(lowering, c, in, *computed, offset * out_strides[axis])) {
        return refuse(
            fmt::format("one of its inputs is a constant of more than {} rows", kMostConstantRows));
      }
      offset += in.shape[axis];
      continue;
    }
    const auto in_strides = row_major_strides(in.shape);
    std::vector<Axis> axes;
    axes.reserve(in.shape.size());
    for (std::size_t d = 0; d < in.shape.size(); ++d) {
      axes.push_back({in.shape[d], in_strides[d], in_strides[d], out_strides[d]});
    }
    const std::size_t before = lowering.passes.size();
    if (!add_pieces(lowering, c, c.op.inputs[i], axes, 0, offset * out_strides[axis])) {
      return refuse(kTooMany);
    }
    for (std::size_t p = before; p < lowering.passes.size(); ++p) {
      ArrayPass& piece = lowering.passes[p];
      piece.own_weights = true;
      piece.kernel = [channels = piece.shape.out_c, &from = in.quantisation,
                      &to = out.quantisation](Contents /*contents*/) {
        return rescaling_kernel(channels, from, to);
      };
    }
    offset += in.shape[axis];
  }
  return lowering;
}

namespace {

bool writes_state(const Context& c) {
  return std::any_of(c.network.states.begin(), c.network.states.end(),
                     [&](const State& state) { return state.output == c.op.output; });
}

// A state may lie in what it is sliced from.
Lowering slide(const Context& c, std::int64_t offset) {
  Lowering lowering;
  for (const LoopNest& nest : rising_nests(c.output().elements(), c.hardware)) {
    ArrayPass piece = piece_of(nest, c.op.inputs[0], c.op.name);
    piece.feature_view.offset += static_cast<std::uint64_t>(offset);
    lowering.passes.push_back(std::move(piece));
  }
  return lowering.passes.size() > kMostPieces ? refuse(kTooMany) : lowering;
}

}  // namespace

Lowering strided_slice(const Context& c, const StridedSlice& slice) {
  const auto in_strides = row_major_strides(c.input(0).shape);
  const auto out_strides = row_major_strides(c.output().shape);
  std::vector<Axis> axes;
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < in_strides.size(); ++d) {
    const std::int64_t stride = in_strides[d] * slice.stride[d];
    axes.push_back({c.output().shape[d], stride, stride, out_strides[d]});
    offset += slice.begin[d] * in_strides[d];
  }
  const bool is_whole = std::all_of(axes.begin(), axes.end(), [](const Axis& axis) {
    return axis.extent == 1 || axis.in == axis.out;
  });
  if (is_whole && writes_state(c)) {
    return slide(c, offset);
  }
  Lowering lowering;
  if (!add_pieces(lowering, c, c.op.inputs[0], axes, offset, 0)) {
    return refuse(kTooMany);
  }
  return lowering;
}

namespace {

/// What becomes the innermost dimension, what was that, and all others.
struct Turn {
  Axis kernels, pixels;
  std::vector<Axis> others;
  std::int32_t pixels_at_once = 1;
  std::uint64_t passes = 0;
  std::uint64_t cycles = UINT64_MAX;  ///< about
};

// About: until the first byte of a pass is there.
constexpr std::uint64_t kPassCycles = 100;

// A byte that is stored alone takes a beat.
std::uint64_t cycles_byte_by_byte(std::int64_t bytes, const Hardware& hardware) {
  const double each = std::max(1.3, 0.1 + hardware.bus_bytes / 8.0);
  return kPassCycles + static_cast<std::uint64_t>(each * static_cast<double>(bytes));
}

// With so many rows of the unit matrix in a pass.
void consider(std::int64_t rows, const Hardware& hardware, Turn& best) {
  const auto count = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  std::uint64_t passes = ceil_div(count(best.pixels.extent), count(rows));
  for (const Axis& axis : best.others) {
    passes *= count(axis.extent);
  }
  // The bus brings the unit matrix, too.
  const std::uint64_t bus = std::min(hardware.bus_bytes, 8U);
  const std::uint64_t moved = count(rows * rows + 2 * rows * best.kernels.extent) / bus;
  const std::uint64_t tiles = ceil_div(count(rows), hardware.atomic_c) *
                              ceil_div(count(best.kernels.extent), hardware.atomic_k);
  const std::uint64_t worked = tiles * std::max(count(rows), hardware.atomic_k + std::uint64_t{1});
  const std::uint64_t cycles = passes * (kPassCycles + std::max(moved, worked));
  if (cycles < best.cycles) {
    best.pixels_at_once = static_cast<std::int32_t>(rows);
    best.passes = passes;
    best.cycles = cycles;
  }
}

std::optional<Turn> turn_of(const std::vector<Axis>& all, const Hardware& hardware) {
  constexpr std::uint64_t kFewMacs = 64;  // smaller arrays take longer than single bytes do
  constexpr std::uint32_t kMostAtoms = 8;
  Turn turn;
  for (const Axis& axis : merged_axes(all)) {
    if (axis.in == 1 && axis.out == 1) {
      return std::nullopt;
    }
    (axis.in == 1 ? turn.pixels : axis.out == 1 ? turn.kernels : turn.others.emplace_back()) = axis;
  }
  if (hardware.macs_per_cycle() < kFewMacs) {
    return std::nullopt;
  }
  for (std::uint32_t atoms = 1; atoms <= kMostAtoms; ++atoms) {
    consider(std::min<std::int64_t>(turn.pixels.extent, std::int64_t{atoms} * hardware.atomic_c),
             hardware, turn);
  }
  return turn;
}

// A matrix as weights times a unit matrix: bytes that lie apart come out side by side.
void add_turned(Lowering& lowering, const Context& c, const Turn& turn, std::int64_t in,
                std::int64_t out) {
  for (std::int32_t at = 0; at < turn.pixels.extent; at += turn.pixels_at_once) {
    const auto pixels = static_cast<std::int32_t>(
        std::min<std::int64_t>(turn.pixels_at_once, turn.pixels.extent - at));
    ArrayPass pass;
    pass.shape.name = c.op.name;
    pass.shape.in_w = pass.shape.out_w = pass.shape.in_c = pixels;
    pass.shape.out_c = static_cast<std::int32_t>(turn.kernels.extent);
    pass.constant.assign(std::size_t{u32(pixels)} * u32(pixels), 0);
    for (std::size_t i = 0; i < u32(pixels); ++i) {
      pass.constant[i * (u32(pixels) + 1)] = 1;
    }
    pass.feature_view = packed_view(pixels, pixels);
    const auto bytes = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    pass.weights = ComputedWeights{
        c.op.inputs[0],
        {bytes(in + at), bytes(turn.kernels.in * turn.kernels.extent), bytes(turn.kernels.in), 1},
        0};
    pass.output_view = {bytes(out + at * turn.pixels.out), bytes(pixels * turn.pixels.out),
                        bytes(turn.pixels.out), 1};
    pass.kernel = [outputs = pass.shape.out_c](Contents /*contents*/) {
      LayerKernel kernel = identity_kernel(outputs);
      kernel.weights.clear();
      return kernel;
    };
    lowering.passes.push_back(std::move(pass));
  }
}

Lowering turned(const Context& c, const Turn& turn) {
  std::vector<std::pair<std::int64_t, std::int64_t>> starts = {{0, 0}};
  for (const Axis& axis : turn.others) {
    std::vector<std::pair<std::int64_t, std::int64_t>> finer;
    for (const auto& [in, out] : starts) {
      for (std::int64_t i = 0; i < axis.extent; ++i) {
        finer.emplace_back(in + i * axis.in, out + i * axis.out);
      }
    }
    starts = std::move(finer);
  }
  Lowering lowering;
  for (const auto& [in, out] : starts) {
    add_turned(lowering, c, turn, in, out);
  }
  return lowering;
}

}  // namespace

// In the input's order, so that atoms are read whole; the stores put each byte where it belongs,
// unless a product with a unit matrix is faster.
Lowering transpose(const Context& c, const Transpose& transpose) {
  const auto in_strides = row_major_strides(c.input(0).shape);
  const auto out_strides = row_major_strides(c.output().shape);
  std::vector<Axis> axes(in_strides.size());
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const auto from = static_cast<std::size_t>(transpose.order[d]);
    axes[from] = {c.output().shape[d], in_strides[from], in_strides[from], out_strides[d]};
  }
  if (const auto turn = turn_of(axes, c.hardware);
      turn && turn->passes <= kMostPieces &&
      turn->cycles < cycles_byte_by_byte(c.output().elements(), c.hardware)) {
    return turned(c, *turn);
  }
  Lowering lowering;
  if (!add_pieces(lowering, c, c.op.inputs[0], axes, 0, 0)) {
    return refuse(kTooMany);
  }
  return lowering;
}

namespace {

/// Outputs first, first + step, ... that come from inputs source, source + source_step, ...
struct Progression {
  std::int32_t first, step, count;
  std::int32_t source, source_step;
};

// Outputs along one axis, with the input of each. Inputs repeat with a period.
std::vector<Progression> progressions(const std::vector<std::int32_t>& sources) {
  const auto out = static_cast<std::int32_t>(sources.size());
  const auto at = [&](std::int32_t i) { return sources[static_cast<std::size_t>(i)]; };
  for (std::int32_t period = 1; period <= out; ++period) {
    std::vector<Progression> result;
    bool fits = true;
    for (std::int32_t first = 0; fits && first < period; ++first) {
      Progression p{first, period, (out - first + period - 1) / period, at(first), 0};
      p.source_step = p.count > 1 ? at(first + period) - at(first) : 0;
      for (std::int32_t i = 0; fits && i < p.count; ++i) {
        fits = at(first + i * period) == p.source + i * p.source_step;
      }
      result.push_back(p);
    }
    if (fits) {
      return result;
    }
  }
  return {};
}

std::vector<std::int32_t> sources_of(const ResizeNearest& resize, std::int32_t in,
                                     std::int32_t out) {
  std::vector<std::int32_t> sources;
  sources.reserve(u32(out));
  for (std::int32_t i = 0; i < out; ++i) {
    sources.push_back(nearest_source(resize, i, in, out));
  }
  return sources;
}

}  // namespace

Lowering resize_nearest(const Context& c, const ResizeNearest& resize) {
  const std::vector<std::int32_t>& in = c.input(0).shape;
  const std::vector<std::int32_t>& out = c.output().shape;
  const std::int64_t in_row = std::int64_t{in[2]} * in[3];
  const std::int64_t out_row = std::int64_t{out[2]} * out[3];
  Lowering lowering;
  for (const Progression& y : progressions(sources_of(resize, in[1], out[1]))) {
    for (const Progression& x : progressions(sources_of(resize, in[2], out[2]))) {
      const std::int64_t y_stride = y.source_step * in_row;
      const std::int64_t x_stride = std::int64_t{x.source_step} * in[3];
      const std::vector<Axis> axes = {{y.count, y_stride, y_stride, y.step * out_row},
                                      {x.count, x_stride, x_stride, std::int64_t{x.step} * out[3]},
                                      {in[3], 1, 1, 1}};
      if (!add_pieces(lowering, c, c.op.inputs[0], axes,
                      y.source * in_row + std::int64_t{x.source} * in[3],
                      y.first * out_row + std::int64_t{x.first} * out[3])) {
        return refuse(kTooMany);
      }
    }
  }
  return lowering;
}

}  // namespace tessera::lowering

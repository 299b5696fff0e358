// Depthwise passes on arrays without a depthwise window.

#include <algorithm>
#include <limits>

#include "scheduler/lower/lowering_parts.hpp"
#include "scheduler/lower/tiling.hpp"

namespace tessera::lowering {
namespace {

// More channels in a pass fill atoms better, until the zeros outweigh that.
std::int32_t channels_at_once(std::int32_t channels, const Hardware& hardware) {
  std::int32_t best = 1;
  std::uint64_t best_cost = std::numeric_limits<std::uint64_t>::max();
  const auto most = static_cast<std::int32_t>(std::max(hardware.atomic_c, hardware.atomic_k));
  for (std::int32_t n = 1; n <= std::min(channels, most); ++n) {
    const auto cost_of = [&](std::int32_t count) {
      return ceil_div(u32(count), hardware.atomic_c) * ceil_div(u32(count), hardware.atomic_k);
    };
    const std::uint64_t cost = u32(channels / n) * cost_of(n) + cost_of(channels % n);
    if (cost <= best_cost) {
      best_cost = cost;
      best = n;
    }
  }
  return best;
}

// Kernels [output][tap] become [output][tap][channel].
std::vector<std::uint8_t> diagonal(const std::vector<std::uint8_t>& weights, std::size_t channels,
                                   std::uint8_t zero) {
  const std::size_t taps = weights.size() / channels;
  std::vector<std::uint8_t> result(weights.size() * channels, zero);
  for (std::size_t k = 0; k < channels; ++k) {
    for (std::size_t tap = 0; tap < taps; ++tap) {
      result[(k * taps + tap) * channels + k] = weights[k * taps + tap];
    }
  }
  return result;
}

ArrayPass channels_of(const ArrayPass& whole, std::int32_t begin, std::int32_t end) {
  ArrayPass part = whole;
  ConvShape& shape = part.shape;
  shape.in_c = shape.out_c = end - begin;
  part.first_kernel += begin;
  const auto move = [&](View& view) { view.offset += u32(begin) * view.channel_stride; };
  move(part.feature_view);
  move(part.output_view);
  if (part.operand_view) {
    move(*part.operand_view);
  }
  part.kernel = [kernel = whole.kernel, begin, end](Contents contents) {
    return some_kernels(kernel(contents), begin, end);
  };
  return part;
}

// All of them at once in a kernel group or two.
ArrayPass pass_of(const ArrayPass& whole, std::int32_t begin, std::int32_t end) {
  ArrayPass part = channels_of(whole, begin, end);
  ConvShape& shape = part.shape;
  shape.depthwise = false;
  shape.same_kernels = false;
  part.kernel = [kernel = whole.kernel, begin, end,
                 zero = static_cast<std::uint8_t>(shape.weight_zero)](Contents contents) {
    LayerKernel some = some_kernels(kernel(contents), begin, end);
    some.weights = diagonal(some.weights, static_cast<std::size_t>(end - begin), zero);
    return some;
  };
  return part;
}

// Whether a group's kernels, most of which are zeros, and a window of what they see fit the cbuf.
bool has_room(const ConvShape& shape, const Hardware& hardware) {
  const auto extent = [](std::int32_t in, std::int32_t kernel, std::int32_t dilation) {
    return std::uint64_t{u32(std::min(in, (kernel - 1) * dilation + 1))};
  };
  const std::uint64_t kernels = std::uint64_t{u32(shape.kernel_h)} * u32(shape.kernel_w) *
                                std::min(hardware.atomic_k, u32(shape.out_c));
  const std::uint64_t pixels = extent(shape.in_h, shape.kernel_h, shape.dilation_h) *
                               extent(shape.in_w, shape.kernel_w, shape.dilation_w);
  return (kernels + pixels) * diagonal_atoms(hardware) <= hardware.cbuf_atoms();
}

// Channels whose kernel groups can see their own atoms in rows that hold all of them; 0: none. The
// command set's strides and dilations step over the others' atoms.
std::int32_t channels_together(const ConvShape& shape, const Hardware& hardware) {
  constexpr std::int32_t kMostStride = 8;
  constexpr std::int32_t kMostDilation = 16;
  constexpr std::int32_t kMostCols = 32767;
  const std::uint32_t unit = std::max(hardware.atomic_c, hardware.atomic_k);
  if (unit % std::min(hardware.atomic_c, hardware.atomic_k) != 0 ||
      shape.kernel_w > kMostDilation || shape.kernel_h > kMostDilation ||
      !has_room(shape, hardware)) {
    return 0;
  }
  std::int32_t wider = kMostCols / shape.in_w;
  wider = shape.out_w == 1 ? wider : std::min(wider, kMostStride / shape.stride_w);
  wider = shape.kernel_w == 1 ? wider : std::min(wider, kMostDilation / shape.dilation_w);
  const std::uint32_t seen = diagonal_atoms(hardware) * hardware.atomic_c;
  const auto whole = static_cast<std::int32_t>(std::uint64_t{u32(wider)} * seen / unit * unit);
  return std::min(whole, kMostCols);
}

}  // namespace

LayerKernel some_kernels(LayerKernel kernel, std::int32_t begin, std::int32_t end) {
  const std::size_t each = kernel.weights.size() / kernel.biases.size();
  const auto cut = [&](auto& values, std::size_t size) {
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(size) * end, values.end());
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(size) * begin);
  };
  cut(kernel.weights, each);
  cut(kernel.biases, 1);
  cut(kernel.factors, 1);
  return kernel;
}

std::vector<ArrayPass> without_window(const std::vector<ArrayPass>& pieces,
                                      const Hardware& hardware) {
  std::vector<ArrayPass> result;
  for (const ArrayPass& piece : pieces) {
    if (!piece.shape.depthwise) {
      result.push_back(piece);
      continue;
    }
    const std::int32_t all = piece.shape.out_c;
    const std::int32_t together = channels_together(piece.shape, hardware);
    // A group's channels are all there, or nothing lies behind them in their atom.
    const auto group = static_cast<std::int32_t>(hardware.atomic_k);
    const std::int32_t whole = hardware.atomic_k > hardware.atomic_c ? all / group * group : all;
    std::int32_t begin = 0;
    if (together > group) {
      for (std::int32_t end = 0; begin < whole; begin = end) {
        end = std::min(begin + together, whole);
        ArrayPass part = channels_of(piece, begin, end);
        part.shape.same_kernels =
            piece.shape.same_kernels && hardware.atomic_k >= hardware.atomic_c;
        result.push_back(std::move(part));
      }
    }
    const std::int32_t at_once = channels_at_once(all - begin, hardware);
    for (std::int32_t end = 0; begin < all; begin = end) {
      end = std::min(begin + at_once, all);
      result.push_back(pass_of(piece, begin, end));
    }
  }
  return result;
}

}  // namespace tessera::lowering

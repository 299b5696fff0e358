#include "scheduler/lower/loop_nest.hpp"

#include <algorithm>

#include "scheduler/lower/lowering_parts.hpp"

namespace tessera {
namespace {

constexpr std::int64_t kMostNests = 256;
constexpr std::int64_t kMostChannels = 4096;
constexpr std::int64_t kMostExtent = 32767;  // CV_INPUT
constexpr std::int64_t kGoodCols = 256;      // a tile's pixels

bool adjacent(const Axis& outer, const Axis& inner) {
  return outer.in == inner.in * inner.extent && outer.operand == inner.operand * inner.extent &&
         outer.out == inner.out * inner.extent;
}

// The divisor of `extent` of at most `most` for which `better(candidate, best)`; 1 when there is
// none.
template <class Better>
std::int64_t best_divisor(std::int64_t extent, std::int64_t most, Better better) {
  std::int64_t best = 1;
  const auto consider = [&](std::int64_t d) {
    if (d <= most && better(d, best)) {
      best = d;
    }
  };
  for (std::int64_t d = 1; d * d <= extent; ++d) {
    if (extent % d == 0) {
      consider(d);
      consider(extent / d);
    }
  }
  return best;
}

// Cuts an axis into an outer one and an inner one of `inner` elements.
void cut(std::vector<Axis>& axes, std::size_t at, std::int64_t inner) {
  Axis outer = axes[at];
  outer.extent /= inner;
  outer.in *= inner;
  outer.operand *= inner;
  outer.out *= inner;
  axes[at].extent = inner;
  axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(at), outer);
}

// Lanes used by d channels, d / ceil(d / atomic), in units that compare without division: whether
// they are more than those of `best`, or as many of fewer channels.
bool fills_better(std::int64_t d, std::int64_t best, std::int64_t atomic) {
  const std::int64_t lanes = d * ((best + atomic - 1) / atomic);
  const std::int64_t best_lanes = best * ((d + atomic - 1) / atomic);
  return lanes > best_lanes || (lanes == best_lanes && d < best);
}

std::int64_t best_channels(std::int64_t extent, std::int64_t atomic) {
  return best_divisor(extent, kMostChannels, [atomic](std::int64_t d, std::int64_t best) {
    return fills_better(d, best, atomic);
  });
}

// Of elements that lie one after the other, those behind the last whole atom, where no number of
// channels divides them all without more weights than half of their bytes; 0: none are to be apart.
std::int64_t rest_behind_atoms(const std::vector<Axis>& axes, const Hardware& hardware) {
  const std::int64_t atomic = hardware.atomic_c;
  if (axes.size() != 1 || axes[0].in != 1 || axes[0].out != 1 || axes[0].extent <= atomic) {
    return 0;
  }
  const std::int64_t extent = axes[0].extent;
  return best_channels(extent, atomic) * atomic > extent / 2 ? extent % atomic : 0;
}

// Channels fill atoms as well as they can; with as few atoms as that takes, since each channel has
// weights.
void shape_channels(std::vector<Axis>& axes, const Hardware& hardware) {
  if (axes.empty() || axes.back().in != 1) {
    axes.push_back({1, 1, 1, 1});
    return;
  }
  const std::int64_t extent = axes.back().extent;
  const std::int64_t atomic = hardware.atomic_c;
  // An operand that all pixels share is loaded once when channels stay together.
  const bool is_shared =
      axes.size() >= 2 &&
      std::all_of(axes.begin(), axes.end() - 1, [](const Axis& axis) { return axis.operand == 0; });
  if (extent <= atomic || ((axes.size() >= 3 || is_shared) && extent <= kMostChannels)) {
    return;
  }
  const std::int64_t channels = best_channels(extent, atomic);
  if (channels != extent) {
    cut(axes, axes.size() - 1, channels);
  }
}

// A single axis of pixels becomes rows and columns: the tensor's own, as its other readers see
// them, or when it is long.
void shape_pixels(std::vector<Axis>& axes, std::int64_t own_cols) {
  if (axes.size() == 2 && own_cols > 1 && own_cols < axes[0].extent &&
      axes[0].extent % own_cols == 0) {
    cut(axes, 0, own_cols);
  } else if (axes.size() == 2 && axes[0].extent > kGoodCols) {
    const auto larger = [](std::int64_t d, std::int64_t best) { return d > best; };
    std::int64_t cols = best_divisor(axes[0].extent, kGoodCols, larger);
    if (cols < kGoodCols / 4) {
      cols = best_divisor(axes[0].extent, kMostExtent, larger);
    }
    if (cols != axes[0].extent) {
      cut(axes, 0, cols);
    }
  }
  // One row: the next one would lie behind it.
  while (axes.size() < 3) {
    const Axis& first = axes.front();
    axes.insert(axes.begin(), {1, first.in * first.extent, first.operand * first.extent,
                               first.out * first.extent});
  }
}

LoopNest nest_of(const std::vector<Axis>& axes, const Axis& offset) {
  const auto view = [&](std::int64_t Axis::*stride) {
    const auto bytes = [&](const Axis& axis) { return static_cast<std::uint64_t>(axis.*stride); };
    return View{bytes(offset), bytes(axes[0]), bytes(axes[1]), bytes(axes[2])};
  };
  LoopNest nest;
  nest.rows = static_cast<std::int32_t>(axes[0].extent);
  nest.cols = static_cast<std::int32_t>(axes[1].extent);
  nest.channels = static_cast<std::int32_t>(axes[2].extent);
  nest.in = view(&Axis::in);
  nest.operand = view(&Axis::operand);
  nest.out = view(&Axis::out);
  return nest;
}

}  // namespace

std::vector<Axis> merged_axes(const std::vector<Axis>& axes) {
  std::vector<Axis> result;
  for (const Axis& axis : axes) {
    if (axis.extent == 1) {
      continue;
    }
    if (!result.empty() && adjacent(result.back(), axis)) {
      const std::int64_t extent = result.back().extent * axis.extent;
      result.back() = axis;
      result.back().extent = extent;
    } else {
      result.push_back(axis);
    }
  }
  return result;
}

namespace {

// The first so many elements, and those behind them.
std::optional<std::vector<LoopNest>> in_two_parts(const Axis& whole, std::int64_t first,
                                                  const Hardware& hardware) {
  Axis front = whole;
  front.extent = first;
  Axis behind = whole;
  behind.extent -= first;
  auto nests = loop_nests({front}, hardware);
  auto more = loop_nests({behind}, hardware);
  if (!nests || !more) {
    return std::nullopt;
  }
  for (LoopNest& nest : *more) {
    nest.in.offset += static_cast<std::uint64_t>(first * whole.in);
    nest.operand.offset += static_cast<std::uint64_t>(first * whole.operand);
    nest.out.offset += static_cast<std::uint64_t>(first * whole.out);
    nests->push_back(nest);
  }
  return nests;
}

}  // namespace

std::optional<std::vector<LoopNest>> loop_nests(std::vector<Axis> axes, const Hardware& hardware) {
  const Axis own = axes.size() >= 3 ? axes[axes.size() - 2] : Axis{};
  const std::int64_t channels = axes.empty() ? 1 : axes.back().extent;
  axes = merged_axes(axes);
  if (const std::int64_t rest = rest_behind_atoms(axes, hardware); rest > 0) {
    return in_two_parts(axes[0], axes[0].extent - rest, hardware);
  }
  shape_channels(axes, hardware);
  const bool is_image = axes.size() == 2 && axes[1].extent == channels;
  // Further axes are run through here, the outermost first.
  std::vector<Axis> offsets = {{1, 0, 0, 0}};
  while (axes.size() > 3) {
    const Axis outer = axes.front();
    axes.erase(axes.begin());
    if (outer.extent * static_cast<std::int64_t>(offsets.size()) > kMostNests) {
      return std::nullopt;
    }
    std::vector<Axis> further;
    for (const Axis& offset : offsets) {
      for (std::int64_t i = 0; i < outer.extent; ++i) {
        further.push_back({1, offset.in + i * outer.in, offset.operand + i * outer.operand,
                           offset.out + i * outer.out});
      }
    }
    offsets = std::move(further);
  }
  shape_pixels(axes, is_image ? own.extent : 1);
  if (axes[0].extent > kMostExtent || axes[1].extent > kMostExtent ||
      axes[2].extent > kMostChannels) {
    return std::nullopt;
  }
  std::vector<LoopNest> nests;
  nests.reserve(offsets.size());
  for (const Axis& offset : offsets) {
    nests.push_back(nest_of(axes, offset));
  }
  return nests;
}

std::vector<LoopNest> rising_nests(std::int64_t bytes, const Hardware& hardware) {
  const auto group = static_cast<std::int64_t>(std::min(hardware.atomic_c, hardware.atomic_k));
  std::vector<LoopNest> nests;
  for (std::int64_t at = 0; at < bytes;) {
    const std::int64_t channels = std::min(group, bytes - at);
    const std::int64_t cols = std::min((bytes - at) / channels, kMostExtent);
    const View view{static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(cols * channels),
                    static_cast<std::uint64_t>(channels), 1};
    LoopNest nest;
    nest.cols = static_cast<std::int32_t>(cols);
    nest.channels = static_cast<std::int32_t>(channels);
    nest.in = nest.operand = nest.out = view;
    nests.push_back(nest);
    at += cols * channels;
  }
  return nests;
}

ArrayPass piece_of(const LoopNest& nest, std::int32_t feature, const std::string& name) {
  ArrayPass piece;
  ConvShape& shape = piece.shape;
  shape.name = name;
  shape.in_h = shape.out_h = nest.rows;
  shape.in_w = shape.out_w = nest.cols;
  shape.in_c = shape.out_c = nest.channels;
  shape.depthwise = true;
  piece.feature = feature;
  piece.feature_view = nest.in;
  piece.output_view = nest.out;
  piece.own_weights = true;
  piece.kernel = [channels = nest.channels](Contents /*contents*/) {
    return lowering::identity_kernel(channels);
  };
  return piece;
}

}  // namespace tessera

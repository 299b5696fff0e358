// Ranges of rows, columns, channels, and how they are cut.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "tessera/schedule.hpp"

namespace tessera {

/// For sizes and indices, which are never negative.
template <class Integer>
constexpr std::uint32_t u32(Integer value) {
  return static_cast<std::uint32_t>(value);
}

/// Half-open.
struct Range {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  [[nodiscard]] std::int32_t size() const { return end - begin; }
};

inline std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

/// `parts` ranges of as equal size as possible, larger ones first.
inline std::vector<Range> split_evenly(Range whole, std::uint32_t parts) {
  std::vector<Range> result;
  const auto n = static_cast<std::int32_t>(parts);
  const std::int32_t base = whole.size() / n;
  const std::int32_t extra = whole.size() % n;
  std::int32_t at = whole.begin;
  for (std::int32_t i = 0; i < n; ++i) {
    const std::int32_t size = base + (i < extra ? 1 : 0);
    result.push_back({at, at + size});
    at += size;
  }
  return result;
}

/// Input rows (or columns) inside the picture that output `out` reads; never empty.
inline Range input_range(Range out, std::int32_t in, std::int32_t kernel, std::int32_t stride,
                         std::int32_t dilation, std::int32_t pad) {
  const std::int32_t first = out.begin * stride - pad;
  const std::int32_t last = (out.end - 1) * stride - pad + (kernel - 1) * dilation;
  Range range{std::clamp(first, 0, in - 1), std::clamp(last, 0, in - 1) + 1};
  range.begin = std::min(range.begin, range.end - 1);
  return range;
}

inline Range input_rows(const ConvShape& s, Range out) {
  return input_range(out, s.in_h, s.kernel_h, s.stride_h, s.dilation_h, s.pad_top);
}
inline Range input_cols(const ConvShape& s, Range out) {
  return input_range(out, s.in_w, s.kernel_w, s.stride_w, s.dilation_w, s.pad_left);
}

inline std::uint32_t atoms_of(const ConvShape& s, const Hardware& hw) {
  return static_cast<std::uint32_t>(ceil_div(static_cast<std::uint64_t>(s.in_c), hw.atomic_c));
}
inline std::uint32_t groups_of(const ConvShape& s, const Hardware& hw) {
  return static_cast<std::uint32_t>(ceil_div(static_cast<std::uint64_t>(s.out_c), hw.atomic_k));
}
/// Cbuf atoms of an output pixel that is kept.
inline std::uint32_t output_atoms(const ConvShape& s, const Hardware& hw) {
  return static_cast<std::uint32_t>(ceil_div(static_cast<std::uint64_t>(s.out_c), hw.atomic_c));
}
/// What channel parts are cut from: atoms, or kernel groups when each channel has its own kernel.
inline std::uint32_t part_units(const ConvShape& s, const Hardware& hw) {
  return s.depthwise ? groups_of(s, hw) : atoms_of(s, hw);
}
/// Atoms with the channels of these kernel groups.
inline Range atoms_under(const ConvShape& s, const Hardware& hw, Range groups) {
  const std::int64_t end = std::min<std::int64_t>(std::int64_t{groups.end} * hw.atomic_k, s.in_c);
  return {static_cast<std::int32_t>(std::int64_t{groups.begin} * hw.atomic_k / hw.atomic_c),
          static_cast<std::int32_t>((end + hw.atomic_c - 1) / hw.atomic_c)};
}
/// Steps per pixel and weight tile of a depthwise layer: what lies in one atom and one group.
inline std::uint64_t pieces_of(const ConvShape& s, const Hardware& hw) {
  const std::uint64_t channels = u32(s.in_c);
  return ceil_div(channels, hw.atomic_c) + ceil_div(channels, hw.atomic_k) -
         ceil_div(channels, std::lcm(hw.atomic_c, hw.atomic_k));
}
/// The most atoms per pixel that a part of so many units takes, wherever it begins.
inline std::uint32_t most_part_atoms(const ConvShape& s, const Hardware& hw, std::uint32_t units) {
  if (!s.depthwise) {
    return units;
  }
  const std::uint64_t before = hw.atomic_c - std::gcd(hw.atomic_c, hw.atomic_k);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      atoms_of(s, hw), ceil_div(before + std::uint64_t{units} * hw.atomic_k, hw.atomic_c)));
}
/// Kernels of a range of kernel groups.
inline std::uint32_t kernels_of(const ConvShape& s, const Hardware& hw, Range groups) {
  const auto end = std::min<std::int64_t>(std::int64_t{groups.end} * hw.atomic_k, s.out_c);
  return static_cast<std::uint32_t>(end - std::int64_t{groups.begin} * hw.atomic_k);
}

/// Kernels whose weights are stored.
inline std::uint32_t stored_kernels(const ConvShape& s, const Hardware& hw) {
  const std::uint32_t all = u32(s.out_c);
  return s.same_kernels ? std::min(all, hw.atomic_k) : all;
}

/// Slab rows or columns that the windows of so many outputs cover.
constexpr std::uint32_t walked(std::uint32_t outputs, std::uint32_t stride, std::uint32_t window) {
  return window == 1 ? outputs : (outputs - 1) * stride + window;
}

/// How a depthwise kernel, or a phase of it, is cut into weight tiles: windows of taps.
struct WindowTiling {
  std::uint32_t window_h = 1, window_w = 1;
  std::uint32_t chunks_y = 1, chunks_x = 1;
  std::int32_t tap_y = 0, tap_x = 0;    ///< first tap
  std::int32_t taps_h = 1, taps_w = 1;  ///< taps, `step` apart
  std::int32_t step_h = 1, step_w = 1;
  bool spaced = false;  ///< the window's taps are a stride apart, each step has an output
  [[nodiscard]] std::uint32_t chunks() const { return chunks_y * chunks_x; }
  /// Steps of a weight tile for so many outputs.
  [[nodiscard]] std::uint64_t steps(const ConvShape& s, std::uint32_t rows,
                                    std::uint32_t cols) const {
    return std::uint64_t{walked_rows(s, rows)} * walked_cols(s, cols);
  }
  [[nodiscard]] std::uint32_t walked_rows(const ConvShape& s, std::uint32_t rows) const {
    return walked(rows, spaced ? 1 : u32(s.stride_h), window_h);
  }
  [[nodiscard]] std::uint32_t walked_cols(const ConvShape& s, std::uint32_t cols) const {
    return walked(cols, spaced ? 1 : u32(s.stride_w), window_w);
  }
};

/// All windows of a depthwise kernel, phase by phase. With a stride taps that are a stride apart
/// see pixels that are too: each such phase is a convolution without a stride, and their sums add
/// up.
class Windows {
 public:
  Windows(const ConvShape& s, const Hardware& hw) : s_(s), hardware_(hw.depthwise_window()) {
    // Without a window shapes are still looked at as if each tap were one.
    hardware_ = {std::max(hardware_.rows, 1U), std::max(hardware_.cols, 1U)};
    if (s.dilation_h == 1 && s.dilation_w == 1 && s.stride_h * s.stride_w > 1) {
      const std::uint64_t plain = cycles(hw);
      spaced_ = true;
      spaced_ = cycles(hw) * 10 < plain * 9;
    }
  }

  [[nodiscard]] std::uint32_t phases() const { return spaced_ ? phases_y() * phases_x() : 1; }
  [[nodiscard]] WindowTiling operator[](std::uint32_t phase) const {
    WindowTiling tiling;
    tiling.spaced = spaced_;
    tiling.step_h = spaced_ ? s_.stride_h : 1;
    tiling.step_w = spaced_ ? s_.stride_w : 1;
    tiling.tap_y = spaced_ ? static_cast<std::int32_t>(phase / phases_x()) : 0;
    tiling.tap_x = spaced_ ? static_cast<std::int32_t>(phase % phases_x()) : 0;
    tiling.taps_h = (s_.kernel_h - tiling.tap_y + tiling.step_h - 1) / tiling.step_h;
    tiling.taps_w = (s_.kernel_w - tiling.tap_x + tiling.step_w - 1) / tiling.step_w;
    cut(tiling.taps_h, s_.dilation_h, hardware_.rows, tiling.window_h, tiling.chunks_y);
    cut(tiling.taps_w, s_.dilation_w, hardware_.cols, tiling.window_w, tiling.chunks_x);
    return tiling;
  }
  /// Weight tiles of a kernel.
  [[nodiscard]] std::uint32_t chunks() const {
    return sum<std::uint32_t>([](const WindowTiling& tiling) { return tiling.chunks(); });
  }
  /// Steps of all weight tiles for so many outputs.
  [[nodiscard]] std::uint64_t steps(std::uint32_t rows, std::uint32_t cols) const {
    return sum<std::uint64_t>(
        [&](const WindowTiling& tiling) { return tiling.chunks() * tiling.steps(s_, rows, cols); });
  }

 private:
  static void cut(std::int32_t taps, std::int32_t dilation, std::uint32_t most,
                  std::uint32_t& window, std::uint32_t& chunks) {
    chunks = u32(ceil_div(u32(taps), dilation == 1 ? most : 1));
    window = u32(ceil_div(u32(taps), chunks));
  }
  [[nodiscard]] std::uint32_t phases_y() const { return u32(std::min(s_.kernel_h, s_.stride_h)); }
  [[nodiscard]] std::uint32_t phases_x() const { return u32(std::min(s_.kernel_w, s_.stride_w)); }
  template <class Sum, class Of>
  [[nodiscard]] Sum sum(Of of) const {
    Sum total = 0;
    for (std::uint32_t phase = 0; phase < phases(); ++phase) {
      total += of((*this)[phase]);
    }
    return total;
  }
  // A weight tile is at work for its steps, or until the next one has been read.
  [[nodiscard]] std::uint64_t cycles(const Hardware& hw) const {
    return sum<std::uint64_t>([&](const WindowTiling& tiling) {
      return tiling.chunks() * std::max<std::uint64_t>(
                                   tiling.steps(s_, u32(s_.out_h), u32(s_.out_w)), hw.atomic_k + 1);
    });
  }

  const ConvShape& s_;
  Hardware::Window hardware_;
  bool spaced_ = false;
};

/// Depthwise on an array without the window: each kernel group is a convolution of the atoms that
/// its channels lie in, with zeros beside the diagonal.
inline bool is_diagonal(const ConvShape& s, const Hardware& hw) {
  return s.depthwise && !hw.has(isa::Feature::Depthwise);
}
/// Atoms that such a kernel group sees of a pixel.
inline std::uint32_t diagonal_atoms(const Hardware& hw) {
  return std::max(1U, hw.atomic_k / hw.atomic_c);
}

/// Cbuf atoms of one kernel's weights for `atoms` input channel atoms.
inline std::uint64_t kernel_atoms(const ConvShape& s, const Hardware& hw, std::uint32_t atoms) {
  if (s.depthwise && !is_diagonal(s, hw)) {
    return Windows(s, hw).chunks();
  }
  return std::uint64_t{u32(s.kernel_h)} * u32(s.kernel_w) *
         (s.depthwise ? diagonal_atoms(hw) : atoms);
}

}  // namespace tessera

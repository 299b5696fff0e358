// Ranges of rows, columns, channels, and how they are cut.
#pragma once

#include <algorithm>
#include <cstdint>
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

/// How a depthwise kernel is cut into weight tiles: windows of adjacent taps.
struct WindowTiling {
  std::uint32_t window_h, window_w;
  std::uint32_t chunks_y, chunks_x;
  [[nodiscard]] std::uint32_t chunks() const { return chunks_y * chunks_x; }
};

inline WindowTiling window_tiling(const ConvShape& s, const Hardware& hw) {
  const auto cut = [](std::int32_t taps, std::int32_t dilation, std::uint32_t most) {
    const std::uint32_t chunks = u32(ceil_div(u32(taps), dilation == 1 ? most : 1));
    return std::pair{u32(ceil_div(u32(taps), chunks)), chunks};
  };
  const Hardware::Window window = hw.depthwise_window();
  const auto [h, y] = cut(s.kernel_h, s.dilation_h, window.rows);
  const auto [w, x] = cut(s.kernel_w, s.dilation_w, window.cols);
  return {h, w, y, x};
}

/// Cbuf atoms of one kernel's weights for `atoms` input channel atoms.
inline std::uint64_t kernel_atoms(const ConvShape& s, const Hardware& hw, std::uint32_t atoms) {
  const std::uint64_t tiles = s.depthwise
                                  ? window_tiling(s, hw).chunks()
                                  : std::uint64_t{u32(s.kernel_h)} * u32(s.kernel_w) * atoms;
  return tiles * u32(s.weight_parts);
}

}  // namespace tessera

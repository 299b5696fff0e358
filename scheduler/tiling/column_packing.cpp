#include "scheduler/tiling/column_packing.hpp"

#include <algorithm>

#include "scheduler/lower/tiling.hpp"
#include "scheduler/operations/constants.hpp"

namespace tessera {
namespace {

constexpr std::int32_t kMostColumns = 64;

ConvShape widened(const ConvShape& plain, std::int32_t columns) {
  ConvShape shape = plain;
  shape.out_w = plain.out_w / columns;
  shape.out_c = plain.out_c * columns;
  shape.kernel_w = (plain.kernel_w - 1) * plain.dilation_w + 1 + (columns - 1) * plain.stride_w;
  shape.dilation_w = 1;
  shape.stride_w = plain.stride_w * columns;
  return shape;
}

// A weight tile is in the array for as many cycles as it has pixels, or loads kernels.
std::uint64_t cycles_of(const ConvShape& s, const Hardware& hardware) {
  const std::uint64_t pixels = std::uint64_t{u32(s.out_h)} * u32(s.out_w);
  const std::uint64_t kernels = std::min(hardware.atomic_k, u32(s.out_c));
  const std::uint64_t tiles =
      kernel_atoms(s, hardware, atoms_of(s, hardware)) * groups_of(s, hardware);
  return tiles * std::max(pixels, kernels) + packed_bytes(s, hardware) / hardware.bus_bytes;
}

}  // namespace

std::optional<ColumnPacking> pack_columns(const ConvShape& plain, const Hardware& hardware) {
  if (plain.depthwise) {
    return std::nullopt;
  }
  std::optional<ColumnPacking> best;
  std::uint64_t best_cycles = cycles_of(plain, hardware);
  for (std::int32_t columns = 2; columns <= std::min(plain.out_w, kMostColumns); ++columns) {
    if (plain.out_w % columns != 0) {
      continue;
    }
    const ConvShape shape = widened(plain, columns);
    const std::uint64_t cycles = cycles_of(shape, hardware);
    if (cycles < best_cycles && accelerator_problem(shape, hardware).empty()) {
      best_cycles = cycles;
      best = ColumnPacking{shape, columns};
    }
  }
  return best;
}

LayerKernel pack_columns(const LayerKernel& kernel, const ConvShape& plain, std::int32_t columns) {
  const ConvShape wide = widened(plain, columns);
  const auto outputs = static_cast<std::size_t>(plain.out_c);
  const auto channels = static_cast<std::size_t>(plain.in_c);
  const auto rows = static_cast<std::size_t>(plain.kernel_h);
  const auto taps = static_cast<std::size_t>(plain.kernel_w);
  const auto wide_taps = static_cast<std::size_t>(wide.kernel_w);
  LayerKernel result = kernel;
  for (std::int32_t column = 1; column < columns; ++column) {
    result.biases.insert(result.biases.end(), kernel.biases.begin(), kernel.biases.end());
    result.factors.insert(result.factors.end(), kernel.factors.begin(), kernel.factors.end());
  }
  if (kernel.weights.empty()) {
    return result;
  }
  result.weights.assign(static_cast<std::size_t>(columns) * outputs * rows * wide_taps * channels,
                        static_cast<std::uint8_t>(plain.weight_zero));
  for (std::size_t k = 0; k < static_cast<std::size_t>(columns) * outputs; ++k) {
    const std::size_t first = k / outputs * static_cast<std::size_t>(plain.stride_w);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t tap = 0; tap < taps; ++tap) {
        const std::size_t from = ((k % outputs * rows + row) * taps + tap) * channels;
        const std::size_t at = first + tap * static_cast<std::size_t>(plain.dilation_w);
        const std::size_t to = ((k * rows + row) * wide_taps + at) * channels;
        std::copy_n(kernel.weights.begin() + static_cast<std::ptrdiff_t>(from), channels,
                    result.weights.begin() + static_cast<std::ptrdiff_t>(to));
      }
    }
  }
  return result;
}

}  // namespace tessera

// Convolutions with few outputs: neighbouring output columns in the place of kernels.
#pragma once

#include <cstdint>
#include <optional>

#include "scheduler/lower/layer_kernel.hpp"
#include "tessera/hardware.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// A convolution that leaves most of the array's kernels empty, as one of fewer, wider pixels:
/// pixel x holds the outputs of columns [x columns, (x + 1) columns), and each kernel comes once
/// per column, moved by the stride, with zeros around it. The bytes of [rows][columns][channels]
/// stay what they are.
struct ColumnPacking {
  ConvShape shape;
  std::int32_t columns = 1;
};

/// As many columns as need the fewest cycles of array and bus together; none when one is best.
std::optional<ColumnPacking> pack_columns(const ConvShape& plain, const Hardware& hardware);

/// Kernels, biases and factors of that; weights that are left out stay so.
LayerKernel pack_columns(const LayerKernel& kernel, const ConvShape& plain, std::int32_t columns);

}  // namespace tessera

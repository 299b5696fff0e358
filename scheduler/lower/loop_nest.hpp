// Element-wise work on strided tensors as nests of rows, columns and channels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "network/matrices.hpp"
#include "scheduler/lower/lowering.hpp"

namespace tessera {

/// One dimension: bytes from one element to the next in each tensor.
struct Axis {
  std::int64_t extent = 1;
  std::int64_t in = 0;
  std::int64_t operand = 0;
  std::int64_t out = 0;
};

struct LoopNest {
  std::int32_t rows = 1, cols = 1, channels = 1;
  View in, operand, out;
};

/// Without extents of 1; axes that continue each other, outermost first, are one.
std::vector<Axis> merged_axes(const std::vector<Axis>& axes);

/// The same elements, outermost axis first, in few nests with channels that fill the array's atoms.
/// Channels are adjacent in `in`. Nothing when it would take too many nests.
std::optional<std::vector<LoopNest>> loop_nests(std::vector<Axis> axes, const Hardware& hardware);

/// Bytes that follow each other, in the order of their addresses: no kernel group comes after
/// another, so that a copy towards lower addresses may overlap what it reads.
std::vector<LoopNest> rising_nests(std::int64_t bytes, const Hardware& hardware);

/// A pass of the array over a nest, with one byte in and one out per element.
ArrayPass piece_of(const LoopNest& nest, std::int32_t feature, const std::string& name);

}  // namespace tessera

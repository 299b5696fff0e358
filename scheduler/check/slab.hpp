// Which pixels of a slab an operation reads, and where they lie in the cbuf.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/check/op.hpp"

namespace tessera::checker {

/// Slab rows (or columns) that the taps of the tile touch.
std::vector<std::int64_t> touched(std::int64_t start, std::uint32_t outputs, std::uint32_t stride,
                                  std::uint32_t taps, std::uint32_t dilation, std::uint32_t extent);

/// Slab rows (or columns) that are walked for windows of `window` adjacent taps: all between the
/// first and the last when a window has several, those of the outputs when it has one. A tile that
/// resumes walks `stride` for each output.
std::vector<std::int64_t> walked(std::int64_t start, std::uint32_t outputs, std::uint32_t stride,
                                 std::uint32_t window, std::uint32_t chunks, std::uint32_t dilation,
                                 std::uint32_t extent, bool resume, bool spaced);

/// Atom of the slab's (0, 0), for depthwise at the first group's atom.
std::int64_t slab_base(const Op& op);

/// Atom of the first column of a slab row.
std::int64_t row_atom(const Op& op, std::int64_t row);

}  // namespace tessera::checker

// A layer's output in tiles of the accumulators.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/lower/tiling.hpp"
#include "scheduler/operations/pass_operations.hpp"
#include "tessera/hardware.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

inline constexpr std::int32_t kMaxTileExtent = 4095;  ///< CV_TILE rows and columns

/// Rows from top to bottom, columns from left to right inside. No tile has more than `words`
/// pixels or `most_rows` rows, none reaches across the border of two `pieces` of rows.
std::vector<PixelTile> cut_tiles(const std::vector<Range>& pieces, Range cols, std::uint32_t words,
                                 std::int32_t most_rows);

/// The same for depthwise convolutions, with the fewest slab pixels to walk, strip by strip from
/// top to bottom: accumulators bound their outputs, the window's lines their columns.
std::vector<PixelTile> cut_depthwise_tiles(const ConvShape& shape, const Hardware& hardware,
                                           const std::vector<Range>& pieces, Range cols,
                                           std::uint32_t words, std::int32_t most_rows);

/// Of the largest one.
std::uint32_t most_pixels(const std::vector<PixelTile>& tiles);

/// Whether a depthwise tile can go on where the one above it has stopped: the window's lines hold
/// what both need.
bool can_resume(const ConvShape& shape, const Hardware& hardware);

}  // namespace tessera

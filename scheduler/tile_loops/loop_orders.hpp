// The orders of the tile loops. Each appends its operations to the pass's, in an order that is a
// valid execution.
#pragma once

#include "scheduler/tile_loops/pass_planner.hpp"
#include "scheduler/tile_loops/tile_loops.hpp"

namespace tessera {

/// direct: all weights and all features of a tile are in the buffer. When all tiles are direct,
/// the weights of the first stay.
class DirectLoops {
 public:
  DirectLoops(TileLoops& loops, const SpatialTiles& tiles);
  void tile(Range rows, Range cols);

 private:
  [[nodiscard]] std::uint32_t largest_slab() const;
  std::uint32_t params_for(Range groups, bool resident);

  TileLoops& loops_;
  bool keep_;        // weights stay from tile to tile
  Region resident_;  // the weights that stay
  std::uint32_t resident_params_ = 0;
  Range resident_groups_;  ///< whose parameters these are
};

/// Kernel groups whose weights have a place at once.
inline std::uint32_t places_of(Mode mode) {
  return mode == Mode::PingPong ? 2 : 1;
}

/// ping-pong and wait: features stay, one kernel group at a time in `halves` places.
void loop_streamed(TileLoops& loops, Range rows, Range cols, std::uint32_t halves,
                   BufferedRows* rolling = nullptr);

/// Split by channels: the sums of a block of pixels and kernel groups stay in an accumulator half
/// while the channel parts pass by, each in its own mode.
void loop_channel_parts(TileLoops& loops, Range rows, Range cols, const Mode* modes);

/// The same with all accumulators, the block as it was decided.
void loop_sum_blocks(TileLoops& loops, Range rows, Range cols, const SumBlocks& blocks);

/// Split by channels: the features of all parts stay, their weights pass by, group by group and
/// part by part.
void loop_resident_parts(TileLoops& loops, Range rows, Range cols, const ResidentIfmap& ifmap,
                         BufferedRows* rolling = nullptr);

/// Strips of columns from top to bottom; rows that the next tile needs, too, stay.
void loop_rolling(TileLoops& loops, const SpatialTiles& tiles);
void loop_rolling(TileLoops& loops, const ResidentIfmap& ifmap);

/// Weights of some kernels stay while strips of columns pass, some rows at once; then the next
/// kernels.
void loop_kernel_parts(TileLoops& loops, const KernelSplit& split);

/// The feature is in the buffer: weights pass by, as far ahead as there is room.
void loop_kept(TileLoops& loops, Range rows, Range cols, Mode mode);
void loop_kept_depthwise(TileLoops& loops, Range rows, Range cols, Mode mode);

/// depthwise: channel parts have nothing to add up, each is a layer of its own.
void loop_depthwise(TileLoops& loops, Range rows, Range cols, const Mode* modes);

/// Some rows; weights and, where there is room, parameters stay from band to band.
void loop_band(TileLoops& loops, const Band& band);
void loop_band_depthwise(TileLoops& loops, const Band& band);

}  // namespace tessera

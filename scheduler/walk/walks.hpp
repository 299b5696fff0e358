// The ways of walking a layer. Each appends its actions to the walk's, in an order that is a valid
// execution.
#pragma once

#include "scheduler/walk/layer_planner.hpp"
#include "scheduler/walk/layer_walk.hpp"

namespace tessera {

/// direct: all weights and all features of a tile are in the buffer. When all tiles are direct,
/// the weights of the first stay.
class DirectWalk {
 public:
  DirectWalk(LayerWalk& walk, const SpatialTiles& tiles);
  void tile(Range rows, Range cols);

 private:
  [[nodiscard]] std::uint32_t largest_slab() const;
  std::uint32_t params_for(Range groups, bool resident);

  LayerWalk& walk_;
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
void walk_streamed(LayerWalk& walk, Range rows, Range cols, std::uint32_t halves,
                   RollingRows* rolling = nullptr);

/// Split by channels: the sums of a block of pixels and kernel groups stay in an accumulator half
/// while the channel parts pass by, each in its own mode.
void walk_channel_parts(LayerWalk& walk, Range rows, Range cols, const Mode* modes);

/// The same with all accumulators, the block as it was decided.
void walk_sum_blocks(LayerWalk& walk, Range rows, Range cols, const SumBlocks& blocks);

/// Split by channels: the features of all parts stay, their weights pass by, group by group and
/// part by part.
void walk_resident_parts(LayerWalk& walk, Range rows, Range cols, const ResidentIfmap& ifmap,
                         RollingRows* rolling = nullptr);

/// Strips of columns from top to bottom; rows that the next tile needs, too, stay.
void walk_rolling(LayerWalk& walk, const SpatialTiles& tiles);
void walk_rolling(LayerWalk& walk, const ResidentIfmap& ifmap);

/// Weights of some kernels stay while strips of columns pass, some rows at once; then the next
/// kernels.
void walk_kernel_parts(LayerWalk& walk, const KernelSplit& split);

/// The feature is in the buffer: weights pass by, as far ahead as there is room.
void walk_kept(LayerWalk& walk, Range rows, Range cols, Mode mode);
void walk_kept_depthwise(LayerWalk& walk, Range rows, Range cols, Mode mode);

/// depthwise: channel parts have nothing to add up, each is a layer of its own.
void walk_depthwise(LayerWalk& walk, Range rows, Range cols, const Mode* modes);

/// Some rows; weights and, where there is room, parameters stay from band to band.
void walk_band(LayerWalk& walk, const Band& band);
void walk_band_depthwise(LayerWalk& walk, const Band& band);

}  // namespace tessera

#include "scheduler/walk/walks.hpp"

namespace tessera {

namespace {

template <class Walk>
void walk_strips(LayerWalk& walk, const Walk& tile) {
  const auto tiles = split_evenly({0, walk.shape.out_h}, walk.grid.rows);
  RollingRows rolling(walk.most_input_rows(tiles));
  for (const Range& cols : split_evenly({0, walk.shape.out_w}, walk.grid.cols)) {
    rolling.begin_strip();
    for (const Range& rows : tiles) {
      rolling.need(input_rows(walk.shape, rows));
      tile(rows, cols, &rolling);
    }
  }
}

}  // namespace

void walk_rolling(LayerWalk& walk, const SpatialTiles& tiles) {
  const std::uint32_t places = places_of(tiles.modes[0]);
  walk_strips(walk, [&](Range rows, Range cols, RollingRows* rolling) {
    walk_streamed(walk, rows, cols, places, rolling);
  });
}

void walk_rolling(LayerWalk& walk, const ResidentIfmap& ifmap) {
  walk_strips(walk, [&](Range rows, Range cols, RollingRows* rolling) {
    walk_resident_parts(walk, rows, cols, ifmap, rolling);
  });
}

}  // namespace tessera

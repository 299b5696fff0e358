#include "scheduler/tile_loops/loop_orders.hpp"

namespace tessera {

namespace {

template <class Walk>
void loop_strips(TileLoops& loops, const Walk& tile) {
  const auto tiles = split_evenly({0, loops.shape.out_h}, loops.grid.rows);
  BufferedRows rolling(loops.most_input_rows(tiles));
  for (const Range& cols : split_evenly({0, loops.shape.out_w}, loops.grid.cols)) {
    rolling.begin_strip();
    for (const Range& rows : tiles) {
      rolling.need(input_rows(loops.shape, rows));
      tile(rows, cols, &rolling);
    }
  }
}

}  // namespace

void loop_rolling(TileLoops& loops, const SpatialTiles& tiles) {
  const std::uint32_t places = places_of(tiles.modes[0]);
  loop_strips(loops, [&](Range rows, Range cols, BufferedRows* rolling) {
    loop_streamed(loops, rows, cols, places, rolling);
  });
}

void loop_rolling(TileLoops& loops, const ResidentIfmap& ifmap) {
  loop_strips(loops, [&](Range rows, Range cols, BufferedRows* rolling) {
    loop_resident_parts(loops, rows, cols, ifmap, rolling);
  });
}

}  // namespace tessera

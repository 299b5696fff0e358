#include "scheduler/walk/walks.hpp"

namespace tessera {

void walk_rolling(LayerWalk& walk) {
  const auto tiles = split_evenly({0, walk.shape.out_h}, walk.decision.tiles_h);
  RollingRows rolling(walk.most_input_rows(tiles));
  for (const Range& cols : split_evenly({0, walk.shape.out_w}, walk.decision.tiles_w)) {
    rolling.begin_strip();
    for (const Range& rows : tiles) {
      rolling.need(input_rows(walk.shape, rows));
      if (walk.parts.size() > 1) {
        walk_resident_parts(walk, rows, cols, &rolling);
      } else {
        walk_streamed(walk, rows, cols, walk.decision.modes[0] == Mode::PingPong ? 2 : 1, &rolling);
      }
    }
  }
}

}  // namespace tessera

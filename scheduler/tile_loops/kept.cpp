#include <algorithm>

#include "scheduler/operations/tile_cuts.hpp"
#include "scheduler/tile_loops/loop_orders.hpp"

namespace tessera {

void loop_kept(TileLoops& loops, Range rows, Range cols, Mode mode) {
  const Slab slab = loops.slab_for(rows, cols, loops.all_atoms());
  const std::uint32_t pixels = u32(rows.size()) * u32(cols.size());
  const std::uint32_t at_once =
      loops.groups_loaded(loops.groups_at_once(pixels), mode, pixels < 2 * loops.hw.atomic_k);
  for (const Range& groups :
       split_evenly(loops.all_groups(), u32(ceil_div(loops.groups, at_once)))) {
    const std::uint32_t weights =
        loops.state.allocator.next(loops.add.weight_atoms(groups, loops.all_atoms())).begin;
    const std::uint32_t params = loops.add.load_params(groups);
    loops.add.load_weights(groups, loops.all_atoms(), weights);
    for (const PixelTile& tile :
         loops.cut_pixels(rows, cols, loops.hw.acc_half() / u32(groups.size()))) {
      loops.finish_tile(slab, tile, groups, weights, params);
    }
  }
}

void loop_kept_depthwise(TileLoops& loops, Range rows, Range cols, Mode mode) {
  const Slab slab = loops.slab_for(rows, cols, loops.all_atoms());
  const auto tiles = loops.cut_pixels_depthwise(rows, cols);
  const bool resumable = can_resume(loops.shape, loops.hw) && tiles.size() > 1;
  const std::uint32_t together = loops.groups_together(tiles, loops.tile_limit());
  const std::uint32_t loaded = loops.groups_loaded(loops.groups, mode);
  for (const Range& chunk : split_evenly(loops.all_groups(), u32(ceil_div(loops.groups, loaded)))) {
    const std::uint32_t weights =
        loops.state.allocator.next(loops.add.weight_atoms(chunk, chunk)).begin;
    const std::uint32_t params = loops.add.load_params(chunk);
    loops.add.load_weights(chunk, chunk, weights);
    const std::uint32_t passes = u32(ceil_div(u32(chunk.size()), together));
    for (const Range& groups : split_evenly(chunk, passes)) {
      const std::uint32_t before = loops.add.weight_offset({chunk.begin, groups.begin}, chunk);
      for (const PixelTile& tile : tiles) {
        loops.finish_tile(slab, tile, groups, weights + before,
                          params + u32(groups.begin - chunk.begin),
                          resumable && tile.rows.begin != rows.begin);
      }
    }
  }
}

}  // namespace tessera

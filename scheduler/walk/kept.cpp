#include <algorithm>

#include "scheduler/actions/tile_cuts.hpp"
#include "scheduler/walk/walks.hpp"

namespace tessera {

void walk_kept(LayerWalk& walk, Range rows, Range cols, Mode mode) {
  const Slab slab = walk.slab_for(rows, cols, walk.all_atoms());
  const std::uint32_t pixels = u32(rows.size()) * u32(cols.size());
  const std::uint32_t at_once =
      walk.groups_loaded(walk.groups_at_once(pixels), mode, pixels < 2 * walk.hw.atomic_k);
  for (const Range& groups : split_evenly(walk.all_groups(), u32(ceil_div(walk.groups, at_once)))) {
    const std::uint32_t weights =
        walk.state.regions.next(walk.add.weight_atoms(groups, walk.all_atoms())).begin;
    const std::uint32_t params = walk.add.load_params(groups);
    walk.add.load_weights(groups, walk.all_atoms(), weights);
    for (const PixelTile& tile :
         walk.cut_pixels(rows, cols, walk.hw.acc_half() / u32(groups.size()))) {
      walk.finish_tile(slab, tile, groups, weights, params);
    }
  }
}

void walk_kept_depthwise(LayerWalk& walk, Range rows, Range cols, Mode mode) {
  const Slab slab = walk.slab_for(rows, cols, walk.all_atoms());
  const auto tiles = walk.cut_pixels_depthwise(rows, cols);
  const bool resumable = can_resume(walk.shape, walk.hw) && tiles.size() > 1;
  const std::uint32_t together =
      resumable ? 1 : std::max(1U, walk.tile_limit() / most_pixels(tiles));
  const std::uint32_t loaded = walk.groups_loaded(walk.groups, mode);
  for (const Range& chunk : split_evenly(walk.all_groups(), u32(ceil_div(walk.groups, loaded)))) {
    const std::uint32_t weights =
        walk.state.regions.next(walk.add.weight_atoms(chunk, chunk)).begin;
    const std::uint32_t params = walk.add.load_params(chunk);
    walk.add.load_weights(chunk, chunk, weights);
    const std::uint32_t passes = u32(ceil_div(u32(chunk.size()), together));
    for (const Range& groups : split_evenly(chunk, passes)) {
      const std::uint32_t before = walk.add.weight_offset({chunk.begin, groups.begin}, chunk);
      for (const PixelTile& tile : tiles) {
        walk.finish_tile(slab, tile, groups, weights + before,
                         params + u32(groups.begin - chunk.begin),
                         resumable && tile.rows.begin != rows.begin);
      }
    }
  }
}

}  // namespace tessera

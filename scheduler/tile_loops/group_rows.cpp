#include <algorithm>

#include "scheduler/operations/tile_cuts.hpp"
#include "scheduler/tile_loops/loop_orders.hpp"

namespace tessera {
namespace {

// Returns the first group in the parameter memory.
std::uint32_t load_constants(TileLoops& loops, const Band& band, Range groups) {
  std::uint32_t params = band.params.value_or(0) + u32(groups.begin);
  if (!band.params) {
    params = loops.add.load_params(groups);
  } else if (band.loads_weights) {
    loops.add.load_params(groups, params);
  }
  if (band.loads_weights && (groups.begin == 0 || !loops.shape.same_kernels)) {
    loops.add.load_weights(
        groups, loops.all_atoms(),
        band.weights + loops.add.weight_offset({0, groups.begin}, loops.all_atoms()));
  }
  return params;
}

}  // namespace

void loop_band(TileLoops& loops, const Band& band) {
  const Range cols{0, loops.shape.out_w};
  const Slab slab = loops.slab_for(band.rows, cols, loops.all_atoms());
  const std::uint32_t at_once = loops.groups_at_once(u32(band.rows.size()) * u32(cols.size()));
  for (const Range& groups :
       split_evenly(loops.all_groups(), u32(ceil_div(loops.groups, at_once)))) {
    const std::uint32_t weights =
        band.weights + loops.add.weight_offset({0, groups.begin}, loops.all_atoms());
    const std::uint32_t params = load_constants(loops, band, groups);
    for (const PixelTile& tile :
         loops.cut_pixels(band.rows, cols, loops.hw.acc_half() / u32(groups.size()))) {
      loops.finish_tile(slab, tile, groups, weights, params);
    }
  }
}

void loop_band_depthwise(TileLoops& loops, const Band& band) {
  const Range cols{0, loops.shape.out_w};
  const Slab slab = loops.slab_for(band.rows, cols, loops.all_atoms());
  const auto tiles = loops.cut_pixels_depthwise(band.rows, cols);
  const bool resumable = can_resume(loops.shape, loops.hw) && tiles.size() > 1;
  const std::uint32_t together = loops.groups_together(tiles, loops.tile_limit());
  const std::uint32_t most = std::min({together, loops.most_groups(), loops.groups});
  for (const Range& groups : split_evenly(loops.all_groups(), u32(ceil_div(loops.groups, most)))) {
    const std::uint32_t weights =
        band.weights + loops.add.weight_offset({0, groups.begin}, loops.all_atoms());
    const std::uint32_t params = load_constants(loops, band, groups);
    for (const PixelTile& tile : tiles) {
      loops.finish_tile(slab, tile, groups, weights, params,
                        resumable && tile.rows.begin != band.rows.begin);
    }
  }
}

}  // namespace tessera

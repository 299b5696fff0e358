#include <algorithm>

#include "scheduler/actions/tile_cuts.hpp"
#include "scheduler/walk/walks.hpp"

namespace tessera {
namespace {

// Returns the first group in the parameter memory.
std::uint32_t load_constants(LayerWalk& walk, const Band& band, Range groups) {
  std::uint32_t params = band.params.value_or(0) + u32(groups.begin);
  if (!band.params) {
    params = walk.add.load_params(groups);
  } else if (band.loads_weights) {
    walk.add.load_params(groups, params);
  }
  if (band.loads_weights && (groups.begin == 0 || !walk.shape.same_kernels)) {
    walk.add.load_weights(
        groups, walk.all_atoms(),
        band.weights + walk.add.weight_offset({0, groups.begin}, walk.all_atoms()));
  }
  return params;
}

}  // namespace

void walk_band(LayerWalk& walk, const Band& band) {
  const Range cols{0, walk.shape.out_w};
  const Slab slab = walk.slab_for(band.rows, cols, walk.all_atoms());
  const std::uint32_t at_once = walk.groups_at_once(u32(band.rows.size()) * u32(cols.size()));
  for (const Range& groups : split_evenly(walk.all_groups(), u32(ceil_div(walk.groups, at_once)))) {
    const std::uint32_t weights =
        band.weights + walk.add.weight_offset({0, groups.begin}, walk.all_atoms());
    const std::uint32_t params = load_constants(walk, band, groups);
    for (const PixelTile& tile :
         walk.cut_pixels(band.rows, cols, walk.hw.acc_half() / u32(groups.size()))) {
      walk.finish_tile(slab, tile, groups, weights, params);
    }
  }
}

void walk_band_depthwise(LayerWalk& walk, const Band& band) {
  const Range cols{0, walk.shape.out_w};
  const Slab slab = walk.slab_for(band.rows, cols, walk.all_atoms());
  const auto tiles = walk.cut_pixels_depthwise(band.rows, cols);
  const bool resumable = can_resume(walk.shape, walk.hw) && tiles.size() > 1;
  const std::uint32_t together =
      resumable ? 1 : std::max(1U, walk.tile_limit() / most_pixels(tiles));
  const std::uint32_t most =
      std::min({together, walk.hw.param_groups / 2, kMaxGroups, walk.groups});
  for (const Range& groups : split_evenly(walk.all_groups(), u32(ceil_div(walk.groups, most)))) {
    const std::uint32_t weights =
        band.weights + walk.add.weight_offset({0, groups.begin}, walk.all_atoms());
    const std::uint32_t params = load_constants(walk, band, groups);
    for (const PixelTile& tile : tiles) {
      walk.finish_tile(slab, tile, groups, weights, params,
                       resumable && tile.rows.begin != band.rows.begin);
    }
  }
}

}  // namespace tessera

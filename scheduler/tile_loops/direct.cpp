#include <algorithm>

#include "scheduler/tile_loops/loop_orders.hpp"

namespace tessera {

DirectLoops::DirectLoops(TileLoops& loops, const SpatialTiles& tiles)
    : loops_(loops),
      keep_(tiles.grid.tiles() > 1 && std::all_of(tiles.modes.begin(), tiles.modes.end(),
                                                  [](Mode mode) { return mode == Mode::Direct; })) {
}

void DirectLoops::tile(Range rows, Range cols) {
  Slab slab = loops_.slab_for(rows, cols, loops_.all_atoms());
  const bool resident = keep_ && resident_.size() > 0;
  const std::uint32_t pixels = u32(rows.size()) * u32(cols.size());
  const std::uint32_t at_once = loops_.groups_at_once(pixels);
  Region weights = resident_;
  if (resident) {
    slab.base = loops_.state.allocator.place_feature(slab.size(), resident_).begin;
  } else {
    // Weights that stay must leave room for the largest of the slabs to come.
    const Placement placement = loops_.state.allocator.place(
        keep_ ? largest_slab() : slab.size(),
        loops_.add.weight_atoms(loops_.all_groups(), loops_.all_atoms()));
    slab.base = placement.feature.begin;
    weights = placement.weight;
  }
  bool slab_loaded = false;
  const auto chunks = split_evenly(loops_.all_groups(), u32(ceil_div(loops_.groups, at_once)));
  for (const Range& groups : chunks) {
    const std::uint32_t base =
        weights.begin + loops_.add.weight_offset({0, groups.begin}, loops_.all_atoms());
    const std::uint32_t params = params_for(groups, resident);
    if (!resident) {
      loops_.add.load_weights(groups, loops_.all_atoms(), base);
    }
    if (!slab_loaded) {
      loops_.add.load_slab(slab, loops_.sizes.ifmap_loads);
      slab_loaded = true;
    }
    for (const PixelTile& tile :
         loops_.cut_pixels(rows, cols, loops_.hw.acc_half() / u32(groups.size()))) {
      loops_.finish_tile(slab, tile, groups, base, params);
    }
  }
  resident_ = keep_ ? weights : Region{};
}

std::uint32_t DirectLoops::largest_slab() const {
  std::uint32_t largest = 0;
  for (const Range& rows : split_evenly({0, loops_.shape.out_h}, loops_.grid.rows)) {
    for (const Range& cols : split_evenly({0, loops_.shape.out_w}, loops_.grid.cols)) {
      largest = std::max(largest, loops_.slab_for(rows, cols, loops_.all_atoms()).size());
    }
  }
  return largest;
}

// Parameters stay in their memory from tile to tile when they are those that were loaded last:
// tiles of other sizes may take their groups in other chunks.
std::uint32_t DirectLoops::params_for(Range groups, bool resident) {
  if (!resident || groups.begin != resident_groups_.begin || groups.end != resident_groups_.end) {
    resident_params_ = loops_.add.load_params(groups);
    resident_groups_ = groups;
  }
  return resident_params_;
}

}  // namespace tessera

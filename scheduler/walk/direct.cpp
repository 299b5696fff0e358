#include <algorithm>

#include "scheduler/walk/walks.hpp"

namespace tessera {

DirectWalk::DirectWalk(LayerWalk& walk, const SpatialTiles& tiles)
    : walk_(walk),
      keep_(tiles.grid.tiles() > 1 && std::all_of(tiles.modes.begin(), tiles.modes.end(),
                                                  [](Mode mode) { return mode == Mode::Direct; })) {
}

void DirectWalk::tile(Range rows, Range cols) {
  Slab slab = walk_.slab_for(rows, cols, walk_.all_atoms());
  const bool resident = keep_ && resident_.size() > 0;
  const std::uint32_t pixels = u32(rows.size()) * u32(cols.size());
  const std::uint32_t at_once = walk_.groups_at_once(pixels);
  Region weights = resident_;
  if (resident) {
    slab.base = walk_.state.regions.place_feature(slab.size(), resident_).begin;
  } else {
    // Weights that stay must leave room for the largest of the slabs to come.
    const Placement placement =
        walk_.state.regions.place(keep_ ? largest_slab() : slab.size(),
                                  walk_.add.weight_atoms(walk_.all_groups(), walk_.all_atoms()));
    slab.base = placement.feature.begin;
    weights = placement.weight;
  }
  bool slab_loaded = false;
  const auto chunks = split_evenly(walk_.all_groups(), u32(ceil_div(walk_.groups, at_once)));
  for (const Range& groups : chunks) {
    const std::uint32_t base =
        weights.begin + walk_.add.weight_offset({0, groups.begin}, walk_.all_atoms());
    const std::uint32_t params = params_for(groups, resident);
    if (!resident) {
      walk_.add.load_weights(groups, walk_.all_atoms(), base);
    }
    if (!slab_loaded) {
      walk_.add.load_slab(slab, walk_.sizes.ifmap_loads);
      slab_loaded = true;
    }
    for (const PixelTile& tile :
         walk_.cut_pixels(rows, cols, walk_.hw.acc_half() / u32(groups.size()))) {
      walk_.finish_tile(slab, tile, groups, base, params);
    }
  }
  resident_ = keep_ ? weights : Region{};
}

std::uint32_t DirectWalk::largest_slab() const {
  std::uint32_t largest = 0;
  for (const Range& rows : split_evenly({0, walk_.shape.out_h}, walk_.grid.rows)) {
    for (const Range& cols : split_evenly({0, walk_.shape.out_w}, walk_.grid.cols)) {
      largest = std::max(largest, walk_.slab_for(rows, cols, walk_.all_atoms()).size());
    }
  }
  return largest;
}

// Parameters stay in their memory from tile to tile when they are those that were loaded last:
// tiles of other sizes may take their groups in other chunks.
std::uint32_t DirectWalk::params_for(Range groups, bool resident) {
  if (!resident || groups.begin != resident_groups_.begin || groups.end != resident_groups_.end) {
    resident_params_ = walk_.add.load_params(groups);
    resident_groups_ = groups;
  }
  return resident_params_;
}

}  // namespace tessera

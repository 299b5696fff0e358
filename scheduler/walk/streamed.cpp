#include "scheduler/walk/walks.hpp"

namespace tessera {

void walk_streamed(LayerWalk& walk, Range rows, Range cols, std::uint32_t halves,
                   RollingRows* rolling) {
  Slab slab = walk.slab_for(rows, cols, walk.all_atoms(), rolling);
  const std::uint32_t group_atoms = walk.add.weight_atoms({0, 1}, walk.all_atoms());
  const Placement placement = walk.place(slab.size(), halves * group_atoms, rolling);
  slab.base += placement.feature.begin;
  for (std::uint32_t g = 0; g < walk.groups; ++g) {
    const Range group{static_cast<std::int32_t>(g), static_cast<std::int32_t>(g) + 1};
    const std::uint32_t weights = placement.weight.begin + (g % halves) * group_atoms;
    const std::uint32_t params = walk.add.load_params(group);
    walk.add.load_weights(group, walk.all_atoms(), weights);
    if (g == 0) {
      walk.load_slab(slab, walk.sizes.ifmap_loads, rolling);
    }
    for (const PixelTile& tile : walk.cut_pixels(rows, cols, walk.hw.acc_half())) {
      walk.finish_tile(slab, tile, group, weights, params);
    }
  }
}

}  // namespace tessera

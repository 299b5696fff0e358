#include "scheduler/tile_loops/loop_orders.hpp"

namespace tessera {

void loop_streamed(TileLoops& loops, Range rows, Range cols, std::uint32_t halves,
                   BufferedRows* rolling) {
  Slab slab = loops.slab_for(rows, cols, loops.all_atoms(), rolling);
  const std::uint32_t group_atoms = loops.add.weight_atoms({0, 1}, loops.all_atoms());
  const Placement placement = loops.place(slab.size(), halves * group_atoms, rolling);
  slab.base += placement.feature.begin;
  for (std::uint32_t g = 0; g < loops.groups; ++g) {
    const Range group{static_cast<std::int32_t>(g), static_cast<std::int32_t>(g) + 1};
    const std::uint32_t weights = placement.weight.begin + (g % halves) * group_atoms;
    const std::uint32_t params = loops.add.load_params(group);
    loops.add.load_weights(group, loops.all_atoms(), weights);
    if (g == 0) {
      loops.load_slab(slab, loops.sizes.ifmap_loads, rolling);
    }
    for (const PixelTile& tile : loops.cut_pixels(rows, cols, loops.hw.acc_half())) {
      loops.finish_tile(slab, tile, group, weights, params);
    }
  }
}

}  // namespace tessera

#include <algorithm>

#include "scheduler/operations/tile_cuts.hpp"
#include "scheduler/tile_loops/loop_orders.hpp"

namespace tessera {
namespace {

// A part is some kernel groups.
void loop_part(TileLoops& loops, Range rows, Range cols, Range part, Mode mode) {
  const Hardware& hw = loops.hw;
  Slab slab = loops.slab_for(rows, cols, atoms_under(loops.shape, hw, part));
  const std::uint32_t group_atoms = loops.add.weight_atoms({part.begin, part.begin + 1}, part);
  const std::uint32_t weight_size = mode == Mode::Direct     ? loops.add.weight_atoms(part, part)
                                    : mode == Mode::PingPong ? 2 * group_atoms
                                                             : group_atoms;
  const Placement placement = loops.state.allocator.place(slab.size(), weight_size);
  slab.base = placement.feature.begin;
  std::uint32_t at_once = 1;
  std::vector<PixelTile> tiles;
  if (is_diagonal(loops.shape, hw) && mode == Mode::Direct) {
    at_once = std::min(loops.groups_at_once(u32(rows.size()) * u32(cols.size())), u32(part.size()));
    tiles = loops.cut_pixels(rows, cols, hw.acc_half() / at_once);
  } else {
    tiles = loops.cut_pixels_depthwise(rows, cols);
  }
  const bool resumable = can_resume(loops.shape, hw) && tiles.size() > 1;
  if (mode == Mode::Direct && !is_diagonal(loops.shape, hw)) {
    at_once = std::min(
        {loops.groups_together(tiles, hw.acc_half()), loops.most_groups(), u32(part.size())});
  }
  for (std::int32_t g = part.begin; g < part.end; g += static_cast<std::int32_t>(at_once)) {
    const Range groups{g, std::min(g + static_cast<std::int32_t>(at_once), part.end)};
    const bool second = mode == Mode::PingPong && (g - part.begin) % 2 == 1;
    const std::uint32_t before = mode == Mode::Direct
                                     ? loops.add.weight_offset({part.begin, g}, part)
                                 : second ? group_atoms
                                          : 0;
    const std::uint32_t weights = placement.weight.begin + before;
    const std::uint32_t params = loops.add.load_params(groups);
    if (g == part.begin || !loops.shape.same_kernels || mode == Mode::PingPong) {
      loops.add.load_weights(groups, part, weights);
    }
    if (g == part.begin) {
      loops.add.load_slab(slab, loops.sizes.ifmap_loads);
    }
    for (const PixelTile& tile : tiles) {
      loops.finish_tile(slab, tile, groups, weights, params,
                        resumable && tile.rows.begin != rows.begin);
    }
  }
}

}  // namespace

void loop_depthwise(TileLoops& loops, Range rows, Range cols, const Mode* modes) {
  for (std::size_t part = 0; part < loops.parts.size(); ++part) {
    loop_part(loops, rows, cols, loops.parts[part], modes[part]);
  }
}

}  // namespace tessera

#include <algorithm>

#include "scheduler/tile_loops/loop_orders.hpp"

namespace tessera {
namespace {

/// Kernels whose weights and parameters stay.
struct KernelPart {
  Range groups;
  std::uint32_t params = 0;
  bool loaded = false;  ///< the weights are there
};

void loop_rows(TileLoops& loops, const KernelPart& part, const PixelTile& area,
               const Placement& placement, BufferedRows& rolling) {
  rolling.need(input_rows(loops.shape, area.rows));
  Slab slab = loops.slab_for(area.rows, area.cols, loops.all_atoms(), &rolling);
  slab.base += placement.feature.begin;
  const std::uint32_t kernels = u32(part.groups.size());
  const std::uint32_t at_once = std::min(loops.groups_at_once(area.pixels()), kernels);
  for (const Range& groups : split_evenly(part.groups, u32(ceil_div(kernels, at_once)))) {
    const std::uint32_t weights =
        placement.weight.begin +
        loops.add.weight_offset({part.groups.begin, groups.begin}, loops.all_atoms());
    if (!part.loaded) {
      loops.add.load_weights(groups, loops.all_atoms(), weights);
    }
    if (groups.begin == part.groups.begin) {
      loops.load_slab(slab, 1, &rolling);
    }
    for (const PixelTile& tile :
         loops.cut_pixels(area.rows, area.cols, loops.hw.acc_half() / u32(groups.size()))) {
      loops.finish_tile(slab, tile, groups, weights,
                        part.params + u32(groups.begin - part.groups.begin));
    }
  }
}

}  // namespace

void loop_kernel_parts(TileLoops& loops, const KernelSplit& split) {
  const auto bands =
      split_evenly({0, loops.shape.out_h}, u32(ceil_div(u32(loops.shape.out_h), split.rows)));
  const auto kernels = split_evenly(loops.all_groups(), split.parts);
  const std::uint32_t weights = loops.add.weight_atoms(kernels[0], loops.all_atoms());
  const std::uint32_t row = std::max(1U, loops.most_input_cols() * atoms_of(loops.shape, loops.hw));
  // With the next band's rows beside this one's, when there is room.
  BufferedRows rolling(
      std::min({(loops.state.allocator.window().size() - weights) / row, u32(loops.shape.in_h),
                loops.most_input_rows(bands) + split.rows * u32(loops.shape.stride_h)}));
  for (const Range& groups : kernels) {
    KernelPart part{groups, loops.add.load_params(groups)};
    for (const Range& cols : split_evenly({0, loops.shape.out_w}, split.strips)) {
      rolling.begin_strip();
      for (const Range& rows : bands) {
        loop_rows(loops, part, {rows, cols}, loops.place(0, weights, &rolling), rolling);
        part.loaded = true;
      }
    }
  }
}

}  // namespace tessera

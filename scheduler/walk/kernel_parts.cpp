#include <algorithm>

#include "scheduler/walk/walks.hpp"

namespace tessera {
namespace {

/// Kernels whose weights and parameters stay.
struct KernelPart {
  Range groups;
  std::uint32_t params = 0;
  bool loaded = false;  ///< the weights are there
};

void walk_rows(LayerWalk& walk, const KernelPart& part, const PixelTile& area,
               const Placement& placement, RollingRows& rolling) {
  rolling.need(input_rows(walk.shape, area.rows));
  Slab slab = walk.slab_for(area.rows, area.cols, walk.all_atoms(), &rolling);
  slab.base += placement.feature.begin;
  const std::uint32_t kernels = u32(part.groups.size());
  const std::uint32_t at_once = std::min(walk.groups_at_once(area.pixels()), kernels);
  for (const Range& groups : split_evenly(part.groups, u32(ceil_div(kernels, at_once)))) {
    const std::uint32_t weights =
        placement.weight.begin +
        walk.add.weight_offset({part.groups.begin, groups.begin}, walk.all_atoms());
    if (!part.loaded) {
      walk.add.load_weights(groups, walk.all_atoms(), weights);
    }
    if (groups.begin == part.groups.begin) {
      walk.load_slab(slab, 1, &rolling);
    }
    for (const PixelTile& tile :
         walk.cut_pixels(area.rows, area.cols, walk.hw.acc_half() / u32(groups.size()))) {
      walk.finish_tile(slab, tile, groups, weights,
                       part.params + u32(groups.begin - part.groups.begin));
    }
  }
}

}  // namespace

void walk_kernel_parts(LayerWalk& walk, const KernelSplit& split) {
  const auto bands =
      split_evenly({0, walk.shape.out_h}, u32(ceil_div(u32(walk.shape.out_h), split.rows)));
  const auto kernels = split_evenly(walk.all_groups(), split.parts);
  const std::uint32_t weights = walk.add.weight_atoms(kernels[0], walk.all_atoms());
  const std::uint32_t row = std::max(1U, walk.most_input_cols() * atoms_of(walk.shape, walk.hw));
  // With the next band's rows beside this one's, when there is room.
  RollingRows rolling(
      std::min({(walk.state.regions.window().size() - weights) / row, u32(walk.shape.in_h),
                walk.most_input_rows(bands) + split.rows * u32(walk.shape.stride_h)}));
  for (const Range& groups : kernels) {
    KernelPart part{groups, walk.add.load_params(groups)};
    for (const Range& cols : split_evenly({0, walk.shape.out_w}, split.strips)) {
      rolling.begin_strip();
      for (const Range& rows : bands) {
        walk_rows(walk, part, {rows, cols}, walk.place(0, weights, &rolling), rolling);
        part.loaded = true;
      }
    }
  }
}

}  // namespace tessera

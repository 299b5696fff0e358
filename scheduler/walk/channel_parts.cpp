#include <algorithm>
#include <limits>

#include "scheduler/actions/tile_cuts.hpp"
#include "scheduler/walk/walks.hpp"

namespace tessera {
namespace {

/// Output pixels and kernel groups whose sums are there at once.
struct Block {
  std::uint32_t groups = 1;
  std::uint32_t words = 1;  ///< pixels at most
};

/// One block, with where its sums and parameters are.
struct BlockWork {
  const PixelTile& tile;
  Range groups;
  std::uint32_t acc;
  std::uint32_t params;
};

/// Where the sums of the next block begin.
std::uint32_t block_base(LayerWalk& walk, bool whole_accumulators) {
  return whole_accumulators ? 0 : walk.add.next_acc_half();
}

// The block shape with the least reads: features come once per group block (plus halo), weights
// once per pixel block.
Block best_block(const LayerWalk& walk, Range rows, Range cols) {
  const Hardware& hw = walk.hw;
  Block best;
  std::uint64_t best_bytes = std::numeric_limits<std::uint64_t>::max();
  const std::uint32_t most =
      std::min({walk.groups, hw.acc_half(), hw.param_groups / 2, kMaxGroups});
  for (std::uint32_t groups = 1; groups <= most; ++groups) {
    const std::uint32_t words = hw.acc_half() / groups;
    std::uint64_t feature = 0;
    const auto tiles = walk.cut_pixels(rows, cols, words);
    for (const PixelTile& tile : tiles) {
      feature += static_cast<std::uint64_t>(input_rows(walk.shape, tile.rows).size()) *
                 static_cast<std::uint64_t>(input_cols(walk.shape, tile.cols).size());
    }
    const std::uint64_t bytes =
        feature * static_cast<std::uint64_t>(walk.shape.in_c) * ceil_div(walk.groups, groups) +
        tiles.size() * walk.taps() * static_cast<std::uint64_t>(walk.shape.in_c) *
            static_cast<std::uint64_t>(walk.shape.out_c);
    if (bytes < best_bytes) {
      best_bytes = bytes;
      best = {groups, words};
    }
  }
  return best;
}

// One channel part of a block, in its own mode.
void add_part(LayerWalk& walk, const BlockWork& work, std::size_t part, Mode mode) {
  const Range atoms = walk.parts[part];
  Slab slab = walk.slab_for(work.tile.rows, work.tile.cols, atoms);
  const std::uint32_t group_atoms = walk.add.weight_atoms({0, 1}, atoms);
  const std::uint32_t weight_size = mode == Mode::Direct
                                        ? walk.add.weight_atoms(work.groups, atoms)
                                        : group_atoms * (mode == Mode::PingPong ? 2 : 1);
  const Placement placement = walk.state.regions.place(slab.size(), weight_size);
  slab.base = placement.feature.begin;
  const auto convolve_groups = [&](Range groups, std::uint32_t weights) {
    const std::uint32_t offset = u32(groups.begin - work.groups.begin) * work.tile.pixels();
    walk.convolve({slab, work.tile, groups, weights, work.acc + offset,
                   work.tile.pixels() * u32(groups.size()), part > 0, work.params,
                   u32(work.groups.size())});
  };
  walk.add.load_slab(slab, 1);
  if (mode == Mode::Direct) {
    walk.add.load_weights(work.groups, atoms, placement.weight.begin);
    convolve_groups(work.groups, placement.weight.begin);
    return;
  }
  for (std::int32_t g = work.groups.begin; g < work.groups.end; ++g) {
    const bool second = mode == Mode::PingPong && (g - work.groups.begin) % 2 == 1;
    const std::uint32_t weights = placement.weight.begin + (second ? group_atoms : 0);
    walk.add.load_weights({g, g + 1}, atoms, weights);
    convolve_groups({g, g + 1}, weights);
  }
}

// Block after block, part after part, each in its mode.
template <class ModeOf>
void walk_blocks(LayerWalk& walk, const PixelTile& area, const Block& block,
                 bool whole_accumulators, const ModeOf& mode_of) {
  for (const Range& groups :
       split_evenly(walk.all_groups(), u32(ceil_div(walk.groups, block.groups)))) {
    for (const PixelTile& tile : walk.cut_block(area.rows, area.cols, block.words)) {
      const std::uint32_t acc = block_base(walk, whole_accumulators);
      const std::uint32_t params = walk.add.load_params(groups);
      walk.add.load_operand(tile, groups, acc);
      for (std::size_t part = 0; part < walk.parts.size(); ++part) {
        add_part(walk, {tile, groups, acc, params}, part, mode_of(part));
      }
      walk.add.store(tile, groups, acc, params);
    }
  }
}

}  // namespace

void walk_channel_parts(LayerWalk& walk, Range rows, Range cols, const Mode* modes) {
  walk_blocks(walk, {rows, cols}, best_block(walk, rows, cols), false,
              [&](std::size_t part) { return modes[part]; });
}

void walk_sum_blocks(LayerWalk& walk, Range rows, Range cols, const SumBlocks& blocks) {
  const Block block{blocks.kernel_groups, walk.hw.acc_words / blocks.kernel_groups};
  walk_blocks(walk, {rows, cols}, block, true, [&](std::size_t) { return blocks.mode; });
}

void walk_resident_parts(LayerWalk& walk, Range rows, Range cols, const ResidentIfmap& ifmap,
                         RollingRows* rolling) {
  std::vector<Slab> slabs;
  std::uint32_t features = 0;
  std::uint32_t chunk = 1;
  for (const Range& part : walk.parts) {
    slabs.push_back(walk.slab_for(rows, cols, part, rolling));
    slabs.back().base += features;
    features += rolling != nullptr ? rolling->buffer.capacity() * slabs.back().row_pitch()
                                   : slabs.back().size();
    chunk = std::max(chunk, walk.add.weight_atoms({0, 1}, part));
  }
  // The first strip decides for all of them, and is not always the widest.
  const std::uint32_t widest =
      rolling == nullptr
          ? features
          : rolling->buffer.capacity() * walk.most_input_cols() * atoms_of(walk.shape, walk.hw);
  const std::uint32_t left = walk.state.regions.window().size() - widest;
  const bool placed = rolling != nullptr && rolling->placement;
  const std::uint32_t places = placed              ? rolling->placement->weight.size() / chunk
                               : left >= 2 * chunk ? 2
                                                   : 1;
  const Placement placement = walk.place(features, places * chunk, rolling);
  for (Slab& slab : slabs) {
    slab.base += placement.feature.begin;
  }
  const PixelTile tile{rows, cols};
  std::uint32_t turn = 0;
  for (std::int32_t g = 0; g < static_cast<std::int32_t>(walk.groups); ++g) {
    const Range group{g, g + 1};
    const std::uint32_t acc = block_base(walk, ifmap.whole_accumulators);
    const std::uint32_t params = walk.add.load_params(group);
    walk.add.load_operand(tile, group, acc);
    for (std::size_t part = 0; part < walk.parts.size(); ++part) {
      const std::uint32_t weights = placement.weight.begin + (turn++ % places) * chunk;
      walk.add.load_weights(group, walk.parts[part], weights);
      if (g == 0) {
        walk.load_slab(slabs[part], 1, rolling);
      }
      walk.convolve({slabs[part], tile, group, weights, acc, tile.pixels(), part > 0, params, 1});
    }
    walk.add.store(tile, group, acc, params);
  }
}

}  // namespace tessera

#include <algorithm>
#include <limits>

#include "scheduler/operations/tile_cuts.hpp"
#include "scheduler/tile_loops/loop_orders.hpp"

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
std::uint32_t block_base(TileLoops& loops, bool whole_accumulators) {
  return whole_accumulators ? 0 : loops.add.next_acc_half();
}

// The block shape with the least reads: features come once per group block (plus halo), weights
// once per pixel block.
Block best_block(const TileLoops& loops, Range rows, Range cols) {
  const Hardware& hw = loops.hw;
  Block best;
  std::uint64_t best_bytes = std::numeric_limits<std::uint64_t>::max();
  const std::uint32_t most =
      std::min({loops.groups, hw.acc_half(), hw.param_groups / 2, kMaxGroups});
  for (std::uint32_t groups = 1; groups <= most; ++groups) {
    const std::uint32_t words = hw.acc_half() / groups;
    std::uint64_t feature = 0;
    const auto tiles = loops.cut_pixels(rows, cols, words);
    for (const PixelTile& tile : tiles) {
      feature += static_cast<std::uint64_t>(input_rows(loops.shape, tile.rows).size()) *
                 static_cast<std::uint64_t>(input_cols(loops.shape, tile.cols).size());
    }
    const std::uint64_t bytes =
        feature * static_cast<std::uint64_t>(loops.shape.in_c) * ceil_div(loops.groups, groups) +
        tiles.size() * loops.taps() * static_cast<std::uint64_t>(loops.shape.in_c) *
            static_cast<std::uint64_t>(loops.shape.out_c);
    if (bytes < best_bytes) {
      best_bytes = bytes;
      best = {groups, words};
    }
  }
  return best;
}

// One channel part of a block, in its own mode.
void add_part(TileLoops& loops, const BlockWork& work, std::size_t part, Mode mode) {
  const Range atoms = loops.parts[part];
  Slab slab = loops.slab_for(work.tile.rows, work.tile.cols, atoms);
  const std::uint32_t group_atoms = loops.add.weight_atoms({0, 1}, atoms);
  const std::uint32_t weight_size = mode == Mode::Direct
                                        ? loops.add.weight_atoms(work.groups, atoms)
                                        : group_atoms * (mode == Mode::PingPong ? 2 : 1);
  const Placement placement = loops.state.allocator.place(slab.size(), weight_size);
  slab.base = placement.feature.begin;
  const auto convolve_groups = [&](Range groups, std::uint32_t weights) {
    const std::uint32_t offset = u32(groups.begin - work.groups.begin) * work.tile.pixels();
    loops.convolve({slab, work.tile, groups, weights, work.acc + offset,
                    work.tile.pixels() * u32(groups.size()), part > 0, work.params,
                    u32(work.groups.size())});
  };
  loops.add.load_slab(slab, 1);
  if (mode == Mode::Direct) {
    loops.add.load_weights(work.groups, atoms, placement.weight.begin);
    convolve_groups(work.groups, placement.weight.begin);
    return;
  }
  for (std::int32_t g = work.groups.begin; g < work.groups.end; ++g) {
    const bool second = mode == Mode::PingPong && (g - work.groups.begin) % 2 == 1;
    const std::uint32_t weights = placement.weight.begin + (second ? group_atoms : 0);
    loops.add.load_weights({g, g + 1}, atoms, weights);
    convolve_groups({g, g + 1}, weights);
  }
}

// Block after block, part after part, each in its mode.
template <class ModeOf>
void loop_blocks(TileLoops& loops, const PixelTile& area, const Block& block,
                 bool whole_accumulators, const ModeOf& mode_of) {
  for (const Range& groups :
       split_evenly(loops.all_groups(), u32(ceil_div(loops.groups, block.groups)))) {
    for (const PixelTile& tile : loops.cut_block(area.rows, area.cols, block.words)) {
      const std::uint32_t acc = block_base(loops, whole_accumulators);
      const std::uint32_t params = loops.add.load_params(groups);
      loops.add.load_operand(tile, groups, acc);
      for (std::size_t part = 0; part < loops.parts.size(); ++part) {
        add_part(loops, {tile, groups, acc, params}, part, mode_of(part));
      }
      loops.add.store(tile, groups, acc, params);
    }
  }
}

}  // namespace

void loop_channel_parts(TileLoops& loops, Range rows, Range cols, const Mode* modes) {
  loop_blocks(loops, {rows, cols}, best_block(loops, rows, cols), false,
              [&](std::size_t part) { return modes[part]; });
}

void loop_sum_blocks(TileLoops& loops, Range rows, Range cols, const SumBlocks& blocks) {
  const Block block{blocks.kernel_groups, loops.hw.acc_words / blocks.kernel_groups};
  loop_blocks(loops, {rows, cols}, block, true, [&](std::size_t) { return blocks.mode; });
}

void loop_resident_parts(TileLoops& loops, Range rows, Range cols, const ResidentIfmap& ifmap,
                         BufferedRows* rolling) {
  std::vector<Slab> slabs;
  std::uint32_t features = 0;
  std::uint32_t chunk = 1;
  for (const Range& part : loops.parts) {
    slabs.push_back(loops.slab_for(rows, cols, part, rolling));
    slabs.back().base += features;
    features += rolling != nullptr ? rolling->buffer.capacity() * slabs.back().row_pitch()
                                   : slabs.back().size();
    chunk = std::max(chunk, loops.add.weight_atoms({0, 1}, part));
  }
  // The first strip decides for all of them, and is not always the widest.
  const std::uint32_t widest =
      rolling == nullptr
          ? features
          : rolling->buffer.capacity() * loops.most_input_cols() * atoms_of(loops.shape, loops.hw);
  const std::uint32_t left = loops.state.allocator.window().size() - widest;
  const bool placed = rolling != nullptr && rolling->placement;
  const std::uint32_t places = placed              ? rolling->placement->weight.size() / chunk
                               : left >= 2 * chunk ? 2
                                                   : 1;
  const Placement placement = loops.place(features, places * chunk, rolling);
  for (Slab& slab : slabs) {
    slab.base += placement.feature.begin;
  }
  const PixelTile tile{rows, cols};
  std::uint32_t turn = 0;
  for (std::int32_t g = 0; g < static_cast<std::int32_t>(loops.groups); ++g) {
    const Range group{g, g + 1};
    const std::uint32_t acc = block_base(loops, ifmap.whole_accumulators);
    const std::uint32_t params = loops.add.load_params(group);
    loops.add.load_operand(tile, group, acc);
    for (std::size_t part = 0; part < loops.parts.size(); ++part) {
      const std::uint32_t weights = placement.weight.begin + (turn++ % places) * chunk;
      loops.add.load_weights(group, loops.parts[part], weights);
      if (g == 0) {
        loops.load_slab(slabs[part], 1, rolling);
      }
      loops.convolve({slabs[part], tile, group, weights, acc, tile.pixels(), part > 0, params, 1});
    }
    loops.add.store(tile, group, acc, params);
  }
}

}  // namespace tessera

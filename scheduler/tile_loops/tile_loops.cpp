#include "scheduler/tile_loops/tile_loops.hpp"

#include <algorithm>
#include <limits>

#include "scheduler/operations/tile_cuts.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kWeightChunks = 8;  // so that work can begin before all is there

}  // namespace

TileLoops::TileLoops(const ScheduledPass& pass, const PassResidency& residency_,
                     const Hardware& hardware, StreamState& state_,
                     std::vector<Operation>& operations)
    : shape(pass.shape.conv),
      hw(hardware),
      grid(grid_of(pass.strategy)),
      sizes(pass.sizes),
      residency(residency_),
      state(state_),
      add(pass, residency_, hardware, state_, operations),
      groups(groups_of(shape, hardware)),
      parts(split_evenly({0, static_cast<std::int32_t>(part_units(shape, hardware))},
                         channel_parts(pass.strategy))),
      most_rows_(pass.binding.is_scattered() ? 1 : kMaxTileExtent) {}

Slab TileLoops::slab_for(Range out_rows, Range out_cols, Range atoms) const {
  if (residency.ifmap) {
    return {
        residency.ifmap->rows, {0, shape.in_w}, atoms, residency.ifmap->at, residency.ifmap->ring};
  }
  return {input_rows(shape, out_rows), input_cols(shape, out_cols), atoms, 0, {}};
}

Slab TileLoops::slab_for(Range out_rows, Range out_cols, Range atoms,
                         const BufferedRows* rolling) const {
  Slab slab = slab_for(out_rows, out_cols, atoms);
  if (rolling != nullptr) {
    const KeptRows placed = rolling->buffer.place(slab.rows, 0, slab.row_pitch());
    slab.base = placed.at;
    slab.ring = placed.ring;
  }
  return slab;
}

void TileLoops::load_slab(const Slab& slab, std::uint32_t bands, const BufferedRows* rolling) {
  if (rolling == nullptr) {
    add.load_slab(slab, bands);
    return;
  }
  for (const Range& piece : slab.ring.pieces(rolling->fresh)) {
    if (piece.size() > 0) {
      Slab rows = slab;
      rows.rows = piece;
      rows.base += slab.ring.distance(slab.rows.begin, piece.begin, slab.row_pitch());
      rows.ring = {};
      add.load_slab(rows, bands);
    }
  }
}

Placement TileLoops::place(std::uint32_t feature, std::uint32_t weight, BufferedRows* rolling) {
  if (rolling == nullptr) {
    return state.allocator.place(feature, weight);
  }
  if (!rolling->placement) {
    const std::uint32_t row = most_input_cols() * atoms_of(shape, hw);
    rolling->placement = state.allocator.place(rolling->buffer.capacity() * row, weight);
  }
  return *rolling->placement;
}

std::uint32_t TileLoops::most_input_rows(const std::vector<Range>& tiles) const {
  std::uint32_t most = 0;
  for (const Range& rows : tiles) {
    most = std::max(most, u32(input_rows(shape, rows).size()));
  }
  return most;
}

std::uint32_t TileLoops::most_input_cols() const {
  std::uint32_t most = 0;
  for (const Range& cols : split_evenly({0, shape.out_w}, grid.cols)) {
    most = std::max(most, u32(input_cols(shape, cols).size()));
  }
  return most;
}

std::vector<PixelTile> TileLoops::cut_pixels(Range rows, Range cols, std::uint32_t words) const {
  return cut_tiles(pieces_of(rows), cols, std::min(words, tile_limit()), most_rows_);
}

std::vector<PixelTile> TileLoops::cut_block(Range rows, Range cols, std::uint32_t words) const {
  return cut_tiles({rows}, cols, words, most_rows_);
}

std::vector<PixelTile> TileLoops::cut_pixels_depthwise(Range rows, Range cols) const {
  if (is_diagonal(shape, hw) || shape.whole_pixels) {
    return cut_pixels(rows, cols, tile_limit());
  }
  return cut_depthwise_tiles(shape, hw, pieces_of(rows), cols, tile_limit(), most_rows_);
}

// A store writes rows that lie in one piece.
std::vector<Range> TileLoops::pieces_of(Range rows) const {
  return residency.ofmap ? residency.ofmap->ring.pieces(rows) : std::vector<Range>{rows};
}

std::uint32_t TileLoops::tile_limit() const {
  const std::uint32_t least = std::min(hw.acc_half(), 2 * hw.atomic_k);
  const std::uint32_t most = shape.whole_pixels ? std::min(hw.acc_half() / groups, kSoftmaxPixels)
                                                : std::numeric_limits<std::uint32_t>::max();
  return std::min(most, std::max(least, hw.acc_half() >> std::max(0, sizes.shift)));
}

std::uint32_t TileLoops::most_groups() const {
  return shape.whole_pixels ? groups : std::min(hw.param_groups / 2, kMaxGroups);
}

std::uint32_t TileLoops::groups_at_once(std::uint32_t pixels) const {
  if (shape.whole_pixels) {
    return groups;
  }
  const std::uint32_t enough = std::min(pixels, 2 * hw.atomic_k);
  std::uint32_t most = std::max(1U, hw.acc_half() / enough);
  if (pixels < 2 * hw.atomic_k) {
    // Weights outweigh features: work begins with the first of several chunks of them.
    const std::uint32_t chunks = std::max(1U, kWeightChunks >> std::max(0, -sizes.shift));
    most = std::min(most, u32(ceil_div(groups, chunks)));
  }
  most = std::max(1U, most >> std::max(0, sizes.shift));
  most = std::min({most, most_groups(), groups});
  return u32(ceil_div(groups, ceil_div(groups, most)));
}

std::uint32_t TileLoops::groups_together(const std::vector<PixelTile>& tiles,
                                         std::uint32_t words) const {
  const bool resumes = can_resume(shape, hw) && tiles.size() > 1;
  return shape.whole_pixels ? groups : resumes ? 1 : std::max(1U, words / most_pixels(tiles));
}

std::uint32_t TileLoops::groups_loaded(std::uint32_t most, Mode mode, bool few_pixels) const {
  if (shape.whole_pixels) {
    return groups;
  }
  const std::uint32_t group_atoms = add.weight_atoms({0, 1}, all_atoms());
  const std::uint32_t places = mode == Mode::Wait            ? 1
                               : most < groups && few_pixels ? kWeightChunks
                                                             : 2;
  const std::uint32_t fit = std::max(1U, state.allocator.window().size() / (places * group_atoms));
  return std::min({most, fit, most_groups(), groups});
}

void TileLoops::convolve(const Convolution& whole) {
  const bool diagonal = is_diagonal(shape, hw);
  const std::uint32_t phases = shape.depthwise && !diagonal ? Windows(shape, hw).phases() : 1;
  const bool by_group = shape.same_kernels || diagonal;
  if (phases == 1 && (!by_group || whole.groups.size() == 1)) {
    add.convolve(whole);
    return;
  }
  const std::uint32_t atoms =
      add.weight_offset({whole.groups.begin, whole.groups.begin + 1}, whole.slab.atoms);
  for (std::int32_t g = whole.groups.begin; g < whole.groups.end; ++g) {
    const std::uint32_t before = u32(g - whole.groups.begin);
    Convolution c = whole;
    c.groups = {g, g + 1};
    c.weights += before * atoms;
    c.acc_base += before * whole.tile.pixels();
    c.acc_words = whole.tile.pixels();
    for (c.phase = 0; c.phase < phases; ++c.phase) {
      add.convolve(c);
      c.accumulate = true;
      c.weights += Windows(shape, hw)[c.phase].chunks() * add.kernels_stored({g, g + 1});
    }
  }
}

void TileLoops::finish_tile(const Slab& slab, const PixelTile& tile, Range tile_groups,
                            std::uint32_t weights, std::uint32_t params, bool resume) {
  const std::uint32_t acc = add.next_acc_half();
  add.load_operand(tile, tile_groups, acc);
  convolve({slab, tile, tile_groups, weights, acc, tile.pixels() * u32(tile_groups.size()), false,
            params, u32(add.params_of(tile_groups).size()), resume});
  add.store(tile, tile_groups, acc, params);
}

}  // namespace tessera

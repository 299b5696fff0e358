#include "scheduler/walk/layer_planner.hpp"

#include <limits>
#include <optional>
#include <stdexcept>

#include "scheduler/walk/row_buffer.hpp"
#include "scheduler/walk/tile_cuts.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kWeightChunks = 8;  // so that work can begin before all is there
constexpr std::uint32_t kMaxGroups = 255;   // CV_WEIGHTS groups

class LayerPlanner {
 public:
  LayerPlanner(const ConvShape& shape, const Hardware& hardware, const LayerDecision& decision,
               const LayerData& data, StreamState& state, std::vector<Action>& actions)
      : shape_(shape),
        hw_(hardware),
        decision_(decision),
        data_(data),
        state_(state),
        most_rows_(data.scattered() ? 1 : kMaxTileExtent),
        add_(shape, hardware, data, state, actions),
        groups_(groups_of(shape, hardware)) {}

  void run() {
    const auto atoms = static_cast<std::int32_t>(atoms_of(shape_, hw_));
    parts_ = split_evenly({0, atoms}, decision_.channel_parts);
    add_.load_table();
    if (decision_.band_rows > 0) {
      plan_kernel_parts();
      return;
    }
    if (decision_.rolling) {
      plan_rolling();
      return;
    }
    std::size_t tile_index = 0;
    for (const Range& rows : split_evenly({0, shape_.out_h}, decision_.tiles_h)) {
      for (const Range& cols : split_evenly({0, shape_.out_w}, decision_.tiles_w)) {
        const Mode* modes = &decision_.modes[tile_index * parts_.size()];
        if (shape_.depthwise && data_.feature_kept) {
          plan_kept_depthwise(rows, cols, modes[0]);
        } else if (shape_.depthwise) {
          plan_depthwise(rows, cols, modes);
        } else if (parts_.size() > 1 && decision_.feature_resident) {
          plan_resident_parts(rows, cols);
        } else if (parts_.size() > 1) {
          plan_channel_parts(rows, cols, modes);
        } else if (data_.feature_kept) {
          plan_kept(rows, cols, modes[0]);
        } else if (modes[0] == Mode::Direct) {
          plan_direct(rows, cols);
        } else {
          plan_streamed(rows, cols, modes[0] == Mode::PingPong ? 2 : 1);
        }
        ++tile_index;
      }
    }
  }

  void run(const Band& band) {
    parts_ = split_evenly({0, static_cast<std::int32_t>(atoms_of(shape_, hw_))}, 1);
    add_.load_table();
    if (shape_.depthwise) {
      plan_band_depthwise(band);
    } else {
      plan_band(band);
    }
  }

 private:
  // Sizes -----------------------------------------------------------------------------------------

  [[nodiscard]] std::uint32_t taps() const { return u32(shape_.kernel_h) * u32(shape_.kernel_w); }
  [[nodiscard]] Range all_groups() const { return {0, static_cast<std::int32_t>(groups_)}; }
  [[nodiscard]] bool all_direct() const {
    return std::all_of(decision_.modes.begin(), decision_.modes.end(),
                       [](Mode mode) { return mode == Mode::Direct; });
  }
  [[nodiscard]] Slab slab_for(Range out_rows, Range out_cols, Range atoms) const {
    if (data_.feature_kept) {
      return {data_.feature_kept->rows,
              {0, shape_.in_w},
              atoms,
              data_.feature_kept->at,
              data_.feature_kept->ring};
    }
    const Range rows = input_rows(shape_, out_rows);
    Slab slab{rows, input_cols(shape_, out_cols), atoms, 0, {}};
    if (ring_) {
      const KeptRows placed = ring_->place(rows, 0, slab.row_pitch());
      slab.base = placed.at;
      slab.ring = placed.ring;
    }
    return slab;
  }

  // Rows that are not there yet.
  void load_slab(const Slab& slab, std::uint32_t bands) {
    if (!ring_) {
      add_.load_slab(slab, bands);
      return;
    }
    for (const Range& piece : slab.ring.pieces(fresh_)) {
      if (piece.size() > 0) {
        Slab rows = slab;
        rows.rows = piece;
        rows.base += slab.ring.distance(slab.rows.begin, piece.begin, slab.row_pitch());
        rows.ring = {};
        add_.load_slab(rows, bands);
      }
    }
  }

  [[nodiscard]] std::vector<PixelTile> cut_pixels(Range rows, Range cols,
                                                  std::uint32_t words) const {
    return cut_tiles(pieces_of(rows), cols, std::min(words, tile_limit()), most_rows_);
  }

  // A store writes rows that lie in one piece.
  [[nodiscard]] std::vector<Range> pieces_of(Range rows) const {
    return data_.keep ? data_.keep->ring.pieces(rows) : std::vector<Range>{rows};
  }

  // Accumulator words of a tile.
  [[nodiscard]] std::uint32_t tile_limit() const {
    const std::uint32_t least = std::min(hw_.acc_half(), 2 * hw_.atomic_k);
    return std::max(least, hw_.acc_half() >> std::max(0, decision_.tile_shift));
  }

  // Kernel groups that share an accumulator half with enough pixels to hide a weight tile's load.
  [[nodiscard]] std::uint32_t groups_at_once(std::uint32_t pixels) const {
    const std::uint32_t enough = std::min(pixels, 2 * hw_.atomic_k);
    std::uint32_t most = std::max(1U, hw_.acc_half() / enough);
    if (pixels < 2 * hw_.atomic_k) {
      // Weights outweigh features: work begins with the first of several chunks of them.
      const std::uint32_t chunks =
          std::max(1U, kWeightChunks >> std::max(0, -decision_.tile_shift));
      most = std::min(most, u32(ceil_div(groups_, chunks)));
    }
    most = std::max(1U, most >> std::max(0, decision_.tile_shift));
    most = std::min({most, hw_.param_groups / 2, kMaxGroups, groups_});
    return u32(ceil_div(groups_, ceil_div(groups_, most)));
  }

  // Modes -----------------------------------------------------------------------------------------

  // Weights in several parts are several convolutions, group by group; so are equal ones.
  void convolve(const Convolution& whole) {
    if (shape_.weight_parts == 1 && !(shape_.same_kernels && whole.groups.size() > 1)) {
      add_.convolve(whole);
      return;
    }
    const std::uint32_t atoms =
        add_.weight_offset({whole.groups.begin, whole.groups.begin + 1}, whole.slab.atoms);
    for (std::int32_t g = whole.groups.begin; g < whole.groups.end; ++g) {
      const std::uint32_t before = u32(g - whole.groups.begin);
      const std::uint32_t own = add_.weight_atoms({g, g + 1}, whole.slab.atoms);
      for (std::int32_t part = 0; part < shape_.weight_parts; ++part) {
        Convolution c = whole;
        c.groups = {g, g + 1};
        c.weights += before * atoms + u32(part) * own / u32(shape_.weight_parts);
        c.acc_base += before * whole.tile.pixels();
        c.acc_words = whole.tile.pixels();
        c.accumulate = whole.accumulate || part > 0;
        add_.convolve(c);
      }
    }
  }

  // Convolves and stores one tile with weights and features that are there.
  void finish_tile(const Slab& slab, const PixelTile& tile, Range groups, std::uint32_t weights,
                   std::uint32_t params, bool resume = false) {
    const std::uint32_t acc = add_.next_acc_half();
    add_.load_operand(tile, groups, acc);
    convolve({slab, tile, groups, weights, acc, tile.pixels() * u32(groups.size()), false, params,
              u32(groups.size()), resume});
    add_.store(tile, groups, acc, params);
  }

  // direct: all weights and all features of the tile are in the buffer.
  void plan_direct(Range rows, Range cols) {
    Slab slab = slab_for(rows, cols, parts_[0]);
    const bool keep = all_direct() && decision_.is_split();
    const bool resident = keep && resident_.size() > 0;
    const std::uint32_t pixels = u32(rows.size()) * u32(cols.size());
    const std::uint32_t at_once = groups_at_once(pixels);
    if (resident) {
      slab.base = state_.regions.place_feature(slab.size(), resident_).begin;
    } else {
      // Weights that stay must leave room for the largest of the slabs to come.
      const Placement placement = state_.regions.place(keep ? largest_slab() : slab.size(),
                                                       add_.weight_atoms(all_groups(), parts_[0]));
      slab.base = placement.feature.begin;
      resident_ = placement.weight;
    }
    bool slab_loaded = false;
    const auto chunks = split_evenly(all_groups(), u32(ceil_div(groups_, at_once)));
    for (const Range& groups : chunks) {
      const std::uint32_t weights =
          resident_.begin + add_.weight_offset({0, groups.begin}, parts_[0]);
      const std::uint32_t params = params_for(groups, chunks.size(), resident);
      if (!resident) {
        add_.load_weights(groups, parts_[0], weights);
      }
      if (!slab_loaded) {
        add_.load_slab(slab, decision_.feature_bands);
        slab_loaded = true;
      }
      for (const PixelTile& tile : cut_pixels(rows, cols, hw_.acc_half() / u32(groups.size()))) {
        finish_tile(slab, tile, groups, weights, params);
      }
    }
    if (!keep) {
      resident_ = {};
    }
  }

  [[nodiscard]] std::uint32_t largest_slab() const {
    std::uint32_t largest = 0;
    for (const Range& rows : split_evenly({0, shape_.out_h}, decision_.tiles_h)) {
      for (const Range& cols : split_evenly({0, shape_.out_w}, decision_.tiles_w)) {
        largest = std::max(largest, slab_for(rows, cols, parts_[0]).size());
      }
    }
    return largest;
  }

  // Parameters stay in their memory from tile to tile when all of them fit one chunk.
  std::uint32_t params_for(Range groups, std::size_t chunks, bool resident) {
    if (chunks == 1 && resident) {
      return resident_params_;
    }
    resident_params_ = add_.load_params(groups);
    return resident_params_;
  }

  // Strips of columns from top to bottom. Features keep their place.
  void plan_rolling() {
    const auto tiles = split_evenly({0, shape_.out_h}, decision_.tiles_h);
    const auto strips = split_evenly({0, shape_.out_w}, decision_.tiles_w);
    const std::uint32_t capacity = most_input_rows(tiles);
    for (const Range& cols : strips) {
      ring_.emplace(capacity);
      for (const Range& rows : tiles) {
        fresh_ = ring_->add(input_rows(shape_, rows));
        if (parts_.size() > 1) {
          plan_resident_parts(rows, cols);
        } else {
          plan_streamed(rows, cols, decision_.modes[0] == Mode::PingPong ? 2 : 1);
        }
      }
    }
  }

  [[nodiscard]] std::uint32_t most_input_rows(const std::vector<Range>& tiles) const {
    std::uint32_t most = 0;
    for (const Range& rows : tiles) {
      most = std::max(most, u32(input_rows(shape_, rows).size()));
    }
    return most;
  }
  [[nodiscard]] std::uint32_t most_input_cols() const {
    std::uint32_t most = 0;
    for (const Range& cols : split_evenly({0, shape_.out_w}, decision_.tiles_w)) {
      most = std::max(most, u32(input_cols(shape_, cols).size()));
    }
    return most;
  }

  // Of a tile's features, unless they have a ring, and weights.
  Placement place(std::uint32_t feature, std::uint32_t weight) {
    if (!ring_) {
      return state_.regions.place(feature, weight);
    }
    if (!placed_) {
      const std::uint32_t row = most_input_cols() * atoms_of(shape_, hw_);
      placed_ = state_.regions.place(ring_->capacity() * row, weight);
    }
    return *placed_;
  }

  // Weights of some kernels stay while strips of columns pass, some rows at once; then the next
  // kernels.
  void plan_kernel_parts() {
    const auto bands =
        split_evenly({0, shape_.out_h}, u32(ceil_div(u32(shape_.out_h), decision_.band_rows)));
    const auto kernels = split_evenly(all_groups(), decision_.kernel_parts);
    const std::uint32_t weights = add_.weight_atoms(kernels[0], parts_[0]);
    const std::uint32_t row = std::max(1U, most_input_cols() * atoms_of(shape_, hw_));
    // With the next band's rows beside this one's, when there is room.
    const std::uint32_t capacity =
        std::min({(state_.regions.window().size() - weights) / row, u32(shape_.in_h),
                  most_input_rows(bands) + decision_.band_rows * u32(shape_.stride_h)});
    for (const Range& part : kernels) {
      const std::uint32_t params = add_.load_params(part);
      bool are_there = false;  // weights
      for (const Range& cols : split_evenly({0, shape_.out_w}, decision_.tiles_w)) {
        ring_.emplace(capacity);
        for (const Range& rows : bands) {
          plan_rows_of_part(part, {rows, cols}, params, place(0, weights), are_there);
          are_there = true;
        }
      }
    }
  }

  void plan_rows_of_part(Range part, const PixelTile& area, std::uint32_t params,
                         const Placement& placement, bool weights_are_there) {
    fresh_ = ring_->add(input_rows(shape_, area.rows));
    Slab slab = slab_for(area.rows, area.cols, parts_[0]);
    slab.base += placement.feature.begin;
    const std::uint32_t at_once = std::min(groups_at_once(area.pixels()), u32(part.size()));
    for (const Range& groups : split_evenly(part, u32(ceil_div(u32(part.size()), at_once)))) {
      const std::uint32_t weights =
          placement.weight.begin + add_.weight_offset({part.begin, groups.begin}, parts_[0]);
      if (!weights_are_there) {
        add_.load_weights(groups, parts_[0], weights);
      }
      if (groups.begin == part.begin) {
        load_slab(slab, 1);
      }
      for (const PixelTile& tile :
           cut_pixels(area.rows, area.cols, hw_.acc_half() / u32(groups.size()))) {
        finish_tile(slab, tile, groups, weights, params + u32(groups.begin - part.begin));
      }
    }
  }

  // ping-pong and wait: features stay, one kernel group at a time in `halves` places.
  void plan_streamed(Range rows, Range cols, std::uint32_t halves) {
    Slab slab = slab_for(rows, cols, parts_[0]);
    const std::uint32_t group_atoms = add_.weight_atoms({0, 1}, parts_[0]);
    const Placement placement = place(slab.size(), halves * group_atoms);
    slab.base += placement.feature.begin;
    for (std::uint32_t g = 0; g < groups_; ++g) {
      const Range group{static_cast<std::int32_t>(g), static_cast<std::int32_t>(g) + 1};
      const std::uint32_t weights = placement.weight.begin + (g % halves) * group_atoms;
      const std::uint32_t params = add_.load_params(group);
      add_.load_weights(group, parts_[0], weights);
      if (g == 0) {
        load_slab(slab, decision_.feature_bands);
      }
      for (const PixelTile& tile : cut_pixels(rows, cols, hw_.acc_half())) {
        finish_tile(slab, tile, group, weights, params);
      }
    }
  }

  // Kernel groups whose weights are loaded together, when the feature is there: with room for the
  // next ones beside them unless the mode is wait.
  [[nodiscard]] std::uint32_t groups_loaded(std::uint32_t most, Mode mode,
                                            bool few_pixels = false) const {
    const std::uint32_t group_atoms = add_.weight_atoms({0, 1}, parts_[0]);
    const std::uint32_t places = mode == Mode::Wait             ? 1
                                 : most < groups_ && few_pixels ? kWeightChunks
                                                                : 2;
    const std::uint32_t fit = std::max(1U, state_.regions.window().size() / (places * group_atoms));
    return std::min({most, fit, hw_.param_groups / 2, kMaxGroups, groups_});
  }

  // The feature is in the buffer: weights pass by, as far ahead as there is room.
  void plan_kept(Range rows, Range cols, Mode mode) {
    const Slab slab = slab_for(rows, cols, parts_[0]);
    const std::uint32_t pixels = u32(rows.size()) * u32(cols.size());
    const std::uint32_t at_once =
        groups_loaded(groups_at_once(pixels), mode, pixels < 2 * hw_.atomic_k);
    for (const Range& groups : split_evenly(all_groups(), u32(ceil_div(groups_, at_once)))) {
      const std::uint32_t weights = state_.regions.next(add_.weight_atoms(groups, parts_[0])).begin;
      const std::uint32_t params = add_.load_params(groups);
      add_.load_weights(groups, parts_[0], weights);
      for (const PixelTile& tile : cut_pixels(rows, cols, hw_.acc_half() / u32(groups.size()))) {
        finish_tile(slab, tile, groups, weights, params);
      }
    }
  }

  void plan_kept_depthwise(Range rows, Range cols, Mode mode) {
    const Slab slab = slab_for(rows, cols, parts_[0]);
    const auto tiles = cut_pixels_depthwise(rows, cols);
    const bool resumable = can_resume(shape_, hw_) && tiles.size() > 1;
    const std::uint32_t together = resumable ? 1 : std::max(1U, tile_limit() / most_pixels(tiles));
    const std::uint32_t loaded = groups_loaded(groups_, mode);
    for (const Range& chunk : split_evenly(all_groups(), u32(ceil_div(groups_, loaded)))) {
      const std::uint32_t weights = state_.regions.next(add_.weight_atoms(chunk, chunk)).begin;
      const std::uint32_t params = add_.load_params(chunk);
      add_.load_weights(chunk, chunk, weights);
      const std::uint32_t passes = u32(ceil_div(u32(chunk.size()), together));
      for (const Range& groups : split_evenly(chunk, passes)) {
        const std::uint32_t before = add_.weight_offset({chunk.begin, groups.begin}, chunk);
        for (const PixelTile& tile : tiles) {
          finish_tile(slab, tile, groups, weights + before,
                      params + u32(groups.begin - chunk.begin),
                      resumable && tile.rows.begin != rows.begin);
        }
      }
    }
  }

  // Weights and, where there is room, parameters stay from band to band.
  std::uint32_t band_loads(const Band& band, Range groups) {
    std::uint32_t params = band.params.value_or(0) + u32(groups.begin);
    if (!band.params) {
      params = add_.load_params(groups);
    } else if (band.loads_weights) {
      add_.load_params(groups, params);
    }
    if (band.loads_weights && (groups.begin == 0 || !shape_.same_kernels)) {
      add_.load_weights(groups, parts_[0],
                        band.weights + add_.weight_offset({0, groups.begin}, parts_[0]));
    }
    return params;
  }

  void plan_band(const Band& band) {
    const Range cols{0, shape_.out_w};
    const Slab slab = slab_for(band.rows, cols, parts_[0]);
    const std::uint32_t at_once = groups_at_once(u32(band.rows.size()) * u32(cols.size()));
    for (const Range& groups : split_evenly(all_groups(), u32(ceil_div(groups_, at_once)))) {
      const std::uint32_t weights = band.weights + add_.weight_offset({0, groups.begin}, parts_[0]);
      const std::uint32_t params = band_loads(band, groups);
      for (const PixelTile& tile :
           cut_pixels(band.rows, cols, hw_.acc_half() / u32(groups.size()))) {
        finish_tile(slab, tile, groups, weights, params);
      }
    }
  }

  void plan_band_depthwise(const Band& band) {
    const Range cols{0, shape_.out_w};
    const Slab slab = slab_for(band.rows, cols, parts_[0]);
    const auto tiles = cut_pixels_depthwise(band.rows, cols);
    const bool resumable = can_resume(shape_, hw_) && tiles.size() > 1;
    const std::uint32_t together = resumable ? 1 : std::max(1U, tile_limit() / most_pixels(tiles));
    const std::uint32_t most = std::min({together, hw_.param_groups / 2, kMaxGroups, groups_});
    for (const Range& groups : split_evenly(all_groups(), u32(ceil_div(groups_, most)))) {
      const std::uint32_t weights = band.weights + add_.weight_offset({0, groups.begin}, parts_[0]);
      const std::uint32_t params = band_loads(band, groups);
      for (const PixelTile& tile : tiles) {
        finish_tile(slab, tile, groups, weights, params,
                    resumable && tile.rows.begin != band.rows.begin);
      }
    }
  }

  // depthwise: channel parts have nothing to add up, each is a layer of its own.
  void plan_depthwise(Range rows, Range cols, const Mode* modes) {
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      plan_depthwise_part(rows, cols, parts_[part], modes[part]);
    }
  }

  // A part's atoms are its kernel groups too.
  void plan_depthwise_part(Range rows, Range cols, Range part, Mode mode) {
    Slab slab = slab_for(rows, cols, part);
    const std::uint32_t group_atoms = add_.weight_atoms({part.begin, part.begin + 1}, part);
    const std::uint32_t weight_size = mode == Mode::Direct     ? add_.weight_atoms(part, part)
                                      : mode == Mode::PingPong ? 2 * group_atoms
                                                               : group_atoms;
    const Placement placement = state_.regions.place(slab.size(), weight_size);
    slab.base = placement.feature.begin;
    const auto tiles = cut_pixels_depthwise(rows, cols);
    std::uint32_t at_once = 1;
    const bool resumable = can_resume(shape_, hw_) && tiles.size() > 1;
    if (mode == Mode::Direct && !resumable) {
      at_once = std::min({std::max(1U, hw_.acc_half() / most_pixels(tiles)), hw_.param_groups / 2,
                          kMaxGroups, u32(part.size())});
    }
    for (std::int32_t g = part.begin; g < part.end; g += static_cast<std::int32_t>(at_once)) {
      const Range groups{g, std::min(g + static_cast<std::int32_t>(at_once), part.end)};
      const bool second = mode == Mode::PingPong && (g - part.begin) % 2 == 1;
      const std::uint32_t before = mode == Mode::Direct ? add_.weight_offset({part.begin, g}, part)
                                   : second             ? group_atoms
                                                        : 0;
      const std::uint32_t weights = placement.weight.begin + before;
      const std::uint32_t params = add_.load_params(groups);
      if (g == part.begin || !shape_.same_kernels || mode == Mode::PingPong) {
        add_.load_weights(groups, part, weights);
      }
      if (g == part.begin) {
        add_.load_slab(slab, decision_.feature_bands);
      }
      for (const PixelTile& tile : tiles) {
        finish_tile(slab, tile, groups, weights, params,
                    resumable && tile.rows.begin != rows.begin);
      }
    }
  }

  [[nodiscard]] std::vector<PixelTile> cut_pixels_depthwise(Range rows, Range cols) const {
    return cut_depthwise_tiles(shape_, hw_, pieces_of(rows), cols, tile_limit(), most_rows_);
  }

  // Block of output pixels and kernel groups whose sums stay in an accumulator half while the
  // channel parts pass by.
  struct Block {
    std::uint32_t groups = 1;
    std::uint32_t words = 1;  // pixels at most
  };

  // Accumulator words of a block.
  [[nodiscard]] std::uint32_t block_words() const {
    return decision_.whole_accumulators ? hw_.acc_words : hw_.acc_half();
  }
  std::uint32_t block_base() { return decision_.whole_accumulators ? 0 : add_.next_acc_half(); }

  // The features of all parts stay, their weights pass by, group by group and part by part.
  void plan_resident_parts(Range rows, Range cols) {
    std::vector<Slab> slabs;
    std::uint32_t features = 0;
    std::uint32_t chunk = 1;
    for (const Range& part : parts_) {
      slabs.push_back(slab_for(rows, cols, part));
      slabs.back().base += features;
      features += ring_ ? ring_->capacity() * slabs.back().row_pitch() : slabs.back().size();
      chunk = std::max(chunk, add_.weight_atoms({0, 1}, part));
    }
    const std::uint32_t left = state_.regions.window().size() - features;
    const std::uint32_t places = placed_             ? placed_->weight.size() / chunk
                                 : left >= 2 * chunk ? 2
                                                     : 1;
    const Placement placement = place(features, places * chunk);
    for (Slab& slab : slabs) {
      slab.base += placement.feature.begin;
    }
    const PixelTile tile{rows, cols};
    std::uint32_t turn = 0;
    for (std::int32_t g = 0; g < static_cast<std::int32_t>(groups_); ++g) {
      const Range group{g, g + 1};
      const std::uint32_t acc = block_base();
      const std::uint32_t params = add_.load_params(group);
      add_.load_operand(tile, group, acc);
      for (std::size_t part = 0; part < parts_.size(); ++part) {
        const std::uint32_t weights = placement.weight.begin + (turn++ % places) * chunk;
        add_.load_weights(group, parts_[part], weights);
        if (g == 0) {
          load_slab(slabs[part], 1);
        }
        convolve({slabs[part], tile, group, weights, acc, tile.pixels(), part > 0, params, 1});
      }
      add_.store(tile, group, acc, params);
    }
  }

  // The block shape with the least reads: features come once per group block (plus halo), weights
  // once per pixel block.
  [[nodiscard]] Block best_block(Range rows, Range cols) const {
    if (decision_.block_groups > 0) {
      return {decision_.block_groups, block_words() / decision_.block_groups};
    }
    Block best;
    std::uint64_t best_bytes = std::numeric_limits<std::uint64_t>::max();
    const std::uint32_t most =
        std::min({groups_, hw_.acc_half(), hw_.param_groups / 2, kMaxGroups});
    for (std::uint32_t groups = 1; groups <= most; ++groups) {
      const std::uint32_t words = hw_.acc_half() / groups;
      std::uint64_t feature = 0;
      const auto tiles = cut_pixels(rows, cols, words);
      for (const PixelTile& tile : tiles) {
        feature += static_cast<std::uint64_t>(input_rows(shape_, tile.rows).size()) *
                   static_cast<std::uint64_t>(input_cols(shape_, tile.cols).size());
      }
      const std::uint64_t bytes =
          feature * static_cast<std::uint64_t>(shape_.in_c) * ceil_div(groups_, groups) +
          tiles.size() * taps() * static_cast<std::uint64_t>(shape_.in_c) *
              static_cast<std::uint64_t>(shape_.out_c);
      if (bytes < best_bytes) {
        best_bytes = bytes;
        best = {groups, words};
      }
    }
    return best;
  }

  void plan_channel_parts(Range rows, Range cols, const Mode* modes) {
    const Block block = best_block(rows, cols);
    for (const Range& groups : split_evenly(all_groups(), u32(ceil_div(groups_, block.groups)))) {
      for (const PixelTile& tile : cut_tiles({rows}, cols, block.words, most_rows_)) {
        const std::uint32_t acc = block_base();
        const std::uint32_t params = add_.load_params(groups);
        add_.load_operand(tile, groups, acc);
        for (std::size_t part = 0; part < parts_.size(); ++part) {
          add_part({tile, groups, acc, params}, part, modes[part]);
        }
        add_.store(tile, groups, acc, params);
      }
    }
  }

  struct BlockWork {
    const PixelTile& tile;
    Range groups;
    std::uint32_t acc;
    std::uint32_t params;
  };

  // One channel part of a block, in its own mode.
  void add_part(const BlockWork& work, std::size_t part, Mode mode) {
    Slab slab = slab_for(work.tile.rows, work.tile.cols, parts_[part]);
    const std::uint32_t group_atoms = add_.weight_atoms({0, 1}, parts_[part]);
    const std::uint32_t weight_size = mode == Mode::Direct
                                          ? add_.weight_atoms(work.groups, parts_[part])
                                          : group_atoms * (mode == Mode::PingPong ? 2 : 1);
    const Placement placement = state_.regions.place(slab.size(), weight_size);
    slab.base = placement.feature.begin;
    const auto convolve_groups = [&](Range groups, std::uint32_t weights) {
      const std::uint32_t offset = u32(groups.begin - work.groups.begin) * work.tile.pixels();
      convolve({slab, work.tile, groups, weights, work.acc + offset,
                work.tile.pixels() * u32(groups.size()), part > 0, work.params,
                u32(work.groups.size())});
    };
    add_.load_slab(slab, 1);
    if (mode == Mode::Direct) {
      add_.load_weights(work.groups, parts_[part], placement.weight.begin);
      convolve_groups(work.groups, placement.weight.begin);
      return;
    }
    for (std::int32_t g = work.groups.begin; g < work.groups.end; ++g) {
      const bool second = mode == Mode::PingPong && (g - work.groups.begin) % 2 == 1;
      const std::uint32_t weights = placement.weight.begin + (second ? group_atoms : 0);
      add_.load_weights({g, g + 1}, parts_[part], weights);
      convolve_groups({g, g + 1}, weights);
    }
  }

  const ConvShape& shape_;
  const Hardware& hw_;
  const LayerDecision& decision_;
  const LayerData& data_;
  StreamState& state_;
  std::int32_t most_rows_;  // of a tile
  LayerActions add_;
  std::uint32_t groups_;
  std::vector<Range> parts_;
  std::optional<RowBuffer> ring_;    // of the strip of columns at hand
  Range fresh_;                      // rows of the tile at hand that are not in it yet
  std::optional<Placement> placed_;  // with a ring
  Region resident_;
  std::uint32_t resident_params_ = 0;
};

}  // namespace

void plan_layer(const ConvShape& shape, const Hardware& hardware, const LayerDecision& decision,
                const LayerData& data, StreamState& state, std::vector<Action>& actions) {
  LayerPlanner(shape, hardware, decision, data, state, actions).run();
  state.rows_last = false;
}

void plan_band(const ConvShape& shape, const Hardware& hardware, const LayerDecision& decision,
               const LayerData& data, const Band& band, StreamState& state,
               std::vector<Action>& actions) {
  LayerPlanner(shape, hardware, decision, data, state, actions).run(band);
}

void plan_feature_rows(const ConvShape& shape, const Hardware& hardware, const LayerData& data,
                       const KeptRows& rows, StreamState& state, std::vector<Action>& actions) {
  const Range atoms{0, static_cast<std::int32_t>(atoms_of(shape, hardware))};
  const std::uint32_t pitch = u32(shape.in_w) * u32(atoms.size());
  for (const Range& piece : rows.ring.pieces(rows.rows)) {
    LayerActions(shape, hardware, data, state, actions)
        .load_slab({piece, {0, shape.in_w}, atoms, rows.atom_of(piece.begin, pitch), {}}, 1);
  }
}

Traffic traffic_of(const std::vector<Action>& actions, std::size_t first) {
  Traffic traffic;
  for (std::size_t i = first; i < actions.size(); ++i) {
    if (const auto* load = std::get_if<LoadAction>(&actions[i].body); load != nullptr) {
      traffic.read_bytes += load->source.bytes();
    } else if (const auto* store = std::get_if<StoreAction>(&actions[i].body); store != nullptr) {
      traffic.write_bytes += store->keep_only ? 0 : store->dest.bytes();
    }
  }
  return traffic;
}

Traffic traffic_of(const ConvShape& shape, const Hardware& hardware,
                   const LayerDecision& decision) {
  StreamState state(hardware);
  std::vector<Action> actions;
  plan_layer(shape, hardware, decision, unplaced(shape), state, actions);
  return traffic_of(actions, 0);
}

}  // namespace tessera

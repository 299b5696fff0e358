#include "scheduler/layer_planner.hpp"

#include <limits>
#include <stdexcept>

namespace tessera {
namespace {

// Loads of a slab or of weights come in so many pieces, so that work can begin before all is there.
constexpr std::uint32_t kFeatureBands = 4;
constexpr std::uint32_t kWeightChunks = 8;
constexpr std::uint32_t kParamBytes = 12;  // bias, multiplier, shift
constexpr std::uint64_t kMaxSegment = (1U << 24) - 1;
constexpr std::uint32_t kAddressMask = (1U << 20) - 1;
constexpr std::int32_t kMaxTileExtent = 4095;  // CV_TILE rows and columns
constexpr std::uint32_t kMaxGroups = 255;      // CV_WEIGHTS groups

std::uint32_t u32(std::int64_t value) {
  return static_cast<std::uint32_t>(value);
}

/// A rectangle of pixels and a range of atoms, loaded at `base`.
struct Slab {
  Range rows, cols, atoms;
  std::uint32_t base = 0;
  [[nodiscard]] std::uint32_t row_pitch() const { return u32(cols.size()) * u32(atoms.size()); }
  [[nodiscard]] std::uint32_t size() const { return u32(rows.size()) * row_pitch(); }
};

/// Output pixels that one accumulator half holds at once.
struct PixelTile {
  Range rows, cols;
  [[nodiscard]] std::uint32_t pixels() const { return u32(rows.size()) * u32(cols.size()); }
};

std::vector<PixelTile> cut_pixels(Range rows, Range cols, std::uint32_t words) {
  const auto limit = static_cast<std::int32_t>(std::min<std::uint32_t>(words, kMaxTileExtent));
  const std::int32_t tile_cols = std::min(cols.size(), limit);
  const std::int32_t tile_rows = std::max(1, limit / tile_cols);
  std::vector<PixelTile> tiles;
  for (const Range& r : split_evenly(rows, u32(ceil_div(u32(rows.size()), u32(tile_rows))))) {
    for (const Range& c : split_evenly(cols, u32(ceil_div(u32(cols.size()), u32(tile_cols))))) {
      tiles.push_back({r, c});
    }
  }
  return tiles;
}

class LayerPlanner {
 public:
  LayerPlanner(const ConvShape& shape, const Hardware& hardware, const LayerDecision& decision,
               const LayerData& data, StreamState& state, std::vector<Action>& actions)
      : shape_(shape),
        hw_(hardware),
        decision_(decision),
        data_(data),
        state_(state),
        actions_(actions),
        groups_(groups_of(shape, hardware)) {}

  void run() {
    const auto atoms = static_cast<std::int32_t>(atoms_of(shape_, hw_));
    parts_ = split_evenly({0, atoms}, decision_.channel_parts);
    std::size_t tile_index = 0;
    for (const Range& rows : split_evenly({0, shape_.out_h}, decision_.tiles_h)) {
      for (const Range& cols : split_evenly({0, shape_.out_w}, decision_.tiles_w)) {
        const Mode* modes = &decision_.modes[tile_index * parts_.size()];
        if (parts_.size() > 1) {
          plan_channel_parts(rows, cols, modes);
        } else if (modes[0] == Mode::Direct) {
          plan_direct(rows, cols);
        } else {
          plan_streamed(rows, cols, modes[0] == Mode::PingPong ? 2 : 1);
        }
        ++tile_index;
      }
    }
  }

 private:
  // Sizes -----------------------------------------------------------------------------------------

  [[nodiscard]] std::uint32_t taps() const { return u32(shape_.kernel_h) * u32(shape_.kernel_w); }
  [[nodiscard]] Range all_groups() const { return {0, static_cast<std::int32_t>(groups_)}; }
  [[nodiscard]] std::uint32_t weight_atoms(Range groups, Range atoms) const {
    return taps() * u32(atoms.size()) * kernels_of(shape_, hw_, groups);
  }
  [[nodiscard]] bool all_direct() const {
    return std::all_of(decision_.modes.begin(), decision_.modes.end(),
                       [](Mode mode) { return mode == Mode::Direct; });
  }
  [[nodiscard]] Slab slab_for(Range out_rows, Range out_cols, Range atoms) const {
    return {input_rows(shape_, out_rows), input_cols(shape_, out_cols), atoms, 0};
  }

  // Kernel groups that share an accumulator half with enough pixels to hide a weight tile's load.
  [[nodiscard]] std::uint32_t groups_at_once(std::uint32_t pixels) const {
    const std::uint32_t enough = std::min(pixels, 2 * hw_.atomic_k);
    std::uint32_t most = std::max(1U, hw_.acc_half() / enough);
    if (pixels < 2 * hw_.atomic_k) {
      // Weights outweigh features: work begins with the first of several chunks of them.
      most = std::min(most, u32(ceil_div(groups_, kWeightChunks)));
    }
    most = std::min({most, hw_.param_groups / 2, kMaxGroups, groups_});
    return u32(ceil_div(groups_, ceil_div(groups_, most)));
  }

  // Actions ---------------------------------------------------------------------------------------

  void add_load(LoadAction load, Resource target, std::uint32_t begin, std::uint32_t size) {
    load.source.merge();
    load.dest = begin;
    Action action;
    action.unit = isa::Unit::Load;
    action.accesses.push_back({Resource::External, false, load.source.address, load.source.end()});
    action.accesses.push_back({target, true, begin, std::uint64_t{begin} + size});
    action.body = load;
    actions_.push_back(std::move(action));
  }

  // Rows of the slab in at most `bands` loads, so that work can begin before all of it is there.
  void load_slab(const Slab& slab, std::uint32_t bands) {
    const std::int64_t c0 = std::int64_t{slab.atoms.begin} * hw_.atomic_c;
    const std::int64_t c1 =
        std::min<std::int64_t>(std::int64_t{slab.atoms.end} * hw_.atomic_c, shape_.in_c);
    const auto pixel_bytes = static_cast<std::uint64_t>(c1 - c0);
    const auto pixel_stride = static_cast<std::uint64_t>(shape_.in_c);
    const std::uint64_t row_stride = pixel_stride * static_cast<std::uint64_t>(shape_.in_w);
    for (const Range& rows : split_evenly(slab.rows, std::min(bands, u32(slab.rows.size())))) {
      LoadAction load;
      load.kind = isa::LoadKind::Feature;
      load.pixel_bytes = static_cast<std::uint32_t>(pixel_bytes);
      load.source.address = data_.feature + static_cast<std::uint64_t>(rows.begin) * row_stride +
                            static_cast<std::uint64_t>(slab.cols.begin) * pixel_stride +
                            static_cast<std::uint64_t>(c0);
      load.source.segment_bytes = pixel_bytes;
      load.source.inner = static_cast<std::uint64_t>(slab.cols.size());
      load.source.inner_stride = pixel_stride;
      load.source.outer = static_cast<std::uint64_t>(rows.size());
      load.source.outer_stride = row_stride;
      const std::uint32_t offset = u32(rows.begin - slab.rows.begin) * slab.row_pitch();
      add_load(load, Resource::Cbuf, slab.base + offset, u32(rows.size()) * slab.row_pitch());
    }
  }

  // Weights of one channel part lie together, group by group.
  void load_weights(Range groups, std::size_t part, std::uint32_t base) {
    const std::uint64_t unit = weight_unit_bytes(shape_, hw_);
    const std::uint64_t kernels_before = static_cast<std::uint64_t>(groups.begin) * hw_.atomic_k;
    const auto atoms_before = static_cast<std::uint64_t>(parts_[part].begin);
    const auto atoms = static_cast<std::uint64_t>(parts_[part].size());
    LoadAction load;
    load.kind = isa::LoadKind::Weight;
    load.pixel_bytes = static_cast<std::uint32_t>(unit);
    load.source.address =
        data_.weights +
        taps() * unit *
            (atoms_before * static_cast<std::uint64_t>(shape_.out_c) + atoms * kernels_before);
    load.source.segment_bytes = weight_atoms(groups, parts_[part]) * unit;
    add_load(load, Resource::Cbuf, base, weight_atoms(groups, parts_[part]));
  }

  // Returns the first group in the parameter memory.
  std::uint32_t load_params(Range groups) {
    const std::uint32_t count = u32(groups.size());
    if (state_.param_next + count > hw_.param_groups) {
      state_.param_next = 0;
    }
    const std::uint32_t base = state_.param_next;
    state_.param_next += count;
    LoadAction load;
    load.kind = isa::LoadKind::Param;
    load.pixel_bytes = kParamBytes;
    load.source.address =
        data_.params + static_cast<std::uint64_t>(groups.begin) * hw_.atomic_k * kParamBytes;
    load.source.segment_bytes = std::uint64_t{kernels_of(shape_, hw_, groups)} * kParamBytes;
    add_load(load, Resource::Parameter, base, count);
    return base;
  }

  [[nodiscard]] std::uint32_t last_kernels(Range groups) const {
    return kernels_of(shape_, hw_, {groups.end - 1, groups.end});
  }

  struct Convolution {
    const Slab& slab;
    const PixelTile& tile;
    Range groups;
    std::uint32_t weights;  // first atom
    std::uint32_t acc_base;
    std::uint32_t acc_words;  // from acc_base
    bool accumulate;
    std::uint32_t params;  // where the store after it finds them
    std::uint32_t param_groups;
  };

  void convolve(const Convolution& c) {
    ConvAction conv;
    conv.input.rows = u32(c.slab.rows.size());
    conv.input.cols = u32(c.slab.cols.size());
    conv.input.atoms = u32(c.slab.atoms.size());
    conv.input.zero_point = data_.input_zero_point;
    conv.kernel = {u32(shape_.kernel_h), u32(shape_.kernel_w),   u32(shape_.stride_h),
                   u32(shape_.stride_w), u32(shape_.dilation_h), u32(shape_.dilation_w),
                   c.slab.row_pitch()};
    conv.tile.y0 = c.tile.rows.begin * shape_.stride_h - shape_.pad_top - c.slab.rows.begin;
    conv.tile.x0 = c.tile.cols.begin * shape_.stride_w - shape_.pad_left - c.slab.cols.begin;
    conv.tile.rows = u32(c.tile.rows.size());
    conv.tile.cols = u32(c.tile.cols.size());
    conv.weights = {c.weights, u32(c.groups.size()), last_kernels(c.groups)};
    conv.origin = u32(std::int64_t{c.slab.base} + std::int64_t{conv.tile.y0} * c.slab.row_pitch() +
                      std::int64_t{conv.tile.x0} * c.slab.atoms.size()) &
                  kAddressMask;
    conv.acc_base = c.acc_base;
    conv.accumulate = c.accumulate;

    const Range rows = input_rows(shape_, c.tile.rows);
    const std::uint32_t pitch = c.slab.row_pitch();
    const std::uint64_t first =
        c.slab.base + std::uint64_t{u32(rows.begin - c.slab.rows.begin)} * pitch;
    Action action;
    action.unit = isa::Unit::Compute;
    action.accesses.push_back(
        {Resource::Cbuf, false, first, first + std::uint64_t{u32(rows.size())} * pitch});
    action.accesses.push_back({Resource::Cbuf, false, c.weights,
                               std::uint64_t{c.weights} + weight_atoms(c.groups, c.slab.atoms)});
    action.accesses.push_back(
        {Resource::Accumulator, true, c.acc_base, std::uint64_t{c.acc_base} + c.acc_words});
    // Loads cannot hand tokens to stores: the convolution before the store waits for its
    // parameters.
    action.accesses.push_back(
        {Resource::Parameter, false, c.params, std::uint64_t{c.params} + c.param_groups});
    action.body = conv;
    actions_.push_back(std::move(action));
  }

  void store(const PixelTile& tile, Range groups, std::uint32_t acc_base, std::uint32_t params) {
    StoreAction store;
    const auto channels = static_cast<std::uint64_t>(shape_.out_c);
    const std::uint64_t row_stride = channels * static_cast<std::uint64_t>(shape_.out_w);
    store.dest.address = data_.output + static_cast<std::uint64_t>(tile.rows.begin) * row_stride +
                         static_cast<std::uint64_t>(tile.cols.begin) * channels +
                         static_cast<std::uint64_t>(groups.begin) * hw_.atomic_k;
    store.dest.segment_bytes = kernels_of(shape_, hw_, groups);
    store.dest.inner = static_cast<std::uint64_t>(tile.cols.size());
    store.dest.inner_stride = channels;
    store.dest.outer = static_cast<std::uint64_t>(tile.rows.size());
    store.dest.outer_stride = row_stride;
    store.dest.merge();
    store.quant = data_.quant;
    store.tile = {tile.pixels(), u32(groups.size()), last_kernels(groups), params};
    store.acc_base = acc_base;
    Action action;
    action.unit = isa::Unit::Store;
    action.accesses.push_back(
        {Resource::Accumulator, false, acc_base,
         std::uint64_t{acc_base} + std::uint64_t{tile.pixels()} * u32(groups.size())});
    action.accesses.push_back(
        {Resource::Parameter, false, params, std::uint64_t{params} + u32(groups.size())});
    action.accesses.push_back({Resource::External, true, store.dest.address, store.dest.end()});
    action.body = store;
    actions_.push_back(std::move(action));
  }

  std::uint32_t next_acc_half() {
    const std::uint32_t base = state_.acc_half * hw_.acc_half();
    state_.acc_half ^= 1;
    return base;
  }

  // Convolves and stores one tile with weights and features that are there.
  void finish_tile(const Slab& slab, const PixelTile& tile, Range groups, std::uint32_t weights,
                   std::uint32_t params) {
    const std::uint32_t acc = next_acc_half();
    convolve({slab, tile, groups, weights, acc, tile.pixels() * u32(groups.size()), false, params,
              u32(groups.size())});
    store(tile, groups, acc, params);
  }

  // Modes -----------------------------------------------------------------------------------------

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
      const Placement placement =
          state_.regions.place(slab.size(), weight_atoms(all_groups(), parts_[0]));
      slab.base = placement.feature.begin;
      resident_ = placement.weight;
    }
    bool slab_loaded = false;
    const auto chunks = split_evenly(all_groups(), u32(ceil_div(groups_, at_once)));
    for (const Range& groups : chunks) {
      const std::uint32_t weights = resident_.begin + weight_atoms({0, groups.begin}, parts_[0]);
      const std::uint32_t params = params_for(groups, chunks.size(), resident);
      if (!resident) {
        load_weights(groups, 0, weights);
      }
      if (!slab_loaded) {
        load_slab(slab, kFeatureBands);
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

  // Parameters stay in their memory from tile to tile when all of them fit one chunk.
  std::uint32_t params_for(Range groups, std::size_t chunks, bool resident) {
    if (chunks == 1 && resident) {
      return resident_params_;
    }
    resident_params_ = load_params(groups);
    return resident_params_;
  }

  // ping-pong and wait: features stay, one kernel group at a time in `halves` places.
  void plan_streamed(Range rows, Range cols, std::uint32_t halves) {
    Slab slab = slab_for(rows, cols, parts_[0]);
    const std::uint32_t group_atoms = weight_atoms({0, 1}, parts_[0]);
    const Placement placement = state_.regions.place(slab.size(), halves * group_atoms);
    slab.base = placement.feature.begin;
    for (std::uint32_t g = 0; g < groups_; ++g) {
      const Range group{static_cast<std::int32_t>(g), static_cast<std::int32_t>(g) + 1};
      const std::uint32_t weights = placement.weight.begin + (g % halves) * group_atoms;
      const std::uint32_t params = load_params(group);
      load_weights(group, 0, weights);
      if (g == 0) {
        load_slab(slab, kFeatureBands);
      }
      for (const PixelTile& tile : cut_pixels(rows, cols, hw_.acc_half())) {
        finish_tile(slab, tile, group, weights, params);
      }
    }
  }

  // Block of output pixels and kernel groups whose sums stay in an accumulator half while the
  // channel parts pass by.
  struct Block {
    std::uint32_t groups = 1;
    std::uint32_t words = 1;  // pixels at most
  };

  // The block shape with the least reads: features come once per group block (plus halo), weights
  // once per pixel block.
  [[nodiscard]] Block best_block(Range rows, Range cols) const {
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
      for (const PixelTile& tile : cut_pixels(rows, cols, block.words)) {
        const std::uint32_t acc = next_acc_half();
        const std::uint32_t params = load_params(groups);
        for (std::size_t part = 0; part < parts_.size(); ++part) {
          add_part({tile, groups, acc, params}, part, modes[part]);
        }
        store(tile, groups, acc, params);
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
    const std::uint32_t group_atoms = weight_atoms({0, 1}, parts_[part]);
    const std::uint32_t weight_size = mode == Mode::Direct
                                          ? weight_atoms(work.groups, parts_[part])
                                          : group_atoms * (mode == Mode::PingPong ? 2 : 1);
    const Placement placement = state_.regions.place(slab.size(), weight_size);
    slab.base = placement.feature.begin;
    const auto convolve_groups = [&](Range groups, std::uint32_t weights) {
      const std::uint32_t offset = u32(groups.begin - work.groups.begin) * work.tile.pixels();
      convolve({slab, work.tile, groups, weights, work.acc + offset,
                work.tile.pixels() * u32(groups.size()), part > 0, work.params,
                u32(work.groups.size())});
    };
    load_slab(slab, 1);
    if (mode == Mode::Direct) {
      load_weights(work.groups, part, placement.weight.begin);
      convolve_groups(work.groups, placement.weight.begin);
      return;
    }
    for (std::int32_t g = work.groups.begin; g < work.groups.end; ++g) {
      const bool second = mode == Mode::PingPong && (g - work.groups.begin) % 2 == 1;
      const std::uint32_t weights = placement.weight.begin + (second ? group_atoms : 0);
      load_weights({g, g + 1}, part, weights);
      convolve_groups({g, g + 1}, weights);
    }
  }

  const ConvShape& shape_;
  const Hardware& hw_;
  const LayerDecision& decision_;
  const LayerData& data_;
  StreamState& state_;
  std::vector<Action>& actions_;
  std::uint32_t groups_;
  std::vector<Range> parts_;
  Region resident_;
  std::uint32_t resident_params_ = 0;
};

}  // namespace

void Transfer::merge() {
  if (inner > 1 && inner_stride == segment_bytes && segment_bytes * inner <= kMaxSegment) {
    segment_bytes *= inner;
    inner = 1;
    inner_stride = 0;
  }
  if (inner == 1 && outer > 1 && outer_stride == segment_bytes &&
      segment_bytes * outer <= kMaxSegment) {
    segment_bytes *= outer;
    outer = 1;
    outer_stride = 0;
  }
  if (inner == 1) {
    inner_stride = 0;
  }
  if (outer == 1) {
    outer_stride = 0;
  }
}

std::uint32_t weight_unit_bytes(const ConvShape& shape, const Hardware& hardware) {
  return std::min(hardware.atomic_c, static_cast<std::uint32_t>(shape.in_c));
}

void plan_layer(const ConvShape& shape, const Hardware& hardware, const LayerDecision& decision,
                const LayerData& data, StreamState& state, std::vector<Action>& actions) {
  LayerPlanner(shape, hardware, decision, data, state, actions).run();
}

Traffic traffic_of(const ConvShape& shape, const Hardware& hardware,
                   const LayerDecision& decision) {
  StreamState state(hardware);
  std::vector<Action> actions;
  plan_layer(shape, hardware, decision, {}, state, actions);
  Traffic traffic;
  for (const Action& action : actions) {
    if (const auto* load = std::get_if<LoadAction>(&action.body); load != nullptr) {
      traffic.read_bytes += load->source.bytes();
    } else if (const auto* store = std::get_if<StoreAction>(&action.body); store != nullptr) {
      traffic.write_bytes += store->dest.bytes();
    }
  }
  return traffic;
}

}  // namespace tessera

// The published rules: direct, ping-pong, wait, split.
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "scheduler/lower/tiling.hpp"
#include "scheduler/tile_loops/pass_planner.hpp"
#include "scheduler/tiling/modes.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

struct Split {
  std::uint32_t channels = 1;
  std::uint32_t tiles_h = 1;
  std::uint32_t tiles_w = 1;
  [[nodiscard]] std::uint32_t tiles() const { return tiles_h * tiles_w; }
};

class Decider {
 public:
  Decider(const ConvShape& shape, const Hardware& hardware, CbufBudget budget, Policy policy)
      : shape_(shape),
        hardware_(hardware),
        budget_(budget),
        cbuf_(budget.bytes(hardware)),
        policy_(std::move(policy)),
        atoms_(part_units(shape, hardware)) {
    if (shape.whole_pixels) {
      policy_.mode = ForcedMode::None;
      policy_.split = SplitChoice::Spatial;
    }
    sizes_.total_cbuf = cbuf_;
    sizes_.total_weight = weight_bytes(atoms_, static_cast<std::uint32_t>(shape.out_c));
    sizes_.min_weight = weight_bytes(atoms_, first_group());
    sizes_.total_feature = feature_bytes(shape.in_h, shape.in_w, atoms_);
  }

  Decided run_kept() {
    sizes_.total_feature = 0;
    if (const std::optional<Mode> mode = mode_for(0, atoms_)) {
      take(whole(*mode), "the feature is in the buffer, the first rule that holds for the weights");
    }
    return std::move(decided_);
  }

  Decided run() {
    switch (policy_.mode) {
      case ForcedMode::None:
        first_fit();
        break;
      case ForcedMode::Direct:
        force(Mode::Direct);
        break;
      case ForcedMode::PingPong:
        force(Mode::PingPong);
        break;
      case ForcedMode::Wait:
        force(Mode::Wait);
        break;
      default:
        force_split();
        break;
    }
    return std::move(decided_);
  }

 private:
  static Strategy whole(Mode mode) { return SpatialTiles{{}, {mode}, false}; }

  void take(Strategy strategy, std::string reason) {
    decided_.decision =
        LayerDecision{std::move(strategy), {sizes_, std::move(trace_), std::move(reason)}};
  }

  // Kernels whose weights must be there at once.
  [[nodiscard]] std::uint32_t first_group() const {
    if (shape_.whole_pixels) {
      return static_cast<std::uint32_t>(shape_.out_c);
    }
    return std::min<std::uint32_t>(hardware_.atomic_k, static_cast<std::uint32_t>(shape_.out_c));
  }
  [[nodiscard]] std::uint64_t weight_bytes(std::uint32_t atoms, std::uint32_t kernels) const {
    return kernel_atoms(shape_, hardware_, atoms) * hardware_.atomic_c *
           std::min(kernels, stored_kernels(shape_, hardware_));
  }
  // Kernels that see a part of `atoms`: all of them, or the channels' own.
  [[nodiscard]] std::uint32_t kernels_on(std::uint32_t atoms) const {
    const auto all = static_cast<std::uint32_t>(shape_.out_c);
    return shape_.depthwise ? std::min(all, atoms * hardware_.atomic_k) : all;
  }
  [[nodiscard]] std::uint64_t feature_bytes(std::int32_t rows, std::int32_t cols,
                                            std::uint32_t atoms) const {
    return static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols) *
           most_part_atoms(shape_, hardware_, atoms) * hardware_.atomic_c;
  }

  bool test(const std::string& rule, const std::string& formula, std::uint64_t weights,
            int weight_factor, std::uint64_t feature) {
    const std::uint64_t need = static_cast<std::uint64_t>(weight_factor) * weights + feature;
    const bool holds = need <= cbuf_;
    const std::string factor = weight_factor == 1 ? "" : fmt::format("{} * ", weight_factor);
    trace_.push_back({rule, formula + " <= total_cbuf",
                      fmt::format("{}{} + {} = {} {} {}", factor, weights, feature, need,
                                  holds ? "<=" : ">", cbuf_),
                      holds});
    return holds;
  }

  // The first of direct, ping-pong, wait for a part; nothing when none fits.
  [[nodiscard]] std::optional<Mode> mode_for(std::uint64_t feature, std::uint32_t atoms) const {
    const std::uint64_t total = weight_bytes(atoms, kernels_on(atoms));
    const std::uint64_t group = weight_bytes(atoms, first_group());
    if (total + feature <= cbuf_) {
      return Mode::Direct;
    }
    if (2 * group + feature <= cbuf_) {
      return Mode::PingPong;
    }
    if (group + feature <= cbuf_) {
      return Mode::Wait;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::int32_t largest_rows(std::uint32_t tiles) const {
    std::int32_t largest = 0;
    for (const Range& out : split_evenly({0, shape_.out_h}, tiles)) {
      largest = std::max(largest, input_rows(shape_, out).size());
    }
    return largest;
  }
  [[nodiscard]] std::int32_t largest_cols(std::uint32_t tiles) const {
    std::int32_t largest = 0;
    for (const Range& out : split_evenly({0, shape_.out_w}, tiles)) {
      largest = std::max(largest, input_cols(shape_, out).size());
    }
    return largest;
  }

  [[nodiscard]] std::uint32_t part_atoms(std::uint32_t parts) const {
    return static_cast<std::uint32_t>(ceil_div(atoms_, parts));
  }

  // The smallest N of at least 2 whose parts fit.
  [[nodiscard]] std::optional<Split> channel_split() const {
    for (std::uint32_t n = 2; n <= atoms_; ++n) {
      const std::uint32_t atoms = part_atoms(n);
      if (feature_bytes(shape_.in_h, shape_.in_w, atoms) + weight_bytes(atoms, first_group()) <=
          cbuf_) {
        return Split{n, 1, 1};
      }
    }
    return std::nullopt;
  }

  // The fewest tiles (at least `least`) that fit with `atoms` channels; rows are cut before
  // columns.
  [[nodiscard]] std::optional<Split> spatial_split(std::uint32_t atoms, std::uint32_t least) const {
    const auto rows = static_cast<std::uint32_t>(shape_.out_h);
    const auto cols = static_cast<std::uint32_t>(shape_.out_w);
    const std::uint64_t weights = weight_bytes(atoms, first_group());
    std::optional<Split> best;
    for (std::uint32_t w = 1; w <= cols; ++w) {
      if (best && w >= best->tiles()) {
        break;
      }
      const std::int32_t tile_cols = largest_cols(w);
      const auto fits = [&](std::uint32_t h) {
        return feature_bytes(largest_rows(h), tile_cols, atoms) + weights <= cbuf_;
      };
      std::uint32_t low =
          static_cast<std::uint32_t>(std::max<std::uint64_t>(1, ceil_div(least, w)));
      std::uint32_t high = best ? std::min(rows, (best->tiles() - 1) / w) : rows;
      if (low > high || !fits(high)) {
        continue;
      }
      // Fewer tiles need more rows each, up to one row of rounding: search, then step down.
      while (low < high) {
        const std::uint32_t middle = low + (high - low) / 2;
        if (fits(middle)) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      best = Split{1, low, w};
    }
    return best;
  }

  [[nodiscard]] std::optional<Split> both_split(std::uint32_t least_parts) const {
    std::optional<Split> best;
    for (std::uint32_t n = least_parts; n <= atoms_; ++n) {
      if (best && n * 2 > best->channels * best->tiles()) {
        break;
      }
      if (n > 2 && part_atoms(n) == part_atoms(n - 1)) {
        continue;
      }
      auto split = spatial_split(part_atoms(n), 2);
      if (split) {
        split->channels = n;
        if (!best || n * split->tiles() < best->channels * best->tiles()) {
          best = split;
        }
      }
    }
    return best;
  }

  [[nodiscard]] Strategy with(const Split& split) const {
    std::vector<Mode> modes;
    const auto parts = split_evenly({0, static_cast<std::int32_t>(atoms_)}, split.channels);
    for (const Range& rows : split_evenly({0, shape_.out_h}, split.tiles_h)) {
      for (const Range& cols : split_evenly({0, shape_.out_w}, split.tiles_w)) {
        for (const Range& atoms : parts) {
          const auto n = static_cast<std::uint32_t>(atoms.size());
          const std::uint64_t feature =
              feature_bytes(input_rows(shape_, rows).size(), input_cols(shape_, cols).size(), n);
          modes.push_back(mode_for(feature, n).value());
        }
      }
    }
    const TileGrid grid{split.tiles_h, split.tiles_w};
    if (split.channels == 1) {
      return SpatialTiles{grid, std::move(modes), false};
    }
    return ChannelSplit{grid, split.channels, std::move(modes)};
  }

  void note_split(const char* rule, const std::optional<Split>& split) {
    Inequality line;
    line.rule = rule;
    line.holds = split.has_value();
    if (!split) {
      line.formula = "max_split_feature + max_split_weight <= total_cbuf";
      line.numbers = "holds for no number of parts";
    } else {
      const std::uint32_t atoms = part_atoms(split->channels);
      const std::uint64_t feature =
          feature_bytes(largest_rows(split->tiles_h), largest_cols(split->tiles_w), atoms);
      const std::uint64_t weights = weight_bytes(atoms, first_group());
      line.formula = fmt::format(
          "max_split_feature + max_split_weight <= total_cbuf, {} channel part(s), {} x {} tile(s)",
          split->channels, split->tiles_h, split->tiles_w);
      line.numbers = fmt::format("{} + {} = {} <= {}", feature, weights, feature + weights, cbuf_);
    }
    trace_.push_back(line);
  }

  void first_fit() {
    const BufferSizes& s = sizes_;
    if (test("direct", "total_weight + total_feature", s.total_weight, 1, s.total_feature)) {
      return take(whole(Mode::Direct), "the first rule that holds");
    }
    if (test("ping-pong", "2 * min_weight + total_feature", s.min_weight, 2, s.total_feature)) {
      return take(whole(Mode::PingPong), "the first rule that holds");
    }
    if (test("wait", "min_weight + total_feature", s.min_weight, 1, s.total_feature)) {
      return take(whole(Mode::Wait), "the first rule that holds");
    }
    const auto channels = policy_.split == SplitChoice::Spatial ? std::nullopt : channel_split();
    const auto spatial =
        policy_.split == SplitChoice::Channels ? std::nullopt : spatial_split(atoms_, 2);
    if (policy_.split != SplitChoice::Spatial) {
      note_split("split by channels", channels);
    }
    if (policy_.split != SplitChoice::Channels) {
      note_split("split by height and width", spatial);
    }
    if (!channels && !spatial) {
      return take_both();
    }
    if (channels && spatial && is_diagonal(shape_, hardware_)) {
      return take(with(*spatial), "pixels come in longer pieces than by channels");
    }
    if (channels && spatial) {
      return take_cheaper(with(*channels), with(*spatial));
    }
    take(with(channels ? *channels : *spatial), policy_.split == SplitChoice::Auto
                                                    ? "the only split that fits"
                                                    : "the split that was asked for");
  }

  void take_both() {
    const auto both = both_split(2);
    note_split("split by channels and space", both);
    if (both) {
      take(with(*both), "neither split is enough alone");
    } else {
      decided_.problem = too_large();
    }
  }

  void take_cheaper(Strategy channels, Strategy spatial) {
    const Traffic a = traffic_of(shape_, hardware_, channels, budget_.atoms);
    const Traffic b = traffic_of(shape_, hardware_, spatial, budget_.atoms);
    const std::uint64_t bytes_a = a.read_bytes + a.write_bytes;
    const std::uint64_t bytes_b = b.read_bytes + b.write_bytes;
    take(bytes_a < bytes_b ? std::move(channels) : std::move(spatial),
         fmt::format("external bytes: {} by channels, {} by height and width", bytes_a, bytes_b));
  }

  void force(Mode mode) {
    const BufferSizes& s = sizes_;
    const bool fits =
        mode == Mode::Direct
            ? test("direct", "total_weight + total_feature", s.total_weight, 1, s.total_feature)
        : mode == Mode::PingPong
            ? test("ping-pong", "2 * min_weight + total_feature", s.min_weight, 2, s.total_feature)
            : test("wait", "min_weight + total_feature", s.min_weight, 1, s.total_feature);
    if (fits) {
      take(whole(mode), "the mode that was asked for");
    } else {
      decided_.problem = fmt::format("layer `{}`: mode {} does not fit: {}", shape_.name,
                                     name_of(mode), trace_.back().numbers);
    }
  }

  void force_split() {
    std::optional<Split> split;
    const char* rule = "split by channels and space";
    if (policy_.mode == ForcedMode::SplitChannels) {
      split = channel_split();
      rule = "split by channels";
    } else if (policy_.mode == ForcedMode::SplitSpatial) {
      split = spatial_split(atoms_, 2);
      rule = "split by height and width";
    } else {
      split = both_split(2);
    }
    note_split(rule, split);
    if (split) {
      take(with(*split), "the split that was asked for");
    } else {
      decided_.problem =
          fmt::format("layer `{}`: {} does not fit {} bytes of cbuf", shape_.name, rule, cbuf_);
    }
  }

  [[nodiscard]] std::string too_large() const {
    const std::int32_t rows = std::min(shape_.in_h, (shape_.kernel_h - 1) * shape_.dilation_h + 1);
    const std::int32_t cols = std::min(shape_.in_w, (shape_.kernel_w - 1) * shape_.dilation_w + 1);
    const std::uint64_t need = feature_bytes(rows, cols, 1) + weight_bytes(1, first_group());
    return fmt::format(
        "layer `{}` does not fit the cbuf: its smallest part (one output pixel, {} input channels, "
        "{} kernels) needs {} bytes, the cbuf has {}",
        shape_.name, shape_.depthwise ? hardware_.atomic_k : hardware_.atomic_c, first_group(),
        need, cbuf_);
  }

  const ConvShape& shape_;
  const Hardware& hardware_;
  CbufBudget budget_;
  std::uint64_t cbuf_;  // the same in bytes
  Policy policy_;
  std::uint32_t atoms_;  // what channel parts are cut from: kernel groups when depthwise
  BufferSizes sizes_;
  std::vector<Inequality> trace_;
  Decided decided_;
};

}  // namespace

Decided decide_layer_within(const ConvShape& shape, const Hardware& hardware, CbufBudget budget,
                            const Policy& policy) {
  return Decider(shape, hardware, budget, policy).run();
}

Decided decide_kept(const ConvShape& shape, const Hardware& hardware, CbufBudget budget) {
  return Decider(shape, hardware, budget, {}).run_kept();
}

LayerDecision decide_layer(const ConvShape& shape, const Hardware& hardware, const Policy& policy) {
  Decided decided = decide_layer_within(shape, hardware, whole_cbuf(hardware), policy);
  if (!decided.decision) {
    throw InputError(decided.problem);
  }
  return std::move(*decided.decision);
}

}  // namespace tessera

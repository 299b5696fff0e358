#include "scheduler/interlayer/fused_groups.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "scheduler/lower/tiling.hpp"
#include "scheduler/tile_loops/pass_planner.hpp"

namespace tessera {
namespace {

constexpr std::size_t kLongest = 8;  // layers in a group

double external_rate(const PlannedUnits& units) {
  return std::clamp<double>(units.policy.memory.bytes_per_cycle, 1e-3, units.hardware.bus_bytes);
}

class GroupChooser {
 public:
  explicit GroupChooser(const PlannedUnits& units) : units_(units), hw_(units.hardware) {
    for (std::size_t p = 0; p < units.order.size(); ++p) {
      if (units.unit_at(p).kind == OperatorPlace::Accelerator && units.passes_at(p).size() == 1 &&
          !has_computed_weights(p)) {
        places_.push_back(p);
      }
    }
    for (ResidencyCandidate& candidate : find_residency_candidates(units)) {
      if (candidate.atoms <= hw_.cbuf_atoms() / 2) {
        for (const std::size_t reader : candidate.readers) {
          feature_kept_[reader] = candidate.atoms;
        }
        if (!candidate.external) {
          output_kept_[candidate.writer] = candidate.atoms;
        }
      }
      if (is_link(candidate)) {
        linked_.insert(candidate.writer);
        if (candidate.external || candidate.readers.size() > 1) {
          stored_.insert(candidate.writer);
        }
      }
    }
  }

  std::vector<FusedGroup> run() {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      FusedGroup chain{places_[i], places_[i]};
      for (; linked_.count(chain.last) != 0; ++i) {
        ++chain.last;
      }
      cut(chain);
    }
    return std::move(groups_);
  }

 private:
  /// What the objective counts first, then second.
  struct Cost {
    double first = 0;
    double second = 0;
    Cost operator+(const Cost& other) const { return {first + other.first, second + other.second}; }
    bool operator<(const Cost& other) const {
      return first != other.first ? first < other.first : second < other.second;
    }
  };

  [[nodiscard]] const ConvShape& shape_at(std::size_t place) const {
    return units_.passes_at(place)[0].shape.conv;
  }

  // A group loads all weights before its first rows.
  [[nodiscard]] bool has_computed_weights(std::size_t place) const {
    return units_.unit_at(place).lowering.passes[0].weights.has_value();
  }

  // The next unit, and nobody else, reads it, pixel by pixel. One that writes a state waits for all
  // that reads the old one.
  [[nodiscard]] bool is_link(const ResidencyCandidate& candidate) const {
    const std::size_t writer = candidate.writer;
    if (candidate.readers.front() != writer + 1 || units_.passes_at(writer + 1).size() != 1 ||
        has_computed_weights(writer) || has_computed_weights(writer + 1) ||
        units_.activations.is_state(
            units_.activations.buffer_of(units_.unit_at(writer + 1).written()))) {
      return false;
    }
    const ConvShape& made = shape_at(writer);
    const ConvShape& read = shape_at(writer + 1);
    return made.out_h == read.in_h && made.out_w == read.in_w && made.out_c == read.in_c;
  }

  // Cuts a chain where that costs least in all: the best way to the end of each prefix.
  void cut(const FusedGroup& chain) {
    const std::size_t n = chain.last - chain.first + 1;
    std::vector<bool> is_group(n + 1, false);
    std::vector<Cost> least(n + 1, {std::numeric_limits<double>::max(), 0});
    std::vector<std::size_t> begins(n + 1, 0);
    least[0] = {};
    for (std::size_t end = 1; end <= n; ++end) {
      for (std::size_t begin = end - std::min(end, kLongest); begin < end; ++begin) {
        const FusedGroup part{chain.first + begin, chain.first + end - 1};
        const auto consider = [&](const std::optional<Cost>& own, bool group) {
          if (own && least[begin] + *own < least[end]) {
            least[end] = least[begin] + *own;
            begins[end] = begin;
            is_group[end] = group;
          }
        };
        if (part.first == part.last) {
          consider(alone(part.first), false);
        }
        consider(fused(part), true);
      }
    }
    std::vector<FusedGroup> parts;
    for (std::size_t end = n; end > 0; end = begins[end]) {
      if (is_group[end]) {
        parts.push_back({chain.first + begins[end], chain.first + end - 1});
      }
    }
    groups_.insert(groups_.end(), parts.rbegin(), parts.rend());
  }

  // `waiting`: bytes of features, whose tiles follow each other without much overlap.
  [[nodiscard]] Cost cost(double array_cycles, double bytes, double waiting) const {
    const double rate = external_rate(units_);
    return units_.policy.objective != Objective::Cycles
               ? Cost{bytes, array_cycles}
               : Cost{std::max(array_cycles, bytes / rate) +
                          std::min(array_cycles, waiting / rate) / 2,
                      bytes};
  }

  [[nodiscard]] double constants(std::size_t place) const {
    return static_cast<double>(packed_bytes(shape_at(place), hw_));
  }
  [[nodiscard]] double output_bytes(std::size_t place) const {
    const ConvShape& shape = shape_at(place);
    return output_kept_.count(place) != 0
               ? 0
               : static_cast<double>(std::uint64_t{u32(shape.out_h)} * u32(shape.out_w) *
                                     u32(shape.out_c));
  }

  [[nodiscard]] std::optional<Cost> alone(std::size_t place) const {
    const ConvShape& shape = shape_at(place);
    double bytes = constants(place);
    double waiting = 0;
    if (feature_kept_.count(place) == 0) {
      const Strategy& strategy = units_.passes_at(place)[0].strategy;
      bytes = static_cast<double>(traffic_of(shape, hw_, strategy).read_bytes);
      waiting = is_split(strategy) ? bytes : 0;
    }
    return cost(static_cast<double>(array_cycles(shape, hw_, {0, shape.out_h})),
                bytes + output_bytes(place), waiting);
  }

  [[nodiscard]] std::optional<Cost> fused(const FusedGroup& part) const {
    double constant = 0;
    for (std::size_t p = part.first; p <= part.last; ++p) {
      constant += constants(p) + (p != part.last && stored_.count(p) != 0 ? output_bytes(p) : 0);
      if (units_.passes_at(p)[0].shape.variant.parts > 1) {
        return std::nullopt;  // to be tried as they are
      }
    }
    const auto output = output_kept_.find(part.last);
    const std::uint64_t left =
        hw_.cbuf_atoms() - (output == output_kept_.end() ? 0 : output->second);
    std::optional<Cost> best;
    const auto consider = [&](std::uint64_t atoms, bool feature_kept) {
      const auto layout = fused_layout(fused_shapes(units_, part, feature_kept), hw_,
                                       static_cast<std::uint32_t>(atoms));
      if (layout) {
        // Loads go beside anything, stores beside the last layer only.
        const auto last = static_cast<double>(layout->last_cycles);
        const double stored = output_bytes(part.last);
        const double array = static_cast<double>(layout->cycles) +
                             std::max(last, stored / external_rate(units_)) - last;
        const Cost own = cost(array, constant + static_cast<double>(layout->bytes) + stored, 0);
        best = !best || own < *best ? own : *best;
      }
    };
    consider(left, false);
    if (const auto feature = feature_kept_.find(part.first);
        feature != feature_kept_.end() && feature->second < left) {
      consider(left - feature->second, true);
    }
    return best;
  }

  const PlannedUnits& units_;
  const Hardware& hw_;
  std::map<std::size_t, std::uint64_t> feature_kept_, output_kept_;  // atoms, by place
  std::vector<std::size_t> places_;                                  // of passes
  std::set<std::size_t> linked_;                                     // to the next place
  std::set<std::size_t> stored_;  // of these: others need the output in external memory
  std::vector<FusedGroup> groups_;
};

}  // namespace

FusedShapes fused_shapes(const PlannedUnits& units, const FusedGroup& group, bool feature_kept) {
  FusedShapes shapes;
  shapes.feature_kept = feature_kept;
  shapes.objective = units.policy.objective;
  shapes.bytes_per_cycle = external_rate(units);
  shapes.small_bands = units.small_bands;
  for (std::size_t p = group.first; p <= group.last; ++p) {
    shapes.layers.push_back(&units.passes_at(p)[0].shape.conv);
  }
  return shapes;
}

std::vector<FusedGroup> choose_fused_groups(const PlannedUnits& units) {
  return GroupChooser(units).run();
}

}  // namespace tessera

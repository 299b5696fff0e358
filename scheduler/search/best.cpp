#include "scheduler/search/best.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "scheduler/decide/side_by_side.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera {
namespace {

constexpr std::array<double, 3> kKeptParts = {1.0, 0.5, 0.25};
constexpr std::array<std::uint64_t, 2> kAheadBytes = {64U << 10, 16U << 10};
constexpr std::array<std::uint32_t, 2> kAheadWork = {64, 16};
constexpr std::array<std::uint32_t, 2> kFeatureBands = {16, 8};
constexpr std::array<std::int32_t, 6> kTileShifts = {1, 2, 3, -3, -1, 0};
// Of networks with more cycles than that, only so many of each are tried.
constexpr std::uint64_t kManyCycles = 1'000'000;
constexpr std::size_t kFewKept = 2, kFewBands = 1, kFewShifts = 3;
// And of networks with more than that, fewer still.
constexpr std::uint64_t kVeryManyCycles = 8'000'000;
constexpr std::size_t kVeryFewShifts = 2;
// And of networks with more than that, none.
constexpr std::uint64_t kTooManyCycles = 50'000'000;
// Of networks with more than that, where one trial takes ten seconds, only what stays is tried.
constexpr std::uint64_t kFarTooManyCycles = 2'000'000'000;
// Trials layer by layer, for networks that are tried quickly: so many cycles in all, so many
// trials.
constexpr std::uint64_t kCyclesTried = 8'000'000;
constexpr std::uint64_t kMostTrials = 200;

// Channel parts of a feature with which work begins early.
constexpr std::uint32_t kParts = 8;

struct Cost {
  double first = std::numeric_limits<double>::max();
  double second = 0;
  [[nodiscard]] bool operator<(const Cost& other) const {
    return first != other.first ? first < other.first : second < other.second;
  }
};

// A third of the bytes saved is worth two or three hundredths of the cycles; a third of the cycles
// six thousandths of the bytes.
constexpr double kBytesInCycles = 1.0 / 16;
constexpr double kCyclesInBytes = 1.0 / 64;

Cost cost_of(const Policy& policy, const Effort& effort) {
  const auto cycles = static_cast<double>(std::max<std::uint64_t>(effort.cycles, 1));
  const auto bytes = static_cast<double>(std::max<std::uint64_t>(effort.external_bytes, 1));
  switch (policy.objective) {
    case Objective::Traffic:
      return {bytes * std::pow(cycles, kCyclesInBytes), bytes};
    case Objective::Energy:
      return {energy_pj(policy.energy, effort), cycles};
    default:
      return {cycles * std::pow(bytes, kBytesInCycles), cycles};
  }
}

// What must not become more than with `first-fit`.
double wanted(const Policy& policy, const Effort& effort) {
  switch (policy.objective) {
    case Objective::Cycles:
      return static_cast<double>(effort.cycles);
    case Objective::Traffic:
      return static_cast<double>(effort.external_bytes);
    default:
      return cost_of(policy, effort).first;
  }
}

struct Trial {
  Tuning tuning;
  Cost cost;
  std::vector<Effort> efforts;  // by operator
  Counters totals{};
  [[nodiscard]] std::uint64_t cycles(std::size_t op) const { return efforts[op].cycles; }
};

// Of its commands, and of what they do inside the accelerator.
std::uint64_t digest_of(const Program& program) {
  std::uint64_t digest = 0xCBF29CE484222325ULL;
  const auto add = [&](std::uint64_t word) {
    digest = (digest ^ word) * 0x9E3779B97F4A7C15ULL;
    digest ^= digest >> 29;
  };
  for (const Step& step : program.steps) {
    if (const auto* run = std::get_if<CommandRun>(&step); run != nullptr) {
      for (const std::uint64_t word : isa::words_of(program.commands_of(*run), run->stream.bytes)) {
        add(word);
      }
      add(run->stream.address);
      add(run->layers.size());
    }
  }
  for (const LayerRecord& layer : program.layers) {
    add(layer.accesses.cbuf_bytes);
    add(layer.accesses.accumulator_bytes);
  }
  return digest;
}

class Search {
 public:
  Search(const Prepared& prepared, const SearchListener& listener)
      : prepared_(prepared), listener_(listener) {}

  Tuning run() {
    attempt({});
    if (!best_) {
      return {};
    }
    const std::uint64_t cycles = counter(best_->totals, isa::Counter::Cycles);
    is_large_ = cycles > kManyCycles;
    most_ = planned(cycles);
    const bool is_far_too_large = cycles > kFarTooManyCycles;
    vary_kept(is_far_too_large);
    vary_variants(is_far_too_large);
    if (cycles > kTooManyCycles) {
      return best_->tuning;
    }
    for (std::size_t i = 0; !is_large_ && i < kAheadBytes.size(); ++i) {
      vary([&](Tuning& tuning) { tuning.ahead.bytes = kAheadBytes[i]; });
    }
    for (std::size_t i = 0; !is_large_ && i < kAheadWork.size(); ++i) {
      vary([&](Tuning& tuning) { tuning.ahead.work = kAheadWork[i]; });
    }
    for (std::size_t i = 0; i < (is_large_ ? kFewBands : kFeatureBands.size()); ++i) {
      vary([&](Tuning& tuning) { tuning.feature_bands = kFeatureBands[i]; });
    }
    if (prepared_.policy.objective == Objective::Cycles) {
      vary_tiles(tile_shifts(cycles));
      if (!is_large_) {
        refine_tiles();
      }
    }
    vary([](Tuning& tuning) { tuning.rows_last = true; });
    vary([](Tuning& tuning) { tuning.small_bands = true; });
    return best_->tuning;
  }

 private:
  // All layers alike, then each as it was better.
  void vary_variants(bool once) {
    const Trial base = *best_;
    Tuning tuning = base.tuning;
    tuning.variants.resize(base.efforts.size());
    std::vector<Effort> least = base.efforts;
    const std::vector<Variant> all = variants();
    for (std::size_t v = 0; v < (once ? 1 : all.size()); ++v) {
      const Variant& variant = all[v];
      Tuning alike = base.tuning;
      alike.variants.assign(base.efforts.size(), variant);
      const Trial trial = attempt(alike);
      for (std::size_t op = 0; op < base.efforts.size(); ++op) {
        if (cost_of(prepared_.policy, trial.efforts[op]) < cost_of(prepared_.policy, least[op])) {
          least[op] = trial.efforts[op];
          tuning.variants[op] = variant;
        }
      }
    }
    attempt(tuning);
  }

  [[nodiscard]] std::vector<Variant> variants() const {
    std::vector<Variant> result = {{true, false, 1}, {false, false, kParts}};
    if (any_side_by_side()) {
      result.insert(result.end(), {{false, true, 1}, {true, true, 1}, {false, true, kParts}});
    }
    return result;
  }

  [[nodiscard]] bool any_side_by_side() const {
    for (const WorkUnit& unit : prepared_.plan.units) {
      for (const Piece& piece : unit.lowering.pieces) {
        if (side_by_side(piece.shape, prepared_.hardware)) {
          return true;
        }
      }
    }
    return false;
  }

  void vary_kept(bool once) {
    for (const bool fuse : {true, false}) {
      if (once && !fuse) {
        return;
      }
      vary([&](Tuning& tuning) {
        tuning.keep = kKeptParts[0];
        tuning.fuse = fuse;
      });
    }
    for (std::size_t i = 1; i < (is_large_ ? kFewKept : kKeptParts.size()); ++i) {
      vary([&](Tuning& tuning) { tuning.keep = kKeptParts[i]; });
    }
  }

  /// Something else about the best so far.
  template <class Change>
  void vary(Change change) {
    Tuning tuning = best_->tuning;
    change(tuning);
    attempt(tuning);
  }

  // Trials at most, the first one among them.
  [[nodiscard]] std::size_t planned(std::uint64_t cycles) const {
    if (cycles > kFarTooManyCycles) {
      return 4;
    }
    const std::size_t kept = 2 + (is_large_ ? kFewKept : kKeptParts.size()) - 1;
    std::size_t count = 1 + kept + variants().size() + 1;
    if (cycles > kTooManyCycles) {
      return count;
    }
    count += is_large_ ? kFewBands : kAheadBytes.size() + kAheadWork.size() + kFeatureBands.size();
    if (prepared_.policy.objective == Objective::Cycles) {
      count += tile_shifts(cycles) + 1;
      count += is_large_ ? 0 : tile_trials(cycles) + tile_trials(cycles) / 2;
    }
    return count + 2;
  }

  [[nodiscard]] std::size_t tile_shifts(std::uint64_t cycles) const {
    return !is_large_ ? kTileShifts.size() : cycles > kVeryManyCycles ? kVeryFewShifts : kFewShifts;
  }
  static std::uint64_t tile_trials(std::uint64_t cycles) {
    return std::min(kMostTrials, kCyclesTried / std::max<std::uint64_t>(1, cycles));
  }

  Trial attempt(const Tuning& tuning) {
    if (listener_) {
      listener_(tried_, std::max(most_, tried_ + 1));
    }
    ++tried_;
    Trial trial;
    trial.tuning = tuning;
    const Program program = compile_tuned(prepared_, tuning, Contents::Commands);
    // Another tuning often makes the same program.
    const std::uint64_t digest = digest_of(program);
    if (const auto known = known_.find(digest); known != known_.end()) {
      trial.efforts = known->second.efforts;
      trial.totals = known->second.totals;
      trial.cost = known->second.cost;
      return trial;
    }
    RunResult result;
    try {
      result = timing::estimate(program, prepared_.policy.memory);
    } catch (const EngineError&) {
      // Such as more tokens than the hardware can count: not to be considered.
      const std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 4;
      trial.efforts.assign(program.layers.size(), Effort{most, {}, most, most});
      known_.emplace(digest, trial);
      return trial;
    }
    Effort sum;
    for (std::size_t i = 0; i < result.layers.size(); ++i) {
      const Counters& counters = result.layers[i].counters;
      const LayerRecord& record = program.layers[i];
      trial.efforts.push_back({record.macs, record.accesses, external_bytes(counters),
                               counter(counters, isa::Counter::Cycles)});
      sum.macs += record.macs;
      sum.accesses += record.accesses;
    }
    trial.totals = result.totals;
    sum.cycles = counter(result.totals, isa::Counter::Cycles);
    sum.external_bytes = external_bytes(result.totals);
    trial.cost = cost_of(prepared_.policy, sum);
    known_.emplace(digest, trial);
    if (!best_) {
      first_fit_ = wanted(prepared_.policy, sum);
    }
    if (!best_ || (trial.cost < best_->cost && wanted(prepared_.policy, sum) <= first_fit_)) {
      best_ = trial;
    }
    return trial;
  }

  // All layers alike, then each as it was fastest.
  void vary_tiles(std::size_t count) {
    const Trial base = *best_;
    std::vector<std::int32_t> shifts(base.efforts.size(), 0);
    std::vector<Effort> least = base.efforts;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t shift = kTileShifts[i];
      Tuning tuning = base.tuning;
      tuning.tile_shifts.assign(shifts.size(), shift);
      const Trial trial = attempt(tuning);
      by_shift_.emplace_back(shift, trial.efforts);
      for (std::size_t op = 0; op < shifts.size(); ++op) {
        if (trial.cycles(op) < least[op].cycles) {
          least[op] = trial.efforts[op];
          shifts[op] = shift;
        }
      }
    }
    Tuning mixed = base.tuning;
    mixed.tile_shifts = std::move(shifts);
    attempt(mixed);
  }

  void refine_tiles() {
    if (best_->tuning.tile_shifts.empty()) {
      best_->tuning.tile_shifts.assign(best_->efforts.size(), 0);
    }
    const std::uint64_t trials = tile_trials(counter(best_->totals, isa::Counter::Cycles));
    refine_likely_tiles(trials / 2);
    refine_slow_tiles(trials);
  }

  // One layer after the other, those with the most cycles beyond their multiplications first.
  void refine_slow_tiles(std::uint64_t trials) {
    std::vector<std::pair<std::uint64_t, std::size_t>> losses;
    for (std::size_t op = 0; op < best_->efforts.size(); ++op) {
      const std::uint64_t ideal = macs_of(prepared_.network, prepared_.network.operators[op]) /
                                  prepared_.hardware.macs_per_cycle();
      if (best_->cycles(op) > ideal) {
        losses.emplace_back(best_->cycles(op) - ideal, op);
      }
    }
    std::sort(losses.rbegin(), losses.rend());
    for (const auto& [loss, op] : losses) {
      for (const std::int32_t shift : kTileShifts) {
        if (trials == 0) {
          return;
        }
        if (best_->tuning.tile_shifts[op] != shift) {
          vary([&, op = op](Tuning& tuning) { tuning.tile_shifts[op] = shift; });
          --trials;
        }
      }
    }
  }

  // One layer after the other, where it and its neighbours were faster with other sizes first.
  void refine_likely_tiles(std::uint64_t trials) {
    struct Change {
      std::int64_t gain;
      std::size_t op;
      std::int32_t shift;
    };
    std::vector<Change> changes;
    for (const auto& [shift, efforts] : by_shift_) {
      for (std::size_t op = 0; op < efforts.size(); ++op) {
        std::int64_t gain = 0;
        for (std::size_t i = op - std::min<std::size_t>(op, 1);
             i < std::min(op + 2, efforts.size()); ++i) {
          gain += static_cast<std::int64_t>(best_->cycles(i)) -
                  static_cast<std::int64_t>(efforts[i].cycles);
        }
        if (best_->tuning.tile_shifts[op] != shift && best_->cycles(op) != 0) {
          changes.push_back({gain, op, shift});
        }
      }
    }
    std::stable_sort(changes.begin(), changes.end(),
                     [](const Change& a, const Change& b) { return a.gain > b.gain; });
    changes.resize(std::min<std::size_t>(changes.size(), trials));
    for (const Change& change : changes) {
      if (best_->tuning.tile_shifts[change.op] != change.shift) {
        vary([&](Tuning& tuning) { tuning.tile_shifts[change.op] = change.shift; });
      }
    }
  }

  const Prepared& prepared_;
  const SearchListener& listener_;
  std::size_t tried_ = 0;
  std::size_t most_ = 1;
  std::vector<std::pair<std::int32_t, std::vector<Effort>>> by_shift_;  // all alike
  std::map<std::uint64_t, Trial> known_;                                // by digest of the program
  std::optional<Trial> best_;
  double first_fit_ = 0;  // of what is wanted least
  bool is_large_ = false;
};

}  // namespace

Tuning best_tuning(const Prepared& prepared, const SearchListener& listener) {
  return Search(prepared, listener).run();
}

}  // namespace tessera

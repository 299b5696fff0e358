#include "scheduler/best.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "timing/cost_model.hpp"

namespace tessera {
namespace {

constexpr std::array<std::uint64_t, 2> kAheadBytes = {16U << 10, 64U << 10};
constexpr std::array<std::uint32_t, 2> kFeatureBands = {8, 16};
constexpr std::array<std::int32_t, 6> kTileShifts = {-3, -1, 0, 1, 2, 3};
// Trials layer by layer, for networks that are tried quickly: so many cycles in all, so many trials.
constexpr std::uint64_t kCyclesTried = 8'000'000;
constexpr std::uint64_t kMostTrials = 200;

struct Cost {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t second = 0;
  [[nodiscard]] bool operator<(const Cost& other) const {
    return first != other.first ? first < other.first : second < other.second;
  }
};

struct Trial {
  Tuning tuning;
  Cost cost;
  std::vector<std::uint64_t> cycles;  // by operator
};

std::uint64_t value(const Counters& counters, isa::Counter which) {
  return counters[static_cast<std::size_t>(which)];
}

class Search {
 public:
  Search(const Network& network, const Hardware& hardware, const Policy& policy)
      : network_(network), hardware_(hardware), policy_(policy) {}

  Tuning run() {
    Tuning tuning;
    attempt(tuning);
    tuning.keep = true;
    attempt(tuning);
    for (const std::uint64_t bytes : kAheadBytes) {
      tuning.ahead_bytes = bytes;
      attempt(tuning);
    }
    for (const std::uint32_t bands : kFeatureBands) {
      Tuning banded = best_->tuning;
      banded.feature_bands = bands;
      attempt(banded);
    }
    if (policy_.objective == Objective::Cycles) {
      vary_tiles();
      refine_tiles();
    }
    return best_->tuning;
  }

 private:
  Trial attempt(const Tuning& tuning) {
    Trial trial;
    trial.tuning = tuning;
    const Program program =
        compile_tuned(network_, hardware_, policy_, tuning, Contents::Commands);
    const RunResult result = timing::estimate(program, policy_.memory);
    for (const LayerResult& layer : result.layers) {
      trial.cycles.push_back(value(layer.counters, isa::Counter::Cycles));
    }
    const std::uint64_t cycles = value(result.totals, isa::Counter::Cycles);
    std::uint64_t bytes = 0;
    for (const isa::Counter counter :
         {isa::Counter::ReadCommandBytes, isa::Counter::ReadFeatureBytes,
          isa::Counter::ReadWeightBytes, isa::Counter::ReadParamBytes, isa::Counter::WriteBytes}) {
      bytes += value(result.totals, counter);
    }
    trial.cost = policy_.objective == Objective::Cycles ? Cost{cycles, bytes} : Cost{bytes, cycles};
    if (!best_ || trial.cost < best_->cost) {
      best_ = trial;
    }
    return trial;
  }

  // All layers alike, then each as it was fastest.
  void vary_tiles() {
    const Trial base = *best_;
    std::vector<std::int32_t> shifts(base.cycles.size(), 0);
    std::vector<std::uint64_t> least = base.cycles;
    for (const std::int32_t shift : kTileShifts) {
      Tuning tuning = base.tuning;
      tuning.tile_shifts.assign(shifts.size(), shift);
      const Trial trial = attempt(tuning);
      for (std::size_t op = 0; op < shifts.size(); ++op) {
        if (trial.cycles[op] < least[op]) {
          least[op] = trial.cycles[op];
          shifts[op] = shift;
        }
      }
    }
    Tuning mixed = base.tuning;
    mixed.tile_shifts = shifts;
    attempt(mixed);
  }

  // One layer after the other, those with the most cycles beyond their multiplications first.
  void refine_tiles() {
    std::uint64_t trials = std::min(kMostTrials, kCyclesTried / std::max<std::uint64_t>(1, best_->cost.first));
    if (best_->tuning.tile_shifts.empty()) {
      best_->tuning.tile_shifts.assign(best_->cycles.size(), 0);
    }
    std::vector<std::pair<std::uint64_t, std::size_t>> losses;
    for (std::size_t op = 0; op < best_->cycles.size(); ++op) {
      const std::uint64_t ideal =
          macs_of(network_, network_.operators[op]) / hardware_.macs_per_cycle();
      if (best_->cycles[op] > ideal) {
        losses.emplace_back(best_->cycles[op] - ideal, op);
      }
    }
    std::sort(losses.rbegin(), losses.rend());
    for (const auto& [loss, op] : losses) {
      for (const std::int32_t shift : kTileShifts) {
        if (trials == 0) {
          return;
        }
        Tuning tuning = best_->tuning;
        if (tuning.tile_shifts[op] != shift) {
          tuning.tile_shifts[op] = shift;
          attempt(tuning);
          --trials;
        }
      }
    }
  }

  const Network& network_;
  const Hardware& hardware_;
  const Policy& policy_;
  std::optional<Trial> best_;
};

}  // namespace

Tuning best_tuning(const Network& network, const Hardware& hardware, const Policy& policy) {
  return Search(network, hardware, policy).run();
}

}  // namespace tessera

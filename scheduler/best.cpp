#include "scheduler/best.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "timing/cost_model.hpp"

namespace tessera {
namespace {

constexpr std::array<std::uint64_t, 2> kAheadBytes = {16U << 10, 64U << 10};
constexpr std::array<std::int32_t, 5> kTileShifts = {-3, -1, 1, 2, 3};

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
    if (policy_.objective == Objective::Cycles) {
      vary_tiles();
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

#include "scheduler/autotune/explorer.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "scheduler/autotune/limits.hpp"
#include "scheduler/tiling/column_packing.hpp"

namespace tessera {
namespace {

constexpr std::array<double, 3> kKeptParts = {1.0, 0.5, 0.25};
constexpr std::array<std::uint64_t, 2> kAheadBytes = {64U << 10, 16U << 10};
constexpr std::array<std::uint32_t, 2> kAheadWork = {64, 16};
constexpr std::array<std::uint32_t, 2> kFeatureBands = {16, 8};
constexpr std::array<std::int32_t, 6> kTileShifts = {1, 2, 3, -3, -1, 0};
// Of much work.
constexpr std::size_t kFewKept = 2, kFewBands = 1, kFewShifts = 3, kVeryFewShifts = 2;
// Trials layer by layer: so much work in all, so many trials.
constexpr std::uint64_t kWorkTried = 12'000'000;
constexpr std::uint64_t kMostTrials = 200;
// And no more after so many, one after the other, that were not better.
constexpr std::size_t kMostInVain = 12;

// Channel parts of a feature with which work begins early.
constexpr std::uint32_t kParts = 8;

}  // namespace

Effort Trial::effort(std::size_t op) const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max() / 4;
  return measured ? measured->efforts[op] : Effort{kMost, {}, kMost, kMost};
}

Explorer::Explorer(Start& start, std::uint64_t work, Consider consider,
                   std::function<void()> before)
    : start_(start),
      prepared_(start.prepared()),
      work_(work),
      consider_(std::move(consider)),
      before_(std::move(before)) {}

void Explorer::look_around() {
  attempt({});
  if (!best_) {
    return;
  }
  vary_kept();
  vary_variants();
  if (work_ > kTooMuchWork) {
    return;
  }
  const bool much = work_ > kMuchWork;
  for (std::size_t i = 0; !much && i < kAheadBytes.size(); ++i) {
    vary([&](Tuning& tuning) { tuning.ahead.bytes = kAheadBytes[i]; });
  }
  for (std::size_t i = 0; !much && i < kAheadWork.size(); ++i) {
    vary([&](Tuning& tuning) { tuning.ahead.work = kAheadWork[i]; });
  }
  for (std::size_t i = 0; i < (much ? kFewBands : kFeatureBands.size()); ++i) {
    vary([&](Tuning& tuning) { tuning.feature_bands = kFeatureBands[i]; });
  }
  if (has_sizes()) {
    vary_tiles();
  }
  if (has_sizes() && !much) {
    refine(kMostInVain);
  }
  vary([](Tuning& tuning) { tuning.rows_last = true; });
  vary([](Tuning& tuning) { tuning.small_bands = true; });
}

void Explorer::refine(std::size_t most_in_vain) {
  if (best_->tuning.tile_shifts.empty()) {
    best_->tuning.tile_shifts.assign(best_->measured.efforts.size(), 0);
  }
  refine_likely_tiles(tile_trials() / 2, most_in_vain);
  refine_slow_tiles(tile_trials(), most_in_vain / 2);
}

void Explorer::polish(const std::vector<Tuning>& tunings) {
  if (!has_sizes() || work_ > kMuchWork) {
    return;
  }
  for (const Tuning& tuning : tunings) {
    attempt(tuning);
  }
  by_shift_.clear();
  if (best_) {
    vary_tiles();
    refine(std::numeric_limits<std::size_t>::max());
  }
}

std::size_t Explorer::around_trials() const {
  const bool much = work_ > kMuchWork;
  const bool far_too_much = work_ > kFarTooMuchWork;
  const std::size_t kept = far_too_much ? 1 : 2 + (much ? kFewKept : kKeptParts.size()) - 1;
  std::size_t count = 1 + kept + (far_too_much ? 1 : variants().size()) + 1;
  if (work_ > kTooMuchWork) {
    return count;
  }
  count += much ? kFewBands : kAheadBytes.size() + kAheadWork.size() + kFeatureBands.size();
  return count + (has_sizes() ? tile_shifts() + 1 : 0) + 2;
}

std::size_t Explorer::refine_trials() const {
  return !has_sizes() || work_ > kMuchWork
             ? 0
             : 1 + tile_shifts() + 1 + tile_trials() + tile_trials() / 2 + 2;
}

bool Explorer::has_sizes() const {
  return prepared_.policy.objective == Objective::Cycles && work_ <= kTooMuchWork;
}

std::size_t Explorer::tile_shifts() const {
  return work_ <= kMuchWork       ? kTileShifts.size()
         : work_ <= kVeryMuchWork ? kFewShifts
                                  : kVeryFewShifts;
}

std::size_t Explorer::tile_trials() const {
  return std::min(kMostTrials, kWorkTried / std::max<std::uint64_t>(1, work_));
}

void Explorer::vary_kept() {
  for (const bool fuse : {true, false}) {
    if (work_ > kFarTooMuchWork && !fuse) {
      return;
    }
    vary([&](Tuning& tuning) {
      tuning.keep = kKeptParts[0];
      tuning.fuse = fuse;
    });
  }
  for (std::size_t i = 1; i < (work_ > kMuchWork ? kFewKept : kKeptParts.size()); ++i) {
    vary([&](Tuning& tuning) { tuning.keep = kKeptParts[i]; });
  }
}

// All layers alike, then each as it was better.
void Explorer::vary_variants() {
  const Found base = *best_;
  const std::size_t ops = base.measured.efforts.size();
  Tuning tuning = base.tuning;
  tuning.variants.resize(ops);
  std::vector<Effort> least = base.measured.efforts;
  std::vector<Variant> all = variants();
  all.resize(work_ > kFarTooMuchWork ? 1 : all.size());
  for (const Variant& variant : all) {
    Tuning alike = base.tuning;
    alike.variants.assign(ops, variant);
    const Trial trial = attempt(alike);
    for (std::size_t op = 0; op < ops; ++op) {
      if (cost_of(prepared_.policy, trial.effort(op)) < cost_of(prepared_.policy, least[op])) {
        least[op] = trial.effort(op);
        tuning.variants[op] = variant;
      }
    }
  }
  attempt(tuning);
}

std::vector<Variant> Explorer::variants() const {
  std::vector<Variant> result = {{true, false, 1}, {false, false, kParts}};
  if (any_side_by_side()) {
    result.insert(result.end(), {{false, true, 1}, {true, true, 1}, {false, true, kParts}});
  }
  return result;
}

bool Explorer::any_side_by_side() const {
  for (const FusedOperator& unit : prepared_.plan.units) {
    for (const ArrayPass& piece : unit.lowering.passes) {
      if (!piece.weights && !piece.shape.whole_pixels &&
          pack_columns(piece.shape, prepared_.hardware)) {
        return true;
      }
    }
  }
  return false;
}

// All layers alike, then each as it was fastest.
void Explorer::vary_tiles() {
  const Found base = *best_;
  const std::size_t ops = base.measured.efforts.size();
  std::vector<std::int32_t> shifts = base.tuning.tile_shifts;
  shifts.resize(ops, 0);
  std::vector<Effort> least = base.measured.efforts;
  for (std::size_t i = 0; i < tile_shifts(); ++i) {
    const std::int32_t shift = kTileShifts[i];
    Tuning tuning = base.tuning;
    tuning.tile_shifts.assign(ops, shift);
    const Trial trial = attempt(tuning);
    by_shift_.emplace_back(shift, trial);
    for (std::size_t op = 0; op < ops; ++op) {
      if (trial.effort(op).cycles < least[op].cycles) {
        least[op] = trial.effort(op);
        shifts[op] = shift;
      }
    }
  }
  Tuning mixed = base.tuning;
  mixed.tile_shifts = std::move(shifts);
  attempt(mixed);
}

// One layer after the other, those with the most cycles beyond their multiplications first.
void Explorer::refine_slow_tiles(std::size_t trials, std::size_t most_in_vain) {
  std::vector<std::pair<std::uint64_t, std::size_t>> losses;
  for (std::size_t op = 0; op < best_->measured.efforts.size(); ++op) {
    const std::uint64_t ideal = macs_of(prepared_.network, prepared_.network.operators[op]) /
                                prepared_.hardware.macs_per_cycle();
    if (best_->measured.efforts[op].cycles > ideal) {
      losses.emplace_back(best_->measured.efforts[op].cycles - ideal, op);
    }
  }
  std::sort(losses.rbegin(), losses.rend());
  std::size_t in_vain = 0;
  for (const auto& [loss, op] : losses) {
    for (const std::int32_t shift : kTileShifts) {
      if (trials == 0 || in_vain == most_in_vain) {
        return;
      }
      if (best_->tuning.tile_shifts[op] != shift) {
        const Cost before = best_->measured.cost;
        vary([&, op = op](Tuning& tuning) { tuning.tile_shifts[op] = shift; });
        --trials;
        in_vain = best_->measured.cost < before ? 0 : in_vain + 1;
      }
    }
  }
}

// One layer after the other, where it and its neighbours were faster with other sizes first.
void Explorer::refine_likely_tiles(std::size_t trials, std::size_t most_in_vain) {
  struct Change {
    std::int64_t gain;
    std::size_t op;
    std::int32_t shift;
  };
  std::vector<Change> changes;
  for (const auto& [shift, trial] : by_shift_) {
    const std::size_t ops = best_->measured.efforts.size();
    for (std::size_t op = 0; op < ops; ++op) {
      std::int64_t gain = 0;
      for (std::size_t i = op - std::min<std::size_t>(op, 1); i < std::min(op + 2, ops); ++i) {
        gain += static_cast<std::int64_t>(best_->measured.efforts[i].cycles) -
                static_cast<std::int64_t>(trial.effort(i).cycles);
      }
      if (best_->tuning.tile_shifts[op] != shift && best_->measured.efforts[op].cycles != 0) {
        changes.push_back({gain, op, shift});
      }
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.gain > b.gain; });
  changes.resize(std::min(changes.size(), trials));
  std::size_t in_vain = 0;
  for (const Change& change : changes) {
    if (in_vain == most_in_vain) {
      return;
    }
    if (best_->tuning.tile_shifts[change.op] != change.shift) {
      const Cost before = best_->measured.cost;
      vary([&](Tuning& tuning) { tuning.tile_shifts[change.op] = change.shift; });
      in_vain = best_->measured.cost < before ? 0 : in_vain + 1;
    }
  }
}

Trial Explorer::attempt(const Tuning& tuning) {
  before_();
  Trial trial;
  Program program = start_.program(tuning);
  // Another tuning often makes the same program.
  const std::uint64_t digest = digest_of(program);
  const auto known = known_.find(digest);
  if (known != known_.end()) {
    trial.measured = known->second;
  } else {
    trial.measured = measure(program, start_.policy());
    known_.emplace(digest, trial.measured);
  }
  if (!trial.measured) {
    return trial;
  }
  const bool first = !best_;
  if (first) {
    first_fit_ = std::max(first_fit_, trial.measured->wanted);
  }
  if (first ||
      (trial.measured->cost < best_->measured.cost && trial.measured->wanted <= first_fit_)) {
    best_ = {tuning, *trial.measured};
    consider_(program, digest, tuning, *trial.measured);
  }
  return trial;
}

}  // namespace tessera

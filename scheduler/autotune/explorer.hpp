// Programs that differ in one thing at a time, from one start.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "scheduler/autotune/measured.hpp"
#include "scheduler/autotune/start.hpp"

namespace tessera {

/// A program that was tried; not measured: what cannot run.
struct Trial {
  std::optional<Measured> measured;

  /// Of an operator; more than any where it cannot run.
  [[nodiscard]] Effort effort(std::size_t op) const;
};

/// Told of each program that is better than those before it, with its digest.
using Consider = std::function<void(Program& program, std::uint64_t digest, const Tuning& tuning,
                                    const Measured& measured)>;

class Explorer {
 public:
  /// `before`: called in front of each trial.
  Explorer(Start& start, std::uint64_t work, Consider consider, std::function<void()> before);

  /// What stays in the cbuf, variants, loads and sizes that are the same for all layers, then each
  /// layer as it was best. Nothing is found when even first-fit's program cannot run.
  void look_around();

  /// Sizes of tiles layer by layer from the best of these tunings on, without giving up soon.
  void polish(const std::vector<Tuning>& tunings);

  /// The best one that was tried, if any could run.
  [[nodiscard]] const Tuning* best() const { return best_ ? &best_->tuning : nullptr; }

  /// At most so many trials.
  [[nodiscard]] std::size_t around_trials() const;
  [[nodiscard]] std::size_t refine_trials() const;

 private:
  void refine(std::size_t most_in_vain);
  void vary_kept();
  void vary_variants();
  [[nodiscard]] std::vector<Variant> variants() const;
  [[nodiscard]] bool any_side_by_side() const;
  void vary_tiles();
  void refine_likely_tiles(std::size_t trials, std::size_t most_in_vain);
  void refine_slow_tiles(std::size_t trials, std::size_t most_in_vain);
  [[nodiscard]] std::size_t tile_shifts() const;
  [[nodiscard]] std::size_t tile_trials() const;
  [[nodiscard]] bool has_sizes() const;

  /// Something else about the best so far.
  template <class Change>
  void vary(Change change) {
    Tuning tuning = best_->tuning;
    change(tuning);
    attempt(tuning);
  }
  Trial attempt(const Tuning& tuning);

  Start& start_;
  const Prepared& prepared_;
  std::uint64_t work_;
  Consider consider_;
  std::function<void()> before_;
  std::vector<std::pair<std::int32_t, Trial>> by_shift_;  // all alike
  std::map<std::uint64_t, std::optional<Measured>> known_;
  struct Found {
    Tuning tuning;
    Measured measured;
  };
  std::optional<Found> best_;
  double first_fit_ = 0;  // of what is wanted least
};

}  // namespace tessera

#include "scheduler/autotune/best.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "scheduler/autotune/explorer.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

// What is looked for, without anything else: a faster memory must not make another trade.
Cost final_cost_of(const Policy& policy, const Measured& measured) {
  return policy.objective == Objective::Cycles ? Cost{measured.wanted, measured.cost.first}
                                               : measured.cost;
}

/// All programs that were tried, on the hardware and with the memory that one is wanted for.
class Pool {
 public:
  Pool(const Hardware& hardware, const Policy& policy) : hardware_(hardware), policy_(policy) {}

  /// `there`: measured on that hardware, with that memory already.
  void consider(Program& program, std::uint64_t digest, std::size_t start, const Tuning& tuning,
                const Measured* there) {
    if (!seen_.insert(digest).second) {
      return;
    }
    if (there != nullptr) {
      consider(*there, start, tuning);
      return;
    }
    program.hardware = hardware_;
    if (const auto measured = measure(program, policy_)) {
      consider(*measured, start, tuning);
    }
  }

  [[nodiscard]] std::size_t start() const { return start_; }
  [[nodiscard]] const Tuning& tuning() const { return tuning_; }

 private:
  // The first one is first-fit's.
  void consider(const Measured& measured, std::size_t start, const Tuning& tuning) {
    if (!best_) {
      first_fit_ = measured.wanted;
    }
    const Cost cost = final_cost_of(policy_, measured);
    if (!best_ || (cost < best_cost_ && measured.wanted <= first_fit_)) {
      best_ = measured;
      best_cost_ = cost;
      start_ = start;
      tuning_ = tuning;
    }
  }
  const Hardware& hardware_;
  const Policy& policy_;
  std::set<std::uint64_t> seen_;
  std::optional<Measured> best_;
  Cost best_cost_;
  double first_fit_ = 0;
  std::size_t start_ = 0;  // of the best
  Tuning tuning_;
};

}  // namespace

Best find_best(const Network& network, const Hardware& hardware, const Policy& policy,
               const SearchListener& listener) {
  const std::uint64_t work = work_of(network, hardware);
  Starts starts = starts_of(network, hardware, policy, work);
  Pool pool(hardware, policy);
  std::size_t tried = 0;
  std::size_t most = 0;
  const auto before = [&] {
    if (listener) {
      listener(tried, std::max(most, tried + 1));
    }
    ++tried;
  };
  std::vector<Explorer> explorers;
  for (std::size_t s = 0; s < starts.size(); ++s) {
    const bool is_there = starts[s]->made_for().empty() && starts[s]->is_as_given();
    const Consider consider = [&pool, s, is_there](Program& program, std::uint64_t digest,
                                                   const Tuning& tuning, const Measured& measured) {
      pool.consider(program, digest, s, tuning, is_there ? &measured : nullptr);
    };
    explorers.emplace_back(*starts[s], work, consider, before);
    most += explorers.back().around_trials() + 2 * explorers.back().refine_trials();
  }
  explorers[0].look_around();
  for (std::size_t s = 1; s < explorers.size(); ++s) {
    try {
      explorers[s].look_around();
    } catch (const InputError&) {
      // A layer needs more than that.
    }
  }
  // For each hardware from what is best there.
  for (std::size_t first = 0; first < starts.size();) {
    std::size_t end = first + 1;
    while (end < starts.size() && starts[end]->made_for() == starts[first]->made_for()) {
      ++end;
    }
    std::vector<Tuning> tunings;
    for (std::size_t s = first; s < end; ++s) {
      if (const Tuning* tuning = explorers[s].best(); tuning != nullptr) {
        tunings.push_back(*tuning);
      }
    }
    explorers[first].polish(tunings);
    first = end;
  }
  return {std::move(starts[pool.start()]), pool.tuning()};
}

}  // namespace tessera

#include "scheduler/search/best.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "scheduler/search/explorer.hpp"
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

  /// `measured`: there already. The first one is first-fit's.
  void consider(const Measured& measured, std::uint64_t digest, std::size_t start,
                const Tuning& tuning) {
    seen_.insert(digest);
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
  void consider(Program& program, std::uint64_t digest, std::size_t start, const Tuning& tuning) {
    if (seen_.count(digest) != 0) {
      return;
    }
    program.hardware = hardware_;
    if (const auto measured = measure(program, policy_)) {
      consider(*measured, digest, start, tuning);
    }
  }

  [[nodiscard]] std::size_t start() const { return start_; }
  [[nodiscard]] const Tuning& tuning() const { return tuning_; }

 private:
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
    const Consider consider = [&pool, s](Program& program, std::uint64_t digest,
                                         const Tuning& tuning,
                                         const std::optional<Measured>& measured) {
      if (s > 0) {
        pool.consider(program, digest, s, tuning);
      } else if (measured) {
        pool.consider(*measured, digest, s, tuning);
      }
    };
    explorers.emplace_back(*starts[s], work, consider, before);
    most += explorers.back().around_trials() + explorers.back().refine_trials();
  }
  most += explorers[0].refine_trials();
  explorers[0].look_around();
  for (std::size_t s = 1; s < explorers.size(); ++s) {
    try {
      explorers[s].look_around();
    } catch (const InputError&) {
      // A layer needs more than that.
    }
  }
  // From what is best, with the memory that there is: its hardware's first start.
  const auto same = std::find_if(starts.begin(), starts.end(), [&](const auto& start) {
    return start->made_for() == starts[pool.start()]->made_for();
  });
  explorers[static_cast<std::size_t>(same - starts.begin())].polish(pool.tuning());
  return {std::move(starts[pool.start()]), pool.tuning()};
}

}  // namespace tessera

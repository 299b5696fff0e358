// The order with the least peak.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "planner/offsets/search_key.hpp"
#include "tessera/error.hpp"
#include "tessera/order.hpp"
#include "tessera/rng.hpp"

namespace tessera {
namespace {

// Reaches sets of executed operators without ever exceeding a limit on the memory alive, and raises
// the limit to the next amount that some way on needs, until all operators have run. A set is
// expanded once: how it was reached does not matter for what follows.
//
// An operator that fits and leaves no more memory alive than before can run at once: moved to the
// front of any order from here it adds nothing to what comes in between. The same holds for a
// chain, of which each operator is the only one that its predecessor makes ready, up to the first
// point at which no more is alive than at its start.
class OrderSearch {
 public:
  OrderSearch(const OrderProblem& problem, std::uint64_t states)
      : walk_(problem), count_(static_cast<std::uint32_t>(problem.before.size())), budget_(states) {
    after_.resize(count_);
    for (std::uint32_t n = 0; n < count_; ++n) {
      for (const std::uint32_t b : problem.before[n]) {
        after_[b].push_back(n);
      }
    }
    SplitMix64 rng(7);
    for (std::uint32_t n = 0; n < count_; ++n) {
      keys_.push_back({rng.next(), rng.next()});
    }
  }

  // `upper`: a peak that is known to be possible.
  Order run(const Order& known) {
    Order result = known;
    states_.push_back({kNone, {}});
    move_to(0);
    limit_ = 0;
    open_.push_back(0);
    while (limit_ < known.peak) {
      if (search()) {
        result.nodes = path_to(goal_);
        result.peak = limit_;
        break;
      }
      if (states_.size() > budget_) {
        break;
      }
      if (later_.empty()) {
        break;
      }
      limit_ = later_.begin()->first;
      open_ = std::move(later_.begin()->second);
      later_.erase(later_.begin());
    }
    if (goal_ == kNone && states_.size() > budget_) {
      finish_greedily(result);
    }
    result.lower_bound = std::min(limit_, result.peak);
    result.states = states_.size();
    return result;
  }

 private:
  struct State {
    std::uint32_t parent;
    std::vector<std::uint32_t> ran;  // since the parent
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // Expands all open states under the limit. True when one has run everything.
  bool search() {
    while (!open_.empty() && states_.size() <= budget_) {
      const std::uint32_t state = open_.back();
      open_.pop_back();
      move_to(state);
      if (ran_.size() == count_) {
        goal_ = state;
        return true;
      }
      expand(state);
    }
    return false;
  }

  void expand(std::uint32_t state) {
    const std::size_t mark = ran_.size();
    std::vector<std::pair<std::int64_t, std::uint32_t>> ready;
    for (std::uint32_t n = walk_.next_ready(0); n < count_; n = walk_.next_ready(n + 1)) {
      ready.emplace_back(walk_.change(n), n);
    }
    // The last one pushed is expanded first.
    std::sort(ready.rbegin(), ready.rend());
    std::uint64_t next = ~std::uint64_t{0};
    for (const auto& [change, node] : ready) {
      const std::uint64_t during = walk_.during(node);
      if (during > limit_) {
        next = std::min(next, during);
        continue;
      }
      step(node);
      run_safe();
      const auto [at, fresh] = known_.emplace(key_, static_cast<std::uint32_t>(states_.size()));
      if (fresh) {
        open_.push_back(at->second);
        states_.push_back({state, {ran_.begin() + static_cast<std::ptrdiff_t>(mark), ran_.end()}});
      }
      back_to(mark);
    }
    if (next != ~std::uint64_t{0}) {
      later_[next].push_back(state);
    }
  }

  // What the search has is more than nothing: its states, each brought to an end as the greedy
  // order would.
  void finish_greedily(Order& best) {
    constexpr std::size_t kTries = 64;
    const std::size_t stride = std::max<std::size_t>(states_.size() / kTries, 1);
    for (std::size_t at = states_.size(); at-- > 0; at -= std::min(at, stride - 1)) {
      move_to(static_cast<std::uint32_t>(at));
      std::uint64_t peak = limit_;
      while (ran_.size() < count_) {
        std::uint32_t next = count_;
        for (std::uint32_t n = walk_.next_ready(0); n < count_; n = walk_.next_ready(n + 1)) {
          if (next == count_ || walk_.change(n) < walk_.change(next)) {
            next = n;
          }
        }
        peak = std::max(peak, walk_.during(next));
        step(next);
      }
      if (peak < best.peak) {
        best.peak = peak;
        best.nodes = ran_;
      }
    }
  }

  // Everything that can run without loss.
  void run_safe() {
    for (bool again = true; again;) {
      again = false;
      for (std::uint32_t n = walk_.next_ready(0); n < count_; n = walk_.next_ready(n + 1)) {
        again = run_chain(n) || again;
      }
    }
  }

  bool run_chain(std::uint32_t node) {
    const std::size_t mark = ran_.size();
    const std::uint64_t alive = walk_.alive();
    while (walk_.during(node) <= limit_) {
      step(node);
      if (walk_.alive() <= alive) {
        return true;
      }
      std::uint32_t next = count_;
      for (const std::uint32_t n : after_[node]) {
        if (walk_.is_ready(n)) {
          if (next != count_) {
            next = count_;
            break;
          }
          next = n;
        }
      }
      if (next == count_) {
        break;
      }
      node = next;
    }
    back_to(mark);
    return false;
  }

  void step(std::uint32_t node) {
    walk_.run(node);
    ran_.push_back(node);
    key_.a ^= keys_[node].a;
    key_.b ^= keys_[node].b;
  }

  void back_to(std::size_t mark) {
    while (ran_.size() > mark) {
      const std::uint32_t node = ran_.back();
      walk_.take_back(node);
      ran_.pop_back();
      key_.a ^= keys_[node].a;
      key_.b ^= keys_[node].b;
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> path_to(std::uint32_t state) const {
    std::vector<std::uint32_t> path;
    for (std::uint32_t s = state; s != kNone; s = states_[s].parent) {
      path.insert(path.end(), states_[s].ran.rbegin(), states_[s].ran.rend());
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  // Only what differs is taken back and run.
  void move_to(std::uint32_t state) {
    const std::vector<std::uint32_t> path = path_to(state);
    std::size_t same = 0;
    while (same < path.size() && same < ran_.size() && path[same] == ran_[same]) {
      ++same;
    }
    back_to(same);
    for (std::size_t i = same; i < path.size(); ++i) {
      step(path[i]);
    }
  }

  OrderWalk walk_;
  std::uint32_t count_;
  std::uint64_t budget_;
  std::vector<std::vector<std::uint32_t>> after_;
  std::vector<SearchKey> keys_;
  std::vector<State> states_;
  std::unordered_map<SearchKey, std::uint32_t, SearchKeyHash> known_;
  std::vector<std::uint32_t> open_;
  std::map<std::uint64_t, std::vector<std::uint32_t>> later_;  // by the limit they wait for
  std::vector<std::uint32_t> ran_;
  SearchKey key_;
  std::uint64_t limit_ = 0;
  std::uint32_t goal_ = kNone;
};

}  // namespace

Order order_exact(const OrderProblem& problem, std::uint64_t states) {
  return OrderSearch(problem, states).run(order_greedy(problem));
}

}  // namespace tessera

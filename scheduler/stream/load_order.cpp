#include "scheduler/stream/load_order.hpp"

#include <algorithm>

namespace tessera {
namespace {

const LoadAction* load_of(const Action& action) {
  return std::get_if<LoadAction>(&action.body);
}

bool is_constant(const LoadAction& load) {
  return load.kind == isa::LoadKind::Weight || load.kind == isa::LoadKind::Param;
}

bool overlaps(const Access& a, const Access& b) {
  return a.resource == b.resource && a.begin < b.end && b.begin < a.end;
}

// Whether the load may be done before the action: constants in external memory never change.
bool is_apart(const Action& load, const Action& action) {
  for (const Access& mine : load.accesses) {
    for (const Access& other : action.accesses) {
      if (mine.resource != Resource::External && overlaps(mine, other)) {
        return false;
      }
    }
  }
  return true;
}

class LoadOrder {
 public:
  LoadOrder(std::vector<Action>& actions, const LoadsAhead& ahead)
      : actions_(actions),
        ahead_(ahead),
        passed_(actions.size(), 0),
        waits_(actions.size(), false) {}

  void run() {
    order_.reserve(actions_.size());
    for (std::uint32_t i = 0; i < actions_.size(); ++i) {
      const LoadAction* load = load_of(actions_[i]);
      const std::size_t place =
          load != nullptr && is_constant(*load) ? place_for(i) : order_.size();
      order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(place), i);
    }
    std::vector<Action> sorted;
    sorted.reserve(actions_.size());
    for (const std::uint32_t i : order_) {
      sorted.push_back(std::move(actions_[i]));
    }
    actions_ = std::move(sorted);
  }

 private:
  static constexpr std::size_t kFurthest = 1024;  // actions that are looked back
  static constexpr std::size_t kSoon = 64;        // actions before a load for which it will wait

  // Before the first waiting load that it can pass, and before some work.
  std::size_t place_for(std::uint32_t moving) {
    const std::uint64_t bytes = load_of(actions_[moving])->source.bytes();
    std::size_t best = order_.size();
    std::vector<std::uint32_t> passed;
    std::uint32_t work = 0;
    for (std::size_t at = order_.size(); at-- > 0 && order_.size() - at < kFurthest;) {
      const std::uint32_t other = order_[at];
      const LoadAction* load = load_of(actions_[other]);
      if (!is_apart(actions_[moving], actions_[other])) {
        waits_[moving] = load == nullptr && order_.size() - at < kSoon;
        break;
      }
      if (load != nullptr && is_constant(*load) && !waits_[other]) {
        break;
      }
      if (load == nullptr) {
        if (!std::holds_alternative<MarkAction>(actions_[other].body) && work++ < ahead_.work) {
          best = at;
        }
        continue;
      }
      if (passed_[other] + bytes > ahead_.bytes) {
        break;
      }
      passed.push_back(other);
      best = at;
    }
    for (const std::uint32_t other : passed) {
      passed_[other] += bytes;
    }
    return best;
  }

  std::vector<Action>& actions_;
  LoadsAhead ahead_;
  std::vector<std::uint64_t> passed_;  // by action: bytes of constants that have gone before it
  std::vector<bool> waits_;            // by action: a constant that work just before it delays
  std::vector<std::uint32_t> order_;
};

}  // namespace

void load_ahead(std::vector<Action>& actions, const LoadsAhead& ahead) {
  LoadOrder(actions, ahead).run();
}

}  // namespace tessera

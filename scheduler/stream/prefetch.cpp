#include "scheduler/stream/prefetch.hpp"

#include <algorithm>

namespace tessera {
namespace {

const LoadOperation* load_of(const Operation& operation) {
  return std::get_if<LoadOperation>(&operation.body);
}

bool is_constant(const LoadOperation& load) {
  return (load.kind == isa::LoadKind::Weight && !load.is_computed) ||
         load.kind == isa::LoadKind::Param;
}

bool overlaps(const Access& a, const Access& b) {
  return a.resource == b.resource && a.begin < b.end && b.begin < a.end;
}

// Whether the load may be done before the operation: constants in external memory never change.
bool is_apart(const Operation& load, const Operation& operation) {
  for (const Access& mine : load.accesses) {
    for (const Access& other : operation.accesses) {
      if (mine.resource != Resource::External && overlaps(mine, other)) {
        return false;
      }
    }
  }
  return true;
}

class LoadOrder {
 public:
  LoadOrder(std::vector<Operation>& operations, const Prefetch& ahead)
      : operations_(operations),
        ahead_(ahead),
        passed_(operations.size(), 0),
        waits_(operations.size(), false) {}

  void run() {
    order_.reserve(operations_.size());
    for (std::uint32_t i = 0; i < operations_.size(); ++i) {
      const LoadOperation* load = load_of(operations_[i]);
      const std::size_t place =
          load != nullptr && is_constant(*load) ? place_for(i) : order_.size();
      order_.insert(order_.begin() + static_cast<std::ptrdiff_t>(place), i);
    }
    std::vector<Operation> sorted;
    sorted.reserve(operations_.size());
    for (const std::uint32_t i : order_) {
      sorted.push_back(std::move(operations_[i]));
    }
    operations_ = std::move(sorted);
  }

 private:
  static constexpr std::size_t kFurthest = 1024;  // operations that are looked back
  static constexpr std::size_t kSoon = 64;        // operations before a load for which it will wait

  // Before the first waiting load that it can pass, and before some work.
  std::size_t place_for(std::uint32_t moving) {
    const std::uint64_t bytes = load_of(operations_[moving])->source.bytes();
    std::size_t best = order_.size();
    std::vector<std::uint32_t> passed;
    std::uint32_t work = 0;
    for (std::size_t at = order_.size(); at-- > 0 && order_.size() - at < kFurthest;) {
      const std::uint32_t other = order_[at];
      const LoadOperation* load = load_of(operations_[other]);
      if (!is_apart(operations_[moving], operations_[other])) {
        waits_[moving] = load == nullptr && order_.size() - at < kSoon;
        break;
      }
      if (load != nullptr && is_constant(*load) && !waits_[other]) {
        break;
      }
      if (load == nullptr) {
        if (!std::holds_alternative<MarkOperation>(operations_[other].body) &&
            work++ < ahead_.work) {
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

  std::vector<Operation>& operations_;
  Prefetch ahead_;
  std::vector<std::uint64_t> passed_;  // by operation: bytes of constants that have gone before it
  std::vector<bool> waits_;            // by operation: a constant that work just before it delays
  std::vector<std::uint32_t> order_;
};

}  // namespace

void prefetch(std::vector<Operation>& operations, const Prefetch& ahead) {
  LoadOrder(operations, ahead).run();
}

}  // namespace tessera

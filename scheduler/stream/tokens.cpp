#include "scheduler/stream/tokens.hpp"

#include <algorithm>
#include <stdexcept>

#include "scheduler/stream/access_map.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kBehind = 32;  // stores

// What is known to be finished. A store is drained (its accumulators and parameters read) before it
// is acknowledged (its bytes in external memory); the token to the compute unit tells the first
// only, the token to the load unit both.
struct Knowledge {
  UnitClock done{};
  std::uint32_t acknowledged = 0;

  void merge(const Knowledge& other) {
    for (std::size_t u = 0; u < done.size(); ++u) {
      done[u] = std::max(done[u], other.done[u]);
    }
    acknowledged = std::max(acknowledged, other.acknowledged);
  }
};

class TokenAssigner {
 public:
  explicit TokenAssigner(std::vector<Operation>& operations) : operations_(operations) {}

  void run() {
    for (Operation& operation : operations_) {
      const std::size_t unit = static_cast<std::size_t>(operation.unit) - 1;
      assign(operation, unit);
      by_unit_[unit].push_back(&operation);
      Knowledge finished = current_[unit];
      finished.done[unit] = static_cast<std::uint32_t>(by_unit_[unit].size());
      knowledge_[unit].push_back(finished);
      current_[unit] = finished;
    }
  }

 private:
  struct Needs {
    UnitClock done{};
    std::uint32_t acknowledged = 0;
  };

  Needs needs_of(const Operation& operation, std::size_t unit) {
    const auto number = static_cast<std::uint32_t>(by_unit_[unit].size() + 1);
    Needs needs;
    for (const Access& access : operation.accesses) {
      const bool external = access.resource == Resource::External;
      maps_[static_cast<std::size_t>(access.resource)].update(
          access.begin, access.end, [&](AccessHistory& history) {
            for (std::size_t u = 0; u < 3; ++u) {
              std::uint32_t latest = history.writes[u];
              if (external && u == kStore) {
                needs.acknowledged = std::max(needs.acknowledged, latest);
                latest = 0;
              }
              needs.done[u] = std::max(needs.done[u], latest);
              if (access.write) {
                needs.done[u] = std::max(needs.done[u], history.reads[u]);
              }
            }
            if (access.write) {
              history.writes = {};
              history.reads = {};
              history.writes[unit] = number;
            } else {
              history.reads[unit] = number;
            }
          });
    }
    return needs;
  }

  void assign(Operation& operation, std::size_t unit) {
    const Needs needs = needs_of(operation, unit);
    Knowledge& known = current_[unit];
    if (unit == kLoad) {
      // One token must cover both what is drained and what is acknowledged.
      std::uint32_t store = needs.acknowledged > known.acknowledged ? needs.acknowledged : 0;
      if (needs.done[kStore] > known.done[kStore]) {
        store = std::max(store, needs.done[kStore]);
      }
      if (store > 0) {
        // A token makes the store unit wait until all is acknowledged. One that stands a little
        // behind serves the loads to come as well.
        const auto stores = static_cast<std::uint32_t>(by_unit_[kStore].size());
        for (std::uint32_t later = stores - std::min(stores, kBehind); later > store; --later) {
          if (!std::holds_alternative<MarkOperation>(by_unit_[kStore][later - 1]->body)) {
            store = later;
          }
        }
        operation.wait_store = true;
        by_unit_[kStore][store - 1]->post_load = true;
        known.merge(knowledge_[kStore][store - 1]);
        known.acknowledged = std::max(known.acknowledged, store);
      }
      if (needs.done[kCompute] > known.done[kCompute]) {
        operation.wait_compute = true;
        take(known, kCompute, needs.done[kCompute])->post_load = true;
      }
    } else if (unit == kCompute) {
      if (needs.done[kLoad] > known.done[kLoad]) {
        operation.wait_load = true;
        take(known, kLoad, needs.done[kLoad])->post_compute = true;
      }
      if (needs.done[kStore] > known.done[kStore]) {
        operation.wait_store = true;
        take(known, kStore, needs.done[kStore])->post_compute = true;
      }
    } else {
      if (needs.done[kCompute] > known.done[kCompute]) {
        operation.wait_compute = true;
        take(known, kCompute, needs.done[kCompute])->post_store = true;
      }
      if (needs.done[kLoad] > known.done[kLoad]) {
        throw std::logic_error("a store depends on a load that no convolution before it waits for");
      }
    }
  }

  Operation* take(Knowledge& known, std::size_t from, std::uint32_t number) {
    known.merge(knowledge_[from][number - 1]);
    return by_unit_[from][number - 1];
  }

  std::vector<Operation>& operations_;
  std::array<AccessMap, kNumResources> maps_;
  std::array<std::vector<Operation*>, 3> by_unit_;
  std::array<std::vector<Knowledge>, 3> knowledge_;  // when each operation is finished
  std::array<Knowledge, 3> current_;                 // of each unit before its next operation
};

}  // namespace

void assign_tokens(std::vector<Operation>& operations) {
  TokenAssigner(operations).run();
}

}  // namespace tessera

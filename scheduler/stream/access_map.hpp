// Who last wrote and who last read each range of a resource.
#pragma once

#include <array>
#include <cstdint>
#include <map>

namespace tessera {

/// Operation numbers by unit (load, compute, store); 0: none, so numbers start at 1.
using UnitClock = std::array<std::uint32_t, 3>;

/// A range that has the same history throughout.
struct AccessHistory {
  UnitClock writes{};  ///< last write by each unit
  UnitClock reads{};   ///< reads since then
};

class AccessMap {
 public:
  AccessMap() { ranges_[0] = {}; }

  /// Calls `visit` with the history of every range inside [begin, end), each cut to it.
  template <class Visit>
  void update(std::uint64_t begin, std::uint64_t end, Visit visit) {
    if (begin >= end) {
      return;
    }
    cut(begin);
    cut(end);
    for (auto at = ranges_.find(begin); at != ranges_.end() && at->first < end; ++at) {
      visit(at->second);
    }
    join(begin, end);
  }

 private:
  void cut(std::uint64_t at) {
    auto next = ranges_.upper_bound(at);
    const auto owner = std::prev(next);
    if (owner->first != at) {
      ranges_.emplace_hint(next, at, owner->second);
    }
  }

  // Neighbours with equal histories become one, so that the map stays small.
  void join(std::uint64_t begin, std::uint64_t end) {
    auto at = ranges_.find(begin);
    if (at != ranges_.begin()) {
      --at;
    }
    while (at != ranges_.end() && at->first < end) {
      const auto next = std::next(at);
      if (next == ranges_.end()) {
        return;
      }
      if (next->second.writes == at->second.writes && next->second.reads == at->second.reads) {
        ranges_.erase(next);
      } else {
        at = next;
      }
    }
  }

  std::map<std::uint64_t, AccessHistory> ranges_;  // by begin, each up to the next
};

}  // namespace tessera

#include "scheduler/interlayer/in_place.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "scheduler/interlayer/activations.hpp"

namespace tessera {
namespace {

/// The number that a range of a resource was last given; ranges are cut as needed.
class LastWriter {
 public:
  LastWriter() { ranges_[0] = 0; }

  void write(std::uint64_t begin, std::uint64_t end, std::uint64_t number) {
    if (begin >= end) {
      return;
    }
    cut(end);
    cut(begin);
    ranges_.erase(ranges_.upper_bound(begin), ranges_.lower_bound(end));
    ranges_[begin] = number;
  }

  [[nodiscard]] std::uint64_t latest(std::uint64_t begin, std::uint64_t end) const {
    std::uint64_t result = 0;
    for (auto at = std::prev(ranges_.upper_bound(begin)); at != ranges_.end() && at->first < end;
         ++at) {
      result = std::max(result, at->second);
    }
    return result;
  }

 private:
  void cut(std::uint64_t at) { ranges_.emplace(at, std::prev(ranges_.upper_bound(at))->second); }

  std::map<std::uint64_t, std::uint64_t> ranges_;  // by begin, each up to the next
};

struct Store {
  std::int64_t begin, end;  ///< from the output's start
  std::uint64_t loads;      ///< so many are known to be done
};

struct Load {
  std::int64_t begin, end;  ///< from the input's start; an empty range for other loads
};

/// Bytes, as ranges apart from each other.
class ByteSet {
 public:
  void add(std::int64_t begin, std::int64_t end) {
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second >= begin) {
      --at;
    }
    while (at != ranges_.end() && at->first <= end) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = ranges_.erase(at);
    }
    ranges_[begin] = end;
  }
  [[nodiscard]] bool meets(std::int64_t begin, std::int64_t end) const {
    const auto next = ranges_.lower_bound(end);
    return next != ranges_.begin() && std::prev(next)->second > begin;
  }

 private:
  std::map<std::int64_t, std::int64_t> ranges_;  // by begin
};

class Tracker {
 public:
  Tracker(std::uint64_t input, std::uint64_t output) : input_(input), output_(output) {}

  void add(const Operation& operation) {
    switch (operation.unit) {
      case isa::Unit::Load:
        add_load(operation);
        break;
      case isa::Unit::Compute:
        add_conv(operation);
        break;
      default:
        add_store(operation);
        break;
    }
  }

  /// Whether a store meets bytes of a load that is not known to be done.
  [[nodiscard]] bool overwrites_unread() const {
    ByteSet unread;
    std::size_t left = segments_.size();  // loads from there on are among them
    for (auto store = stores_.rbegin(); store != stores_.rend(); ++store) {
      for (; left > store->loads; --left) {
        for (const auto& [begin, end] : segments_[left - 1]) {
          unread.add(begin, end);
        }
      }
      if (unread.meets(store->begin, store->end)) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] Distances distances() const {
    // What loads from each number on still read.
    std::vector<Load> rest(loads_.size() + 1, nothing());
    for (std::size_t i = loads_.size(); i-- > 0;) {
      rest[i] = {std::min(rest[i + 1].begin, loads_[i].begin),
                 std::max(rest[i + 1].end, loads_[i].end)};
    }
    Distances result;
    for (const Store& store : stores_) {
      const Load& left = rest[store.loads];
      if (left.begin < left.end) {
        result.output_below = std::max(result.output_below, positive(store.end - left.begin));
        result.output_above = std::max(result.output_above, positive(left.end - store.begin));
      }
    }
    return result;
  }

 private:
  static Load nothing() {
    return {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  }
  static std::uint64_t positive(std::int64_t value) {
    return value > 0 ? static_cast<std::uint64_t>(value) : 0;
  }
  static bool inside(std::uint64_t address, std::uint64_t base) {
    return address >= base && address < base + kVirtualBuffer;
  }

  void add_load(const Operation& operation) {
    Load load = nothing();
    segments_.emplace_back();
    for (const Access& access : operation.accesses) {
      if (access.resource == Resource::External) {
        if (inside(access.begin, input_)) {
          segments_.back().emplace_back(static_cast<std::int64_t>(access.begin - input_),
                                        static_cast<std::int64_t>(access.end - input_));
          load.begin = std::min(load.begin, static_cast<std::int64_t>(access.begin - input_));
          load.end = std::max(load.end, static_cast<std::int64_t>(access.end - input_));
        }
      } else {  // a load reads nothing but external memory
        writers(access.resource).write(access.begin, access.end, loads_.size() + 1);
      }
    }
    loads_.push_back(load);
  }

  void add_conv(const Operation& operation) {
    std::uint64_t known = known_by_conv_.empty() ? 0 : known_by_conv_.back();
    for (const Access& access : operation.accesses) {
      if (!access.write && access.resource != Resource::Accumulator) {
        known = std::max(known, writers(access.resource).latest(access.begin, access.end));
      }
    }
    known_by_conv_.push_back(known);
    for (const Access& access : operation.accesses) {
      if (access.write && access.resource == Resource::Accumulator) {
        accumulators_.write(access.begin, access.end, known_by_conv_.size());
      }
    }
  }

  void add_store(const Operation& operation) {
    for (const Access& access : operation.accesses) {
      if (!access.write && access.resource == Resource::Accumulator) {
        const std::uint64_t conv = accumulators_.latest(access.begin, access.end);
        known_by_store_ = std::max(known_by_store_, conv == 0 ? 0 : known_by_conv_[conv - 1]);
      }
    }
    for (const Access& access : operation.accesses) {
      if (access.write && access.resource == Resource::External && inside(access.begin, output_)) {
        stores_.push_back({static_cast<std::int64_t>(access.begin - output_),
                           static_cast<std::int64_t>(access.end - output_), known_by_store_});
      }
    }
  }

  LastWriter& writers(Resource resource) { return writers_[static_cast<std::size_t>(resource)]; }

  std::uint64_t input_;
  std::uint64_t output_;
  std::vector<Load> loads_;
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> segments_;  // by load
  std::vector<Store> stores_;
  LastWriter writers_[kNumResources];
  LastWriter accumulators_;                   // by convolution
  std::vector<std::uint64_t> known_by_conv_;  // loads that are done
  std::uint64_t known_by_store_ = 0;
};

}  // namespace

Distances safe_distances(const std::vector<Operation>& operations, std::uint64_t input,
                         std::uint64_t output) {
  Tracker tracker(input, output);
  for (const Operation& operation : operations) {
    tracker.add(operation);
  }
  return tracker.distances();
}

bool overwrites_unread(const std::vector<Operation>& operations, std::uint64_t buffer) {
  Tracker tracker(buffer, buffer);
  for (const Operation& operation : operations) {
    tracker.add(operation);
  }
  return tracker.overwrites_unread();
}

}  // namespace tessera

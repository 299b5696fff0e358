// Greedy by size with removable and merging operators.
#include <algorithm>

#include "tessera/operator_graph.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFF;

bool contains(const std::vector<std::uint32_t>& list, std::uint32_t node) {
  return std::find(list.begin(), list.end(), node) != list.end();
}

class Removal {
 public:
  explicit Removal(const OperatorGraph& graph)
      : graph_(graph),
        count_(static_cast<std::uint32_t>(graph.nodes.size())),
        holder_(count_, kNone),
        inside_(count_, 0),
        last_read_(count_),
        placed_(count_) {
    plan_.offsets.resize(count_);
    plan_.removed.resize(count_);
    plan_.first.resize(count_);
    plan_.local_share.resize(count_);
  }

  RemovalPlan run() {
    for (std::uint32_t n = 0; n < count_; ++n) {
      last_read_[n] = n;
      for (const std::uint32_t input : graph_.nodes[n].inputs) {
        last_read_[input] = n;
      }
    }
    last_read_[count_ - 1] = count_;
    for (std::uint32_t n = 0; n < count_; ++n) {
      share(n);
    }
    for (std::uint32_t n = 0; n < count_; ++n) {
      find_sharers(n);
    }
    for (std::uint32_t n = 0; n < count_; ++n) {
      find_first_dependents(n);
    }
    place_all();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] std::uint32_t root(std::uint32_t node) const {
    while (holder_[node] != kNone) {
      node = holder_[node];
    }
    return node;
  }

  // A removable operator lies in its input. A merging one holds its inputs, unless one of them is
  // held already.
  void share(std::uint32_t n) {
    const GraphNode& node = graph_.nodes[n];
    if (node.sharing == Sharing::Removable && node.inputs.size() == 1 &&
        graph_.nodes[node.inputs[0]].bytes >= node.bytes) {
      holder_[n] = node.inputs[0];
      plan_.removed[n] = true;
      return;
    }
    if (node.sharing != Sharing::Merging) {
      return;
    }
    std::uint64_t sum = 0;
    for (const std::uint32_t input : node.inputs) {
      if (holder_[input] != kNone) {
        return;
      }
      sum += graph_.nodes[input].bytes;
    }
    if (sum > node.bytes) {
      return;
    }
    std::uint64_t at = 0;
    for (const std::uint32_t input : node.inputs) {
      holder_[input] = n;
      inside_[input] = at;
      at += graph_.nodes[input].bytes;
    }
    plan_.removed[n] = true;
  }

  // Forward through consumers that lie in this one's memory, backward through what lies in it.
  void find_sharers(std::uint32_t n) {
    for (std::uint32_t other = 0; other < count_; ++other) {
      if (root(other) == root(n)) {
        plan_.local_share[n].push_back(other);
      }
    }
  }

  [[nodiscard]] bool lies_in(std::uint32_t inner, std::uint32_t outer) const {
    for (std::uint32_t up = inner; up != kNone; up = holder_[up]) {
      if (up == outer) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool may_share_with_inputs(std::uint32_t n) const {
    return graph_.nodes[n].sharing == Sharing::ElementWise || plan_.removed[n];
  }

  void find_first_dependents(std::uint32_t n) {
    for (std::uint32_t other = 0; other < n; ++other) {
      const bool still_needed =
          last_read_[other] > n || (last_read_[other] == n && !may_share_with_inputs(n));
      // Those that lie side by side inside the same one depend on each other too.
      const bool same_bytes = lies_in(other, n) || lies_in(n, other);
      if (still_needed && !same_bytes) {
        plan_.first[n].push_back(other);
      }
    }
    plan_.first[n].push_back(n);
  }

  void place_all() {
    for (;;) {
      std::uint32_t next = kNone;
      for (std::uint32_t n = 0; n < count_; ++n) {
        if (!placed_[n] && (next == kNone || graph_.nodes[n].bytes > graph_.nodes[next].bytes)) {
          next = n;
        }
      }
      if (next == kNone) {
        return;
      }
      place(root(next));
    }
  }

  void place(std::uint32_t n) {
    struct Range {
      std::uint64_t begin, end;
    };
    std::vector<Range> taken;
    for (std::uint32_t other = 0; other < count_; ++other) {
      if (placed_[other] && depends_on_group(n, other)) {
        taken.push_back({plan_.offsets[other], plan_.offsets[other] + graph_.nodes[other].bytes});
      }
    }
    std::sort(taken.begin(), taken.end(),
              [](const Range& x, const Range& y) { return x.begin < y.begin; });
    const std::uint64_t bytes = graph_.nodes[n].bytes;
    std::uint64_t at = 0;
    for (const Range& range : taken) {
      if (range.begin < at + bytes) {
        at = std::max(at, range.end);
      }
    }
    for (const std::uint32_t member : plan_.local_share[n]) {
      std::uint64_t offset = at;
      for (std::uint32_t up = member; up != n; up = holder_[up]) {
        offset += inside_[up];
      }
      plan_.offsets[member] = offset;
      placed_[member] = true;
      plan_.placement.push_back(member);
    }
    // The one that was chosen comes first.
    const auto group =
        plan_.placement.end() - static_cast<std::ptrdiff_t>(plan_.local_share[n].size());
    std::rotate(group, std::find(group, plan_.placement.end(), n), plan_.placement.end());
    plan_.height = std::max(plan_.height, at + bytes);
  }

  [[nodiscard]] bool depends_on_group(std::uint32_t n, std::uint32_t other) const {
    return std::any_of(
        plan_.local_share[n].begin(), plan_.local_share[n].end(), [&](std::uint32_t member) {
          return contains(plan_.first[member], other) || contains(plan_.first[other], member);
        });
  }

  const OperatorGraph& graph_;
  std::uint32_t count_;
  std::vector<std::uint32_t> holder_;  // in whose memory a node lies
  std::vector<std::uint64_t> inside_;  // offset there
  std::vector<std::uint32_t> last_read_;
  std::vector<bool> placed_;
  RemovalPlan plan_;
};

}  // namespace

RemovalPlan plan_removal(const OperatorGraph& graph) {
  return Removal(graph).run();
}

}  // namespace tessera

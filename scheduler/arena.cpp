#include "scheduler/arena.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {

ArenaPlan plan_arena(const std::vector<Lifetime>& buffers, std::uint64_t alignment) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  const auto aligned = [&](std::uint64_t at) {
    return (at + alignment - 1) / alignment * alignment;
  };
  ArenaPlan plan;
  plan.offsets.resize(buffers.size());
  std::vector<std::size_t> placed;  // by offset
  for (const std::size_t b : order) {
    std::uint64_t offset = 0;
    for (const std::size_t other : placed) {
      const bool together =
          buffers[b].first < buffers[other].last && buffers[other].first < buffers[b].last;
      if (together && plan.offsets[other] < offset + buffers[b].bytes) {
        offset = std::max(offset, aligned(plan.offsets[other] + buffers[other].bytes));
      }
    }
    plan.offsets[b] = offset;
    plan.bytes = std::max(plan.bytes, offset + buffers[b].bytes);
    const auto at = std::find_if(placed.begin(), placed.end(),
                                 [&](std::size_t other) { return plan.offsets[other] > offset; });
    placed.insert(at, b);
  }
  return plan;
}

}  // namespace tessera

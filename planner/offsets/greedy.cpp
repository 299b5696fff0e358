#include "planner/offsets/greedy.hpp"

#include <algorithm>
#include <numeric>

namespace tessera {
namespace {

std::int64_t align_up(std::int64_t value, std::int64_t unit) {
  return value <= 0 ? 0 : (value + unit - 1) / unit * unit;
}

}  // namespace

std::vector<std::uint64_t> place_in_order(const AllocationProblem& problem,
                                          const Clearances& clearances,
                                          const std::vector<std::size_t>& order, Fit fit) {
  const auto unit = static_cast<std::int64_t>(problem.alignment);
  std::vector<std::uint64_t> offsets(problem.buffers.size());
  std::vector<bool> placed(problem.buffers.size());
  std::vector<Forbidden> taken;
  for (const std::size_t b : order) {
    taken.clear();
    for (const std::size_t other : clearances.neighbours(b)) {
      if (placed[other]) {
        taken.push_back(clearances.forbidden(b, other, offsets[other]));
      }
    }
    std::sort(taken.begin(), taken.end(),
              [](const Forbidden& x, const Forbidden& y) { return x.low < y.low; });
    // Between `at` and the next forbidden range's low end lies a gap of places.
    std::int64_t at = 0;
    std::int64_t best = -1;
    std::int64_t best_room = 0;
    for (const Forbidden& range : taken) {
      if (range.low >= at && (best < 0 || range.low - at < best_room)) {
        best = at;
        best_room = range.low - at;
        if (fit == Fit::Lowest) {
          break;
        }
      }
      at = std::max(at, align_up(range.high, unit));
    }
    offsets[b] = static_cast<std::uint64_t>(best < 0 ? at : best);
    placed[b] = true;
  }
  return offsets;
}

std::uint64_t height_of(const AllocationProblem& problem,
                        const std::vector<std::uint64_t>& offsets) {
  std::uint64_t height = 0;
  for (std::size_t b = 0; b < offsets.size(); ++b) {
    height = std::max(height, offsets[b] + problem.buffers[b].size);
  }
  return height;
}

std::vector<std::size_t> order_by_size(const AllocationProblem& problem) {
  std::vector<std::size_t> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return problem.buffers[a].size > problem.buffers[b].size;
  });
  return order;
}

std::vector<std::size_t> order_by_breadth(const AllocationProblem& problem) {
  struct Moment {
    std::int64_t time;
    std::uint64_t breadth;
  };
  std::vector<Moment> moments;
  moments.reserve(problem.buffers.size());
  for (const Buffer& buffer : problem.buffers) {
    moments.push_back({buffer.lower, 0});
  }
  std::sort(moments.begin(), moments.end(),
            [](const Moment& x, const Moment& y) { return x.time < y.time; });
  moments.erase(std::unique(moments.begin(), moments.end(),
                            [](const Moment& x, const Moment& y) { return x.time == y.time; }),
                moments.end());
  const auto alive = [&](std::size_t b, const Moment& moment) {
    return problem.buffers[b].lower <= moment.time && moment.time < problem.buffers[b].upper;
  };
  const std::vector<std::size_t> by_size = order_by_size(problem);
  for (Moment& moment : moments) {
    for (const std::size_t b : by_size) {
      moment.breadth += alive(b, moment) ? problem.buffers[b].size : 0;
    }
  }
  std::stable_sort(moments.begin(), moments.end(),
                   [](const Moment& x, const Moment& y) { return x.breadth > y.breadth; });
  std::vector<std::size_t> order;
  std::vector<bool> taken(problem.buffers.size());
  for (const Moment& moment : moments) {
    for (const std::size_t b : by_size) {
      if (!taken[b] && alive(b, moment)) {
        taken[b] = true;
        order.push_back(b);
      }
    }
  }
  for (const std::size_t b : by_size) {
    if (!taken[b]) {
      order.push_back(b);  // alive at no moment
    }
  }
  return order;
}

namespace {

// TensorFlow Lite's arena takes the gap that is left with the fewest bytes.
Allocation allocate_in_order(const AllocationProblem& problem,
                             const std::vector<std::size_t>& order) {
  Allocation result;
  result.offsets = place_in_order(problem, Clearances(problem), order, Fit::Tightest);
  result.height = height_of(problem, result.offsets);
  result.lower_bound = live_bound(problem);
  return result;
}

}  // namespace

Allocation allocate_greedy_size(const AllocationProblem& problem) {
  return allocate_in_order(problem, order_by_size(problem));
}

Allocation allocate_greedy_breadth(const AllocationProblem& problem) {
  return allocate_in_order(problem, order_by_breadth(problem));
}

}  // namespace tessera

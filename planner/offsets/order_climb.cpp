#include "planner/offsets/order_climb.hpp"

#include <algorithm>
#include <numeric>

#include "planner/offsets/greedy.hpp"
#include "tessera/rng.hpp"

namespace tessera {
namespace {

/// Placement in one order after the other, each a small change of the best so far.
class OrderClimb {
 public:
  OrderClimb(const AllocationProblem& problem, Allocation& best)
      : problem_(problem), clearances_(problem), best_(best) {}

  void try_order(const std::vector<std::size_t>& order, Fit fit) {
    std::vector<std::uint64_t> offsets = place_in_order(problem_, clearances_, order, fit);
    const std::uint64_t height = height_of(problem_, offsets);
    best_.steps += problem_.buffers.size();
    if (height < height_) {
      height_ = height;
      order_ = order;
    }
    if (height < best_.height) {
      best_.height = height;
      best_.offsets = std::move(offsets);
    }
  }

  // Buffers at the top are placed earlier.
  void climb(std::uint64_t steps, std::uint64_t enough) {
    SplitMix64 rng(11);
    const std::size_t count = order_.size();
    for (std::uint64_t used = 0; used < steps && best_.height > enough && count > 1;
         used += count) {
      std::vector<std::size_t> order = order_;
      const std::uint64_t moves = 1 + rng.below(3);
      for (std::uint64_t m = 0; m < moves; ++m) {
        const auto from = static_cast<std::ptrdiff_t>(rng.below(count));
        const auto to =
            static_cast<std::ptrdiff_t>(rng.below(static_cast<std::uint64_t>(from) + 1));
        std::rotate(order.begin() + to, order.begin() + from, order.begin() + from + 1);
      }
      std::vector<std::uint64_t> offsets =
          place_in_order(problem_, clearances_, order, Fit::Lowest);
      const std::uint64_t height = height_of(problem_, offsets);
      best_.steps += count;
      if (height <= height_) {
        height_ = height;
        order_ = std::move(order);
        if (height < best_.height) {
          best_.height = height;
          best_.offsets = std::move(offsets);
        }
      }
    }
  }

 private:
  const AllocationProblem& problem_;
  Clearances clearances_;
  Allocation& best_;
  std::vector<std::size_t> order_;
  std::uint64_t height_ = ~std::uint64_t{0};
};

}  // namespace

Allocation climb_orders(const AllocationProblem& problem, std::uint64_t enough,
                        std::uint64_t steps) {
  Allocation best = allocate_greedy_size(problem);
  OrderClimb climb(problem, best);
  std::vector<std::size_t> by_time(problem.buffers.size());
  std::iota(by_time.begin(), by_time.end(), std::size_t{0});
  std::stable_sort(by_time.begin(), by_time.end(), [&](std::size_t a, std::size_t b) {
    return problem.buffers[a].lower < problem.buffers[b].lower;
  });
  for (const Fit fit : {Fit::Lowest, Fit::Tightest}) {
    climb.try_order(order_by_size(problem), fit);
    climb.try_order(order_by_breadth(problem), fit);
    climb.try_order(by_time, fit);
  }
  climb.climb(steps, std::max(enough, best.lower_bound));
  return best;
}

}  // namespace tessera

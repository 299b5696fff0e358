#include "planner/offsets/ordered_search.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "planner/offsets/clearance.hpp"

namespace tessera {
namespace {

// Buffers get their offsets in rising order. All that lies lower is placed already, so the lowest
// offset of the next one follows from those, and a solution pushed down as far as it goes is found.
class OrderedSearch {
 public:
  OrderedSearch(const AllocationProblem& problem, std::uint64_t height, std::uint64_t steps)
      : problem_(problem),
        clearances_(problem),
        height_(height),
        limit_(steps),
        count_(problem.buffers.size()),
        placed_(count_),
        lowest_(count_, 0),
        alive_(count_) {
    result_.offsets.resize(count_);
    for (std::size_t b = 0; b < count_; ++b) {
      const auto moment = problem.buffers[b].lower;
      for (std::size_t other = 0; other < count_; ++other) {
        const Buffer& buffer = problem.buffers[other];
        if (buffer.lower <= moment && moment < buffer.upper) {
          alive_[b].push_back(other);
        }
      }
    }
  }

  SearchResult run() {
    result_.end = place(0, 0);
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::uint64_t size_of(std::size_t b) const { return problem_.buffers[b].size; }

  [[nodiscard]] std::uint64_t aligned(std::uint64_t offset) const {
    return (offset + problem_.alignment - 1) / problem_.alignment * problem_.alignment;
  }

  // No unplaced buffer can lie lower than the last placed one any more.
  [[nodiscard]] bool hopeless(std::uint64_t last) const {
    std::uint64_t shared = 0;
    for (const Overlap& overlap : problem_.overlaps) {
      if (!placed_[overlap.below] && !placed_[overlap.above]) {
        shared += size_of(overlap.below) - std::min(overlap.distance, size_of(overlap.below));
      }
    }
    for (std::size_t b = 0; b < count_; ++b) {
      if (placed_[b]) {
        continue;
      }
      std::uint64_t low = ~std::uint64_t{0};
      std::uint64_t sum = 0;
      for (const std::size_t other : alive_[b]) {
        if (!placed_[other]) {
          low = std::min(low, std::max(last, lowest_[other]));
          sum += size_of(other);
        }
      }
      if (std::max(last, lowest_[b]) + size_of(b) > height_ ||
          (sum > shared && low + sum - shared > height_)) {
        return true;
      }
    }
    return false;
  }

  SearchEnd place(std::size_t done, std::uint64_t last) {
    if (done == count_) {
      return SearchEnd::Found;
    }
    if (++result_.steps > limit_) {
      return SearchEnd::Budget;
    }
    if (hopeless(last)) {
      return SearchEnd::None;
    }
    // What could lie entirely below a buffer does so in some solution.
    std::uint64_t least_top = ~std::uint64_t{0};
    const std::size_t first = order_.size();
    for (std::size_t b = 0; b < count_; ++b) {
      if (!placed_[b]) {
        least_top = std::min(least_top, aligned(std::max(last, lowest_[b]) + size_of(b)));
      }
    }
    for (std::size_t b = 0; b < count_; ++b) {
      if (!placed_[b] && lowest_[b] >= last && lowest_[b] < least_top) {
        order_.push_back(b);
      }
    }
    std::sort(order_.begin() + static_cast<std::ptrdiff_t>(first), order_.end(),
              [&](std::size_t x, std::size_t y) {
                return std::make_tuple(lowest_[x], ~size_of(x), x) <
                       std::make_tuple(lowest_[y], ~size_of(y), y);
              });
    SearchEnd end = SearchEnd::None;
    for (std::size_t i = first, last_one = order_.size(); i < last_one && end == SearchEnd::None;
         ++i) {
      end = try_buffer(order_[i], done);
    }
    order_.resize(first);
    return end;
  }

  SearchEnd try_buffer(std::size_t b, std::size_t done) {
    const std::uint64_t offset = lowest_[b];
    placed_[b] = true;
    result_.offsets[b] = offset;
    const std::size_t first = raised_.size();
    for (const std::size_t other : clearances_.neighbours(b)) {
      const std::uint64_t raised = aligned(offset + clearances_.distance(b, other));
      if (!placed_[other] && raised > lowest_[other]) {
        raised_.emplace_back(other, lowest_[other]);
        lowest_[other] = raised;
      }
    }
    const SearchEnd end = place(done + 1, offset);
    if (end == SearchEnd::Found) {
      return end;
    }
    for (; raised_.size() > first; raised_.pop_back()) {
      lowest_[raised_.back().first] = raised_.back().second;
    }
    placed_[b] = false;
    return end;
  }

  const AllocationProblem& problem_;
  Clearances clearances_;
  std::uint64_t height_;
  std::uint64_t limit_;
  std::size_t count_;
  std::vector<bool> placed_;
  std::vector<std::uint64_t> lowest_;            // by what is placed
  std::vector<std::vector<std::size_t>> alive_;  // by buffer: all that live when it begins
  // Stacks of what the nodes on the way down still need.
  std::vector<std::size_t> order_;
  std::vector<std::pair<std::size_t, std::uint64_t>> raised_;
  SearchResult result_;
};

}  // namespace

SearchResult search_ordered(const AllocationProblem& problem, std::uint64_t height,
                            std::uint64_t steps) {
  return OrderedSearch(problem, height, steps).run();
}

}  // namespace tessera

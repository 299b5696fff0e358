// Branch and bound over the height.
#include <algorithm>
#include <map>
#include <numeric>

#include "planner/offsets/clearance.hpp"
#include "planner/offsets/greedy.hpp"
#include "planner/offsets/order_climb.hpp"
#include "planner/offsets/ordered_search.hpp"
#include "planner/offsets/skyline_search.hpp"
#include "tessera/allocation.hpp"

namespace tessera {
namespace {

// Sizes and heights in the greatest unit that all sizes and offsets are multiples of.
struct Scaled {
  std::vector<Block> blocks;
  std::uint32_t moments = 0;
  std::uint64_t unit = 1;
  bool is_padded = false;  // some size is not: a plan may end in between
};

constexpr std::uint64_t kClimbSteps = 20'000;

std::uint64_t padded(const AllocationProblem& problem, const Buffer& buffer) {
  return (buffer.size + problem.alignment - 1) / problem.alignment * problem.alignment;
}

Scaled scaled(const AllocationProblem& problem, bool cliques) {
  Scaled result;
  std::uint64_t unit = 0;
  std::map<std::int64_t, std::pair<bool, bool>> events;  // time: something ends, something begins
  for (const Buffer& buffer : problem.buffers) {
    unit = std::gcd(unit, padded(problem, buffer));
    result.is_padded = result.is_padded || padded(problem, buffer) != buffer.size;
    events[buffer.lower].second = true;
    events[buffer.upper].first = true;
  }
  result.unit = std::max<std::uint64_t>(unit, 1);
  // Between two ends only the last moment before the second one counts: there most are alive.
  std::vector<std::int64_t> moments;
  for (auto event = events.begin(); event != events.end(); ++event) {
    const auto next = std::next(event);
    const bool most = next != events.end() && (event->second.second && next->second.first);
    if (most || (!cliques && next != events.end())) {
      moments.push_back(event->first);
    }
  }
  result.moments = static_cast<std::uint32_t>(moments.size());
  const auto index = [&](std::int64_t time) {
    return static_cast<std::uint32_t>(std::lower_bound(moments.begin(), moments.end(), time) -
                                      moments.begin());
  };
  for (const Buffer& buffer : problem.buffers) {
    Block block{index(buffer.lower), index(buffer.upper), padded(problem, buffer) / result.unit};
    if (block.size == 0 || buffer.lower >= buffer.upper) {
      block.end = block.begin;
    }
    result.blocks.push_back(block);
  }
  return result;
}

/// Solves for one height after the other.
class HeightSearch {
 public:
  HeightSearch(const AllocationProblem& problem, const SearchBudget& budget,
               const ExactTechniques& techniques)
      : problem_(problem),
        techniques_(techniques),
        scaled_(scaled(problem, techniques.cliques)),
        left_(budget.steps) {}

  [[nodiscard]] std::uint64_t unit() const { return scaled_.unit; }
  [[nodiscard]] std::uint64_t left() const { return left_; }

  SearchResult at_most(std::uint64_t height, std::uint64_t steps) {
    steps = std::min(steps, left_);
    SearchResult result =
        problem_.overlaps.empty()
            ? search_skyline(scaled_.blocks, scaled_.moments,
                             (height + (scaled_.is_padded ? unit() - 1 : 0)) / unit(), steps,
                             techniques_)
            : search_ordered(problem_, height, steps);
    if (problem_.overlaps.empty()) {
      for (std::uint64_t& offset : result.offsets) {
        offset *= unit();
      }
    }
    left_ -= std::min(left_, result.steps);
    return result;
  }

 private:
  const AllocationProblem& problem_;
  const ExactTechniques& techniques_;
  Scaled scaled_;
  std::uint64_t left_;
};

constexpr std::uint64_t kBoundShare = 400'000;  // for the bound, which most networks reach
constexpr std::uint64_t kFirstShare = 20'000;   // steps for each height in the first round

// One round: the bound and the height above it, then half of what is left as long as that is found,
// and otherwise further up, twice.
template <class Attempt>
void descend(const Allocation& best, const std::uint64_t& low, std::uint64_t unit,
             Attempt attempt) {
  for (std::uint64_t above = 0; above < 2 && low + above * unit < best.height; ++above) {
    attempt(low + above * unit);
  }
  std::uint64_t failed = low;
  for (int failures = 0; failures < 2 && best.height > failed + unit;) {
    const std::uint64_t height = failed + (best.height - failed) / unit / 2 * unit;
    if (attempt(height) != SearchEnd::Found) {
      failed = height;
      ++failures;
    }
  }
}

}  // namespace

Allocation allocate_exact(const AllocationProblem& problem, std::uint64_t capacity,
                          const SearchBudget& budget, const ExactTechniques& techniques) {
  Allocation best = techniques.incumbent
                        ? climb_orders(problem, capacity, std::min(budget.steps / 20, kClimbSteps))
                        : allocate_greedy_size(problem);
  HeightSearch search(problem, budget, techniques);
  // Heights come in steps of the unit; sizes that are not padded may end in between.
  const std::uint64_t unit = problem.overlaps.empty() ? search.unit() : problem.alignment;
  const std::uint64_t enough = std::max(capacity, best.lower_bound);
  std::uint64_t low = best.lower_bound;  // below which nothing is tried any more
  const auto attempt = [&](std::uint64_t height, std::uint64_t steps) {
    SearchResult result = search.at_most(height, steps);
    best.steps += result.steps;
    if (result.end != SearchEnd::Found) {
      return result.end;
    }
    // Found for padded sizes: what ends without its padding may lie lower already.
    const std::uint64_t found = height_of(problem, result.offsets);
    if (found >= best.height) {
      return SearchEnd::Budget;
    }
    best.height = found;
    best.offsets = std::move(result.offsets);
    return SearchEnd::Found;
  };
  const auto raise = [&](SearchEnd end, std::uint64_t height) {
    low = std::max(low, problem.overlaps.empty() ? height + unit : height + 1);
    if (end == SearchEnd::None && best.lower_bound <= height) {
      best.lower_bound = std::min(best.height, height + 1);
    }
  };
  if (capacity != 0) {
    if (best.height > enough) {
      const SearchEnd end = attempt(enough, search.left());
      if (end == SearchEnd::None) {
        raise(end, enough);
      }
    }
    return best;
  }
  // How long a height takes is a matter of luck: some near the bound fall soon, others never, and
  // the next one up may be harder. So all get a little, then all that are left more. A larger
  // budget goes on where a smaller one ends.
  std::uint64_t share = kFirstShare;
  if (best.height > low &&
      attempt(low, std::min(kBoundShare, search.left() / 4)) == SearchEnd::None) {
    raise(SearchEnd::None, low);
  }
  while (best.height > low && search.left() > 0) {
    descend(best, low, unit, [&](std::uint64_t height) {
      const SearchEnd end = attempt(height, share);
      if (end == SearchEnd::None) {
        raise(end, height);
      }
      return end;
    });
    share *= 2;
  }
  return best;
}

}  // namespace tessera

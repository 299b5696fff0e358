// Planners against brute force and against each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "planner/offsets/greedy.hpp"
#include "tessera/memory_plan.hpp"
#include "tessera/rng.hpp"

namespace tessera {
namespace {

AllocationProblem random_problem(SplitMix64& rng, std::size_t buffers, bool overlaps,
                                 std::uint64_t alignment) {
  AllocationProblem problem;
  problem.alignment = alignment;
  for (std::size_t i = 0; i < buffers; ++i) {
    const auto lower = static_cast<std::int64_t>(rng.below(6));
    problem.buffers.push_back({std::to_string(i), lower,
                               lower + 1 + static_cast<std::int64_t>(rng.below(4)),
                               1 + rng.below(9)});
  }
  for (std::size_t i = 0; overlaps && i + 1 < buffers; ++i) {
    if (rng.below(2) == 0) {
      problem.overlaps.push_back({i, i + 1, rng.below(problem.buffers[i].size + 1)});
    }
  }
  return problem;
}

// Some order of placing each buffer as low as it goes leads to a plan of least height: that of
// offsets in an optimal one.
std::uint64_t least_height(const AllocationProblem& problem) {
  const Clearances clearances(problem);
  std::vector<std::size_t> order(problem.buffers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t least = ~std::uint64_t{0};
  do {
    least = std::min(least,
                     height_of(problem, place_in_order(problem, clearances, order, Fit::Lowest)));
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

void expect_optimal(const AllocationProblem& problem, const Allocation& result,
                    std::uint64_t least) {
  EXPECT_EQ(violation(problem, result.offsets), "");
  EXPECT_EQ(result.height, least);
  EXPECT_TRUE(result.is_optimal()) << "bound " << result.lower_bound;
}

TEST(Allocation, ExactAndBestFindTheLeastHeight) {
  SplitMix64 rng(1);
  for (int round = 0; round < 150; ++round) {
    const AllocationProblem problem = random_problem(rng, 3 + rng.below(4), false, 1);
    const std::uint64_t least = least_height(problem);
    expect_optimal(problem, allocate_exact(problem, 0, {}), least);
    expect_optimal(problem, allocate_best(problem, 0, {}), least);
    EXPECT_LE(live_bound(problem), least);
  }
}

TEST(Allocation, OverlapsAreUsedAndKeptTo) {
  SplitMix64 rng(2);
  for (int round = 0; round < 150; ++round) {
    const AllocationProblem problem = random_problem(rng, 3 + rng.below(4), true, 1);
    const std::uint64_t least = least_height(problem);
    const Allocation exact = allocate_exact(problem, 0, {});
    EXPECT_EQ(violation(problem, exact.offsets), "");
    EXPECT_EQ(exact.height, least);
    EXPECT_LE(exact.lower_bound, least);
    EXPECT_LE(live_bound(problem), least);
  }
}

TEST(Allocation, EveryTechniqueCanBeSwitchedOff) {
  SplitMix64 rng(3);
  std::vector<ExactTechniques> variants(7);
  variants[0].cliques = false;
  variants[1].floors = false;
  variants[2].components = false;
  variants[3].memory = false;
  variants[4].weights = false;
  variants[5].restarts = false;
  variants[6].incumbent = false;
  for (int round = 0; round < 60; ++round) {
    const AllocationProblem problem = random_problem(rng, 6, false, 1);
    const std::uint64_t least = least_height(problem);
    for (const ExactTechniques& techniques : variants) {
      expect_optimal(problem, allocate_exact(problem, 0, {}, techniques), least);
    }
  }
}

TEST(Allocation, OffsetsAreAligned) {
  SplitMix64 rng(4);
  for (int round = 0; round < 60; ++round) {
    const AllocationProblem problem = random_problem(rng, 5, round % 2 == 1, 4);
    for (const PlannerName planner :
         {PlannerName::Best, PlannerName::GreedySize, PlannerName::GreedyBreadth,
          PlannerName::Removal, PlannerName::Exact}) {
      const Allocation result = allocate(problem, planner, {});
      EXPECT_EQ(violation(problem, result.offsets), "");
      EXPECT_GE(result.height, result.lower_bound);
      const bool searches = planner == PlannerName::Best || planner == PlannerName::Exact;
      EXPECT_TRUE(!searches || result.height <= allocate_greedy_size(problem).height);
    }
  }
}

TEST(Allocation, BestIsNeverAboveTheOthers) {
  SplitMix64 rng(5);
  for (int round = 0; round < 40; ++round) {
    const AllocationProblem problem = random_problem(rng, 30, false, 1);
    const std::uint64_t best = allocate_best(problem, 0, {20000}).height;
    EXPECT_LE(best, allocate_greedy_size(problem).height);
    EXPECT_LE(best, allocate_greedy_breadth(problem).height);
  }
}

TEST(Allocation, AHeightThatCannotBeReachedIsRefuted) {
  // Five is alive at most, but the long one stands in the way of one pair or the other.
  AllocationProblem problem;
  problem.buffers = {{"a", 0, 2, 3}, {"b", 0, 1, 1}, {"c", 1, 3, 1},
                     {"d", 2, 3, 3}, {"e", 0, 1, 1}, {"f", 2, 4, 1}};
  const std::uint64_t least = least_height(problem);
  const Allocation result = allocate_exact(problem, 0, {});
  expect_optimal(problem, result, least);
}

TEST(Allocation, TheSameTwice) {
  SplitMix64 rng(6);
  const AllocationProblem problem = random_problem(rng, 40, false, 1);
  EXPECT_EQ(allocate_best(problem, 0, {50000}).offsets, allocate_best(problem, 0, {50000}).offsets);
}

TEST(Violation, NamesTheFirst) {
  AllocationProblem problem;
  problem.alignment = 4;
  problem.buffers = {{"a", 0, 2, 8}, {"b", 1, 3, 8}, {"c", 2, 4, 8}};
  EXPECT_EQ(violation(problem, {0, 8, 0}), "");
  EXPECT_EQ(violation(problem, {0, 4, 16}),
            "buffers a [0, 8) and b [4, 12) are alive together and share bytes");
  EXPECT_EQ(violation(problem, {0, 10, 16}), "buffer b at 10 is not aligned to 4 bytes");
  EXPECT_EQ(violation(problem, {0, 8}), "2 offsets for 3 buffers");
  problem.overlaps = {{0, 1, 4}};
  EXPECT_EQ(violation(problem, {0, 4, 16}), "");
  EXPECT_NE(violation(problem, {4, 0, 16}), "") << "allowed in one direction only";
}

}  // namespace
}  // namespace tessera

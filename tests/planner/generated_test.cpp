// Planners on generated instances.
#include <gtest/gtest.h>

#include <algorithm>

#include "planner/offsets/greedy.hpp"
#include "tessera/memory_plan.hpp"
#include "tests/planner/generated.hpp"

namespace tessera {
namespace {

// Instances of the published ones' kind, without a capacity.
void expect_never_worse(std::uint64_t instances) {
  std::uint64_t lower = 0;
  for (std::uint64_t seed = 1; seed <= instances; ++seed) {
    SCOPED_TRACE(seed);
    const AllocationProblem problem = test::generated_allocation(seed);
    std::uint64_t before = allocate_greedy_size(problem).height;
    for (const std::uint64_t steps : {400'000U, 800'000U, 1'600'000U}) {
      const Allocation result = allocate_best(problem, 0, {steps});
      EXPECT_EQ(violation(problem, result.offsets), "");
      EXPECT_EQ(result.lower_bound, std::max(result.lower_bound, live_bound(problem)));
      EXPECT_LE(result.height, before);
      lower += result.height < before ? 1 : 0;
      before = result.height;
    }
  }
  EXPECT_GE(lower, instances);
}

TEST(Generated, ALargerBudgetIsNeverWorse) {
  expect_never_worse(2);
}

TEST(LongGenerated, ALargerBudgetIsNeverWorse) {
  expect_never_worse(12);
}

// Sizes come in KiB: a capacity between two of them allows the lower one only.
TEST(Generated, ACapacityBetweenTwoHeightsIsKept) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const AllocationProblem problem = test::generated_allocation(seed);
    const std::uint64_t capacity = 1200 * 1024 + 700;
    const Allocation result = allocate_best(problem, capacity, {2'000'000});
    EXPECT_LE(result.height, capacity) << seed;
  }
}

}  // namespace
}  // namespace tessera

#include "scheduler/arena.hpp"

#include <gtest/gtest.h>

#include "tessera/rng.hpp"

namespace tessera {
namespace {

TEST(Arena, BuffersThatNeverMeetShareMemory) {
  const ArenaPlan plan = plan_arena({{100, 0, 1}, {60, 1, 2}, {40, 1, 3}}, 1);
  EXPECT_EQ(plan.offsets[0], 0U);
  EXPECT_EQ(plan.offsets[1], 0U);
  EXPECT_EQ(plan.offsets[2], 60U);
  EXPECT_EQ(plan.bytes, 100U);
}

TEST(Arena, OffsetsAreAligned) {
  const ArenaPlan plan = plan_arena({{100, 0, 2}, {60, 0, 2}}, 64);
  EXPECT_EQ(plan.offsets[1], 128U);
  EXPECT_EQ(plan.bytes, 188U);
}

TEST(Arena, RandomPlansNeverOverlap) {
  SplitMix64 rng(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> buffers;
    for (int i = 0; i < 12; ++i) {
      const std::size_t first = rng.below(10);
      buffers.push_back({1 + rng.below(100), first, first + 1 + rng.below(6)});
    }
    const ArenaPlan plan = plan_arena(buffers, 4);
    for (std::size_t a = 0; a < buffers.size(); ++a) {
      EXPECT_LE(plan.offsets[a] + buffers[a].bytes, plan.bytes);
      for (std::size_t b = 0; b < a; ++b) {
        const bool in_time =
            buffers[a].first < buffers[b].last && buffers[b].first < buffers[a].last;
        const bool in_space = plan.offsets[a] < plan.offsets[b] + buffers[b].bytes &&
                              plan.offsets[b] < plan.offsets[a] + buffers[a].bytes;
        EXPECT_FALSE(in_time && in_space);
      }
    }
  }
}

}  // namespace
}  // namespace tessera

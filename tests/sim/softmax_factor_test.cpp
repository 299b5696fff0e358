// The store unit's reciprocal against the kernels' own.
#include "sim/npu/softmax_factor.hpp"

#include <gtest/gtest.h>

#include "network/reference/fixed_point_functions.hpp"
#include "tests/draws.hpp"

namespace tessera::npu {
namespace {

// A row's greatest value alone makes 2^19.
constexpr std::uint64_t kLeast = 1U << 19, kEnd = 1U << 28;

// SoftmaxInt8 of TensorFlow Lite's reference kernels, after the sum.
FixedPoint published(std::uint64_t sum) {
  int headroom = 0;
  while ((sum << headroom & 0x80000000U) == 0) {
    ++headroom;
  }
  const auto fraction = static_cast<std::int32_t>((sum << headroom) - (std::uint64_t{1} << 31));
  return {reference::one_over_one_plus(fraction), -(12 - headroom + 31 - 8)};
}

TEST(SoftmaxFactor, IsThePublishedReciprocal) {
  const std::uint64_t step = test::cases(1) > 1 ? 1 : 257;  // the long runs look at all of them
  for (std::uint64_t sum = kLeast; sum < kEnd; sum += step) {
    const FixedPoint factor = softmax_factor(sum);
    const FixedPoint expected = published(sum);
    ASSERT_EQ(factor.multiplier, expected.multiplier) << sum;
    ASSERT_EQ(factor.shift, expected.shift) << sum;
  }
  EXPECT_EQ(softmax_factor(kEnd - 1).multiplier, published(kEnd - 1).multiplier);
}

TEST(SoftmaxFactor, NothingIsLeftOfManyEqualValues) {
  EXPECT_EQ(softmax_factor(kEnd).multiplier, 0);
  EXPECT_EQ(softmax_factor(std::uint64_t{1} << 40).multiplier, 0);
}

// Tables that are none of exponentials: any sum has a factor, as the hardware has it.
TEST(SoftmaxFactor, OfLesserSumsIsAFraction) {
  for (const std::uint64_t sum : {0U, 1U, 77U, (1U << 19) - 1}) {
    EXPECT_GE(softmax_factor(sum).multiplier, 0) << sum;
    EXPECT_EQ(softmax_factor(sum).shift, -23) << sum;
  }
}

}  // namespace
}  // namespace tessera::npu

#include "tessera/quantise.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tessera/rng.hpp"

namespace tessera {
namespace {

TEST(FixedPoint, SplitsIntoMantissaAndShift) {
  EXPECT_EQ(fixed_point(0.5).multiplier, 1 << 30);
  EXPECT_EQ(fixed_point(0.5).shift, 0);
  EXPECT_EQ(fixed_point(1.0).multiplier, 1 << 30);
  EXPECT_EQ(fixed_point(1.0).shift, 1);
  EXPECT_EQ(fixed_point(0.0).multiplier, 0);
}

TEST(FixedPoint, MantissaThatRoundsToOneMovesTheShift) {
  const FixedPoint point = fixed_point(std::nextafter(1.0, 0.0));
  EXPECT_EQ(point.multiplier, 1 << 30);
  EXPECT_EQ(point.shift, 1);
}

TEST(FixedPoint, FactorsBelowTheRangeBecomeZero) {
  EXPECT_EQ(fixed_point(std::ldexp(0.75, -40)).multiplier, 0);
}

TEST(RoundingShift, ShiftsOutAllOfAValue) {
  EXPECT_EQ(rounding_shift_right(INT32_MAX, 31), 1);
  EXPECT_EQ(rounding_shift_right(INT32_MAX, 32), 0);
  EXPECT_EQ(rounding_shift_right(INT32_MIN, 32), -1);
  EXPECT_EQ(rounding_shift_right(INT32_MIN, 33), 0);
  EXPECT_EQ(rounding_shift_right(INT32_MIN, 62), 0);
}

TEST(Requantise, TiesGoAwayFromZero) {
  const FixedPoint half = fixed_point(0.5);
  EXPECT_EQ(requantise(3, half), 2);
  EXPECT_EQ(requantise(5, half), 3);
  EXPECT_EQ(requantise(-4, half), -2);
  const FixedPoint eighth = fixed_point(0.125);
  EXPECT_EQ(requantise(12, eighth), 2);
  EXPECT_EQ(requantise(-12, eighth), -2);
  EXPECT_EQ(requantise(-11, eighth), -1);
}

TEST(Requantise, IsWithinOneOfTheRealProduct) {
  SplitMix64 rng(7);
  for (int i = 0; i < 20000; ++i) {
    const auto value = static_cast<std::int32_t>(rng.below(1U << 24)) - (1 << 23);
    const double factor = std::ldexp(0.5 + static_cast<double>(rng.below(1000)) / 2000.0,
                                     -static_cast<int>(rng.below(20)));
    const double real = value * factor;
    EXPECT_NEAR(requantise(value, fixed_point(factor)), real, 1.0);
  }
}

// Exact in 80 bits: products have 62.
TEST(Requantise, OnceRoundsTheExactProduct) {
  SplitMix64 rng(8);
  int ties = 0;
  for (int i = 0; i < 200000; ++i) {
    const int bits = 2 + static_cast<int>(rng.below(28));
    const auto value = static_cast<std::int32_t>(rng.below(std::uint64_t{2} << bits)) - (1 << bits);
    // Few bits make ties.
    const std::uint64_t mantissa = rng.below(3) == 0 ? rng.below(8) << 27 : rng.below(1U << 30);
    const FixedPoint factor = {static_cast<std::int32_t>((std::uint64_t{1} << 30) + mantissa),
                               -static_cast<std::int32_t>(rng.below(24))};
    const long double exact =
        std::ldexp(static_cast<long double>(value) * factor.multiplier, factor.shift - 31);
    ties += std::fabs(exact - std::trunc(exact)) == 0.5L ? 1 : 0;
    EXPECT_EQ(requantise(value, factor, 3, Rounding::HalfEven),
              static_cast<std::int32_t>(std::nearbyint(exact)) + 3);
    EXPECT_EQ(requantise(value, factor, 3, Rounding::HalfUp),
              static_cast<std::int32_t>(std::floor(exact + 0.5L)) + 3);
    EXPECT_EQ(requantise(value, factor, 3, Rounding::Twice), requantise(value, factor, 3));
  }
  EXPECT_GT(ties, 500);
}

TEST(ActivationRange, FollowsTheOutputQuantisation) {
  const Quantisation output{{0.05F}, -100};
  EXPECT_EQ(activation_range(Activation::None, output).low, -128);
  EXPECT_EQ(activation_range(Activation::Relu, output).low, -100);
  EXPECT_EQ(activation_range(Activation::Relu, output).high, 127);
  EXPECT_EQ(activation_range(Activation::Relu6, output).high, 20);
  // More steps than an int32 counts.
  EXPECT_EQ(activation_range(Activation::ReluN1To1, {{1e-30F}, 0}).low, -128);
  EXPECT_EQ(activation_range(Activation::Relu6, {{1e-30F}, -100}).high, 127);
}

TEST(Quantise, AveragesOfAnyCountAreExact) {
  // average_factor() tries all sums itself.
  for (std::int32_t count = 1; count <= 400; ++count) {
    EXPECT_TRUE(average_factor(count)) << count;
  }
  for (const std::int32_t count : {784, 1023, 3136, 12544, 16384}) {
    EXPECT_TRUE(average_factor(count)) << count;
  }
}

}  // namespace
}  // namespace tessera

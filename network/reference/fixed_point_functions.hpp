// Functions in gemmlowp's fixed point: Qm.n is an int32 with m integer and n = 31 - m fraction
// bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tessera/quantise.hpp"

namespace tessera::reference {

inline std::int32_t saturating_shift_left(std::int32_t value, int shift) {
  const std::int64_t wide = std::int64_t{value} * (std::int64_t{1} << shift);
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(wide, std::int64_t{INT32_MIN}, std::int64_t{INT32_MAX}));
}

/// exp(a) for a in [-1/4, 0), Q0.31 to Q0.31: Taylor expansion around -1/8.
inline std::int32_t exp_on_quarter(std::int32_t a) {
  constexpr std::int32_t kExpMinusEighth = 1895147668;  // exp(-1/8)
  constexpr std::int32_t kOneThird = 715827883;
  const std::int32_t x = a + (1 << 28);
  const std::int32_t x2 = doubling_high_multiply(x, x);
  const std::int32_t x3 = doubling_high_multiply(x2, x);
  const std::int32_t x4 = doubling_high_multiply(x2, x2);
  const std::int32_t x4_over_4 = rounding_shift_right(x4, 2);
  const std::int32_t tail =
      rounding_shift_right(doubling_high_multiply(x4_over_4 + x3, kOneThird) + x2, 1);
  return kExpMinusEighth + doubling_high_multiply(kExpMinusEighth, x + tail);
}

/// exp(a) for a <= 0 of kIntegerBits (at most 5) to Q0.31.
template <int kIntegerBits>
std::int32_t exp_on_negative(std::int32_t a) {
  static_assert(kIntegerBits <= 5);
  constexpr int kFractionBits = 31 - kIntegerBits;
  constexpr std::int32_t kQuarter = 1 << (kFractionBits - 2);
  const std::int32_t in_quarter = (a & (kQuarter - 1)) - kQuarter;
  std::int32_t result = exp_on_quarter(saturating_shift_left(in_quarter, kIntegerBits));
  const std::int32_t remainder = in_quarter - a;
  // exp(-2^e) in Q0.31 for the bits of the remainder, from e = -2.
  constexpr std::int32_t kExpOfPower[] = {1672461947, 1302514674, 790015084, 290630308,
                                          39332535,   720401,     242};
  for (int bit = 0; bit < 7; ++bit) {
    const int exponent = bit - 2;
    if (exponent < kIntegerBits && (remainder & (1 << (kFractionBits + exponent))) != 0) {
      result = doubling_high_multiply(result, kExpOfPower[bit]);
    }
  }
  return a == 0 ? INT32_MAX : result;
}

/// (a + b) / 2, half away from zero.
inline std::int32_t rounding_half_sum(std::int32_t a, std::int32_t b) {
  const std::int64_t sum = std::int64_t{a} + b;
  return static_cast<std::int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
}

/// 1 / (1 + a) / 2 for a in [0, 1], Q0.31 to Q2.29: Newton-Raphson division.
inline std::int32_t half_of_one_over_one_plus(std::int32_t a) {
  constexpr std::int32_t k48Over17 = 1515870810;
  constexpr std::int32_t kMinus32Over17 = -1010580540;
  constexpr std::int32_t kOneQ2 = 1 << 29;
  const std::int32_t half_denominator = rounding_half_sum(a, INT32_MAX);
  std::int32_t x = k48Over17 + doubling_high_multiply(half_denominator, kMinus32Over17);
  for (int step = 0; step < 3; ++step) {
    const std::int32_t error = kOneQ2 - doubling_high_multiply(half_denominator, x);
    x += saturating_shift_left(doubling_high_multiply(x, error), 2);
  }
  return x;
}

/// 1 / (1 + a) for a in [0, 1], Q0.31.
inline std::int32_t one_over_one_plus(std::int32_t a) {
  return saturating_shift_left(half_of_one_over_one_plus(a), 1);
}

/// (1 - a) / (1 + a) for a in [0, 1], Q0.31.
inline std::int32_t one_minus_over_one_plus(std::int32_t a) {
  constexpr std::int32_t kOneQ2 = 1 << 29;
  return saturating_shift_left(half_of_one_over_one_plus(a) - kOneQ2, 2);
}

/// 1 / sqrt(value) by Newton's method in Q3.28, as gemmlowp's users have it.
inline FixedPoint inverse_root(std::int32_t value) {
  if (value <= 1) {
    return {INT32_MAX, 0};
  }
  int shift = 11;
  while (value >= (1 << 29)) {
    value /= 4;
    ++shift;
  }
  int leading_zeros = 3;  // below 2^29
  while ((static_cast<std::uint32_t>(value) & (0x80000000U >> leading_zeros)) == 0) {
    ++leading_zeros;
  }
  const int pairs = (leading_zeros - 1) / 2 - 1;
  shift -= pairs;
  value = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << (2 * pairs));
  constexpr std::int32_t kOne = 1 << 28;
  constexpr std::int32_t kHalfThree = kOne + (kOne >> 1);
  constexpr std::int32_t kHalfRootTwo = 1518500250;  // sqrt(2) / 2 in Q0.31
  const std::int32_t half_value = rounding_shift_right(value >> 1, 1);
  std::int32_t x = kOne;
  for (int step = 0; step < 5; ++step) {
    const std::int32_t square = doubling_high_multiply(x, x);
    const std::int32_t cube = saturating_shift_left(doubling_high_multiply(square, x), 6);
    x = saturating_shift_left(
        doubling_high_multiply(kHalfThree, x) - doubling_high_multiply(half_value, cube), 3);
  }
  std::int32_t multiplier = doubling_high_multiply(x, kHalfRootTwo);
  if (shift < 0) {
    multiplier = static_cast<std::int32_t>(static_cast<std::uint32_t>(multiplier) << -shift);
    shift = 0;
  }
  return {multiplier, -shift};
}

/// 1 / (1 + exp(-a)) and tanh(a), Q4.27 to Q0.31.
inline std::int32_t logistic_q4(std::int32_t a) {
  if (a == 0) {
    return 1 << 30;
  }
  const std::int32_t positive = one_over_one_plus(exp_on_negative<4>(a > 0 ? -a : a));
  return a > 0 ? positive : INT32_MAX - positive;
}
inline std::int32_t tanh_q4(std::int32_t a) {
  if (a == 0) {
    return 0;
  }
  // The same bits as Q5.26 are twice the value.
  const std::int32_t positive = one_minus_over_one_plus(exp_on_negative<5>(a > 0 ? -a : a));
  return a > 0 ? positive : -positive;
}

}  // namespace tessera::reference

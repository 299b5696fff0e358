// Softmax in gemmlowp's fixed point: Qm.n is an int32 with m integer and n = 31 - m fraction bits.
#include <algorithm>
#include <cmath>

#include "network/reference_kernels.hpp"
#include "tessera/quantise.hpp"

namespace tessera::reference {
namespace {

constexpr int kInputIntegerBits = 5;  // differences from the maximum: Q5.26
constexpr int kSumIntegerBits = 12;   // sum of exponentials: Q12.19

std::int32_t saturating_shift_left(std::int32_t value, int shift) {
  const std::int64_t wide = std::int64_t{value} * (std::int64_t{1} << shift);
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(wide, std::int64_t{INT32_MIN}, std::int64_t{INT32_MAX}));
}

// exp(a) for a in [-1/4, 0), Q0.31 to Q0.31: Taylor expansion around -1/8.
std::int32_t exp_on_quarter(std::int32_t a) {
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

// exp(a) for a <= 0, Q5.26 to Q0.31.
std::int32_t exp_on_negative(std::int32_t a) {
  constexpr int kFractionBits = 31 - kInputIntegerBits;
  constexpr std::int32_t kQuarter = 1 << (kFractionBits - 2);
  const std::int32_t in_quarter = (a & (kQuarter - 1)) - kQuarter;
  std::int32_t result = exp_on_quarter(saturating_shift_left(in_quarter, kInputIntegerBits));
  const std::int32_t remainder = in_quarter - a;
  // exp(-2^e) in Q0.31 for the bits of the remainder, from e = -2.
  constexpr std::int32_t kExpOfPower[] = {1672461947, 1302514674, 790015084, 290630308,
                                          39332535,   720401,     242};
  for (int bit = 0; bit < 7; ++bit) {
    const int exponent = bit - 2;
    if (exponent < kInputIntegerBits && (remainder & (1 << (kFractionBits + exponent))) != 0) {
      result = doubling_high_multiply(result, kExpOfPower[bit]);
    }
  }
  return a == 0 ? INT32_MAX : result;
}

// (a + b) / 2, half away from zero.
std::int32_t rounding_half_sum(std::int32_t a, std::int32_t b) {
  const std::int64_t sum = std::int64_t{a} + b;
  return static_cast<std::int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
}

// 1 / (1 + a) for a in [0, 1], Q0.31: Newton-Raphson on Q2.29.
std::int32_t one_over_one_plus(std::int32_t a) {
  constexpr std::int32_t k48Over17 = 1515870810;
  constexpr std::int32_t kMinus32Over17 = -1010580540;
  constexpr std::int32_t kOneQ2 = 1 << 29;
  const std::int32_t half_denominator = rounding_half_sum(a, INT32_MAX);
  std::int32_t x = k48Over17 + doubling_high_multiply(half_denominator, kMinus32Over17);
  for (int step = 0; step < 3; ++step) {
    const std::int32_t error = kOneQ2 - doubling_high_multiply(half_denominator, x);
    x += saturating_shift_left(doubling_high_multiply(x, error), 2);
  }
  return saturating_shift_left(x, 1);
}

int leading_zeros(std::uint32_t value) {
  int count = 0;
  while (count < 32 && (value & (0x80000000U >> count)) == 0) {
    ++count;
  }
  return count;
}

}  // namespace

void softmax(const Softmax& softmax, const Operands& x) {
  const Tensor& in = x.input(0);
  const double real =
      std::min(static_cast<double>(softmax.beta) * static_cast<double>(in.quantisation.scales[0]) *
                   (1 << (31 - kInputIntegerBits)),
               static_cast<double>(INT32_MAX));
  const FixedPoint factor = fixed_point(real);
  const int left = std::max(factor.shift, 0);
  // Differences whose rescaled value would not fit count as exp = 0.
  const auto least_difference = static_cast<std::int32_t>(
      -std::floor(static_cast<double>((1 << kInputIntegerBits) - 1) *
                  static_cast<double>(std::int64_t{1} << (31 - kInputIntegerBits)) /
                  static_cast<double>(std::int64_t{1} << left)));
  const std::int32_t depth = in.shape.back();
  const std::int64_t rows = in.elements() / depth;
  const auto exponential = [&](std::int32_t difference) {
    return exp_on_negative(
        doubling_high_multiply(difference * (std::int32_t{1} << left), factor.multiplier));
  };
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto* data = x.data<std::int8_t>(0) + row * depth;
    auto* result = x.result() + row * depth;
    const std::int32_t greatest = *std::max_element(data, data + depth);
    std::int32_t sum = 0;
    for (std::int32_t c = 0; c < depth; ++c) {
      const std::int32_t difference = data[c] - greatest;
      if (difference >= least_difference) {
        sum += rounding_shift_right(exponential(difference), kSumIntegerBits);
      }
    }
    const int headroom = leading_zeros(static_cast<std::uint32_t>(sum));
    const int bits_over_unit = kSumIntegerBits - headroom;
    const auto fraction = static_cast<std::int32_t>((static_cast<std::uint32_t>(sum) << headroom) -
                                                    (std::uint32_t{1} << 31));
    const std::int32_t scale = one_over_one_plus(fraction);
    for (std::int32_t c = 0; c < depth; ++c) {
      const std::int32_t difference = data[c] - greatest;
      std::int32_t value = -128;
      if (difference >= least_difference) {
        value += rounding_shift_right(doubling_high_multiply(scale, exponential(difference)),
                                      bits_over_unit + 31 - 8);
      }
      result[c] = static_cast<std::int8_t>(std::clamp(value, -128, 127));
    }
  }
}

}  // namespace tessera::reference

// log(softmax(x)) along the last axis.
#include <algorithm>
#include <cmath>

#include "network/reference/elements.hpp"
#include "network/reference/fixed_point_functions.hpp"
#include "network/reference/host_kernels.hpp"

namespace tessera::reference {
namespace {

constexpr int kDistanceBits = 5;  // integer bits of distances from the greatest value
constexpr int kSumBits = 12;      // of the sum of exponentials
constexpr int kResultBits = 4;    // of the result, whose scale is 1/16

std::int32_t product(std::int32_t a, std::int32_t b) {
  return doubling_high_multiply(a, b);
}

std::int32_t saturated_sum(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(std::int64_t{a} + b, INT32_MIN, INT32_MAX));
}

// log(x) for x >= 1 of kSumBits integer bits to kDistanceBits: x is a power of two, in quarters,
// times r; a quotient of polynomials in r - 2^(-1/4) is r's logarithm. Constants in Q0.31.
std::int32_t log_of_sum(std::int32_t x) {
  constexpr int kWideBits = kDistanceBits + 1;
  constexpr std::int32_t kLog2 = 1488522236;
  constexpr std::int32_t kFourthRootOfHalf = 1805811301;
  constexpr std::int32_t kRootOfHalf = 1518500250;
  constexpr std::int32_t kQuarter = 1 << (29 - kWideBits);
  constexpr std::int32_t kNumerator = 117049297;    // 11/240 2^(1/4)
  constexpr std::int32_t kDenominator = 127690142;  // 1/20 2^(1/4)
  constexpr std::int32_t kConstant = 1057819769;    // 2 / 2^(1/4) - 2^(1/4)
  constexpr std::int32_t kLinear = 638450708;       // 1/4 2^(1/4)
  const auto leading_zeros = [](std::int32_t value) {
    int zeros = 0;
    while (zeros < 32 && (static_cast<std::uint32_t>(value) & (0x80000000U >> zeros)) == 0) {
      ++zeros;
    }
    return zeros;
  };
  const int zeros_a = leading_zeros(x);
  const std::int32_t r_a =
      saturating_shift_left(product(saturating_shift_left(x, zeros_a - 1), kRootOfHalf), 1);
  const std::int32_t power_a =
      saturated_sum((kSumBits - zeros_a) * (1 << (31 - kWideBits)), kQuarter);
  const int room_b = leading_zeros(product(x, kRootOfHalf)) - 1;
  const std::int32_t r_b = saturating_shift_left(x, room_b);
  const std::int32_t power_b =
      saturated_sum((kSumBits - room_b) * (1 << (31 - kWideBits)), -kQuarter);
  const std::int32_t r = std::min(r_a, r_b);
  const std::int32_t power = std::max(power_a, power_b);
  const std::int32_t p = rounding_half_sum(r, kFourthRootOfHalf);
  const std::int32_t q = 2 * (r - kFourthRootOfHalf);
  const std::int32_t square = product(q, q);
  const std::int32_t above = product(q, r) + product(product(q, square), kNumerator);
  const std::int32_t below =
      product(p, kConstant + q + product(kDenominator, square)) + product(kLinear, q);
  const std::int32_t wide = product(power, kLog2) + product(rounding_shift_right(above, kWideBits),
                                                            one_over_one_plus(below));
  return saturating_shift_left(wide, 1);
}

// LiteRT's reference kernel and Micro's.
void in_fixed_point(const Operands& x, std::int64_t count) {
  const Tensor& in = x.input(0);
  const FixedPoint factor = fixed_point(std::min(static_cast<double>(in.quantisation.scales[0]) *
                                                     static_cast<double>(1 << (31 - kDistanceBits)),
                                                 static_cast<double>(INT32_MAX)));
  const FixedPoint back = fixed_point(std::ldexp(1.0, 31 - factor.shift) / factor.multiplier);
  const double radius = std::floor(static_cast<double>((1 << kDistanceBits) - 1) *
                                   std::ldexp(1.0, 31 - kDistanceBits - factor.shift));
  const auto least = static_cast<std::int32_t>(-std::min(radius, 65536.0));
  for (std::int64_t first = 0; first < in.elements(); first += count) {
    const auto value = [&](std::int64_t i) {
      return std::int32_t{get<std::int8_t>(x.inputs[0], first + i)};
    };
    std::int32_t greatest = value(0);
    for (std::int64_t i = 1; i < count; ++i) {
      greatest = std::max(greatest, value(i));
    }
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      if (const std::int32_t distance = value(i) - greatest; distance >= least) {
        sum += rounding_shift_right(exp_on_negative<kDistanceBits>(requantise(distance, factor)),
                                    kSumBits);
      }
    }
    const std::int32_t log_sum =
        log_of_sum(static_cast<std::int32_t>(std::min<std::int64_t>(sum, INT32_MAX)));
    const std::int32_t nothing = std::max(least - 1, requantise(log_sum + INT32_MIN, back));
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int32_t distance = value(i) - greatest;
      const std::int32_t result = distance > nothing
                                      ? rounding_shift_right(requantise(distance, factor) - log_sum,
                                                             31 - kDistanceBits - kResultBits) +
                                            127
                                      : -128;
      put(x.output_data, first + i, static_cast<std::int8_t>(std::clamp(result, -128, 127)));
    }
  }
}

// LiteRT's optimised kernel: bytes stand for themselves, those without a sign from 0 on.
void of_bytes_in_float(const Operands& x, std::int64_t count, bool is_unsigned) {
  const Tensor& in = x.input(0);
  const Quantisation& out = x.output().quantisation;
  const float scale = in.quantisation.scales[0];
  const std::int32_t base = is_unsigned ? 128 : 0;
  for (std::int64_t first = 0; first < in.elements(); first += count) {
    const auto value = [&](std::int64_t i) {
      return get<std::int8_t>(x.inputs[0], first + i) + base;
    };
    std::int32_t greatest = value(0);
    for (std::int64_t i = 1; i < count; ++i) {
      greatest = std::max(greatest, value(i));
    }
    float sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      sum += std::exp(-scale * static_cast<float>(greatest - value(i)));
    }
    const float whole = scale * static_cast<float>(greatest) + std::log(sum);
    for (std::int64_t i = 0; i < count; ++i) {
      const float result = scale * static_cast<float>(value(i)) - whole;
      const float steps = std::clamp(std::nearbyint(result / out.scales[0]), -1024.0F, 1024.0F);
      const std::int32_t stored = static_cast<std::int32_t>(steps) + out.zero_point;
      put(x.output_data, first + i, static_cast<std::int8_t>(std::clamp(stored, -128, 127)));
    }
  }
}

}  // namespace

void host_log_softmax(const HostOperator& host, const Operands& x) {
  const Tensor& in = x.input(0);
  const std::int64_t count = in.shape.back();
  if (in.type == DataType::Int8) {
    const std::int32_t which = host.integers.empty() ? 0 : host.integers[0];
    which == 0 ? in_fixed_point(x, count) : of_bytes_in_float(x, count, which == 2);
    return;
  }
  for (std::int64_t first = 0; first < in.elements(); first += count) {
    const auto value = [&](std::int64_t i) { return get<float>(x.inputs[0], first + i); };
    float greatest = value(0);
    for (std::int64_t i = 1; i < count; ++i) {
      greatest = std::max(greatest, value(i));
    }
    float sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      sum += std::exp(value(i) - greatest);
    }
    const float log_sum = std::log(sum);
    for (std::int64_t i = 0; i < count; ++i) {
      put(x.output_data, first + i, value(i) - greatest - log_sum);
    }
  }
}

}  // namespace tessera::reference

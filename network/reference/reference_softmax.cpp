// Softmax in gemmlowp's fixed point.
#include <algorithm>
#include <cmath>

#include "network/reference/fixed_point_functions.hpp"
#include "network/reference/reference_kernels.hpp"
#include "tessera/quantise.hpp"

namespace tessera::reference {
namespace {

constexpr int kInputIntegerBits = 5;  // differences from the maximum: Q5.26
constexpr int kSumIntegerBits = 12;   // sum of exponentials: Q12.19

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
    return exp_on_negative<kInputIntegerBits>(
        doubling_high_multiply(difference * (std::int32_t{1} << left), factor.multiplier));
  };
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto* data = x.data<std::int8_t>(0) + row * depth;
    auto* result = x.result() + row * depth;
    const std::int32_t greatest = *std::max_element(data, data + depth);
    std::int64_t exponentials = 0;
    for (std::int32_t c = 0; c < depth; ++c) {
      const std::int32_t difference = data[c] - greatest;
      if (difference >= least_difference) {
        exponentials += rounding_shift_right(exponential(difference), kSumIntegerBits);
      }
    }
    const std::int64_t sum = std::min<std::int64_t>(exponentials, INT32_MAX);
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

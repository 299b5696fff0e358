// Softmax in gemmlowp's fixed point.
#include <algorithm>
#include <cmath>

#include "network/reference/fixed_point_functions.hpp"
#include "network/reference/reference_kernels.hpp"
#include "tessera/quantise.hpp"
#include "tessera/reference.hpp"

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

// exp of a difference from the greatest value, in Q0.31.
class Exponential {
 public:
  Exponential(const Quantisation& in, float beta) {
    const double real = std::min(static_cast<double>(beta) * static_cast<double>(in.scales[0]) *
                                     (1 << (31 - kInputIntegerBits)),
                                 static_cast<double>(INT32_MAX));
    factor_ = fixed_point(real);
    left_ = std::max(factor_.shift, 0);
    least_ = static_cast<std::int32_t>(
        -std::floor(static_cast<double>((1 << kInputIntegerBits) - 1) *
                    static_cast<double>(std::int64_t{1} << (31 - kInputIntegerBits)) /
                    static_cast<double>(std::int64_t{1} << left_)));
  }

  // Differences whose rescaled value would not fit count as exp = 0.
  [[nodiscard]] bool counts(std::int32_t difference) const { return difference >= least_; }
  [[nodiscard]] std::int32_t of(std::int32_t difference) const {
    return exp_on_negative<kInputIntegerBits>(
        doubling_high_multiply(difference * (std::int32_t{1} << left_), factor_.multiplier));
  }

 private:
  FixedPoint factor_;
  int left_ = 0;
  std::int32_t least_ = 0;
};

}  // namespace

void softmax(const Softmax& softmax, const Operands& x) {
  const Tensor& in = x.input(0);
  const Exponential exponential(in.quantisation, softmax.beta);
  const std::int32_t depth = in.shape.back();
  const std::int64_t rows = in.elements() / depth;
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto* data = x.data<std::int8_t>(0) + row * depth;
    auto* result = x.result() + row * depth;
    const std::int32_t greatest = *std::max_element(data, data + depth);
    std::int64_t exponentials = 0;
    for (std::int32_t c = 0; c < depth; ++c) {
      const std::int32_t difference = data[c] - greatest;
      if (exponential.counts(difference)) {
        exponentials += rounding_shift_right(exponential.of(difference), kSumIntegerBits);
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
      if (exponential.counts(difference)) {
        value += rounding_shift_right(doubling_high_multiply(scale, exponential.of(difference)),
                                      bits_over_unit + 31 - 8);
      }
      result[c] = static_cast<std::int8_t>(std::clamp(value, -128, 127));
    }
  }
}

}  // namespace tessera::reference

namespace tessera {

std::vector<std::int32_t> softmax_exponentials(const Quantisation& in, float beta) {
  const reference::Exponential exponential(in, beta);
  std::vector<std::int32_t> table(256);
  for (std::int32_t d = 0; d < 256; ++d) {
    table[static_cast<std::uint8_t>(-d)] = exponential.counts(-d) ? exponential.of(-d) : 0;
  }
  return table;
}

}  // namespace tessera

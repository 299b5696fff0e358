#include <algorithm>
#include <vector>

#include "network/reference/elements.hpp"
#include "network/reference/reference_kernels.hpp"
#include "tessera/quantise.hpp"

namespace tessera::reference {
namespace {

// What two values give.
class Arithmetic {
 public:
  Arithmetic(const Binary& binary, const Quantisation& a, const Quantisation& b,
             const Quantisation& out, Rounding rounding)
      : kind_(binary.kind),
        rounding_(rounding),
        zero_a_(a.zero_point),
        zero_b_(b.zero_point),
        zero_out_(out.zero_point),
        factors_(kind_ == BinaryKind::Sub ? subtract_factors(a, b, out, rounding)
                                          : add_factors(a, b, out, rounding)),
        product_(multiply_factor(a, b, out)),
        range_(activation_range(binary.activation, out)) {
    if (kind_ != BinaryKind::Mul) {
      // The one of the larger scale is halved, whatever the rounding.
      const bool map_second = a.scales[0] >= b.scales[0];
      first_ = scaled_operands(factors_, false, zero_a_, map_second ? Rounding::Twice : rounding);
      second_ = scaled_operands(factors_, true, zero_b_, map_second ? rounding : Rounding::Twice);
    }
  }

  [[nodiscard]] std::int8_t operator()(std::int8_t a, std::int8_t b) const {
    const std::int32_t value = requantised(a - zero_a_, b - zero_b_);
    return static_cast<std::int8_t>(std::clamp(value, range_.low, range_.high));
  }

 private:
  static std::size_t place(std::int32_t stored) {
    return static_cast<std::size_t>(std::int64_t{stored} + 128);
  }
  [[nodiscard]] std::int32_t requantised(std::int32_t a, std::int32_t b) const {
    if (kind_ == BinaryKind::Mul) {
      return requantise(a * b, product_, zero_out_, rounding_);
    }
    const std::int32_t first = first_.at(place(a + zero_a_));
    const std::int32_t second = second_.at(place(b + zero_b_));
    return requantise(first + second, factors_.output, zero_out_, rounding_);
  }

  BinaryKind kind_;
  Rounding rounding_;
  std::int32_t zero_a_, zero_b_, zero_out_;
  AddFactors factors_;
  std::vector<std::int32_t> first_, second_;  // by stored values
  FixedPoint product_;
  ClampRange range_;
};

}  // namespace

void binary(const Binary& binary, const Operands& x) {
  const Tensor& out = x.output();
  const std::size_t rank = out.shape.size();
  const Arithmetic arithmetic(binary, x.input(0).quantisation, x.input(1).quantisation,
                              out.quantisation, x.op.rounding);
  const auto strides_a = broadcast_strides(x.input(0).shape, rank);
  const auto strides_b = broadcast_strides(x.input(1).shape, rank);
  std::vector<std::int32_t> at(rank, 0);
  std::int64_t a = 0;
  std::int64_t b = 0;
  for (std::int64_t i = 0; i < out.elements(); ++i) {
    x.result()[i] = arithmetic(x.data<std::int8_t>(0)[a], x.data<std::int8_t>(1)[b]);
    for (std::size_t d = rank; d-- > 0;) {
      a += strides_a[d];
      b += strides_b[d];
      if (++at[d] < out.shape[d]) {
        break;
      }
      a -= strides_a[d] * out.shape[d];
      b -= strides_b[d] * out.shape[d];
      at[d] = 0;
    }
  }
}

}  // namespace tessera::reference

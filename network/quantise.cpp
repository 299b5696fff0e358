#include "tessera/quantise.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

FixedPoint fixed_point(double factor) {
  if (factor == 0.0) {
    return {};
  }
  // Of scales whose quotient no number holds, too.
  if (!(std::fabs(factor) < double{std::int64_t{1} << 31})) {
    return {factor < 0 ? -INT32_MAX : INT32_MAX, 30};
  }
  int shift = 0;
  const double mantissa = std::frexp(factor, &shift);
  auto multiplier = static_cast<std::int64_t>(std::round(mantissa * (std::int64_t{1} << 31)));
  if (multiplier == (std::int64_t{1} << 31)) {
    multiplier /= 2;
    ++shift;
  }
  if (shift < -31) {
    return {};
  }
  if (shift > 30) {
    return {INT32_MAX, 30};
  }
  return {static_cast<std::int32_t>(multiplier), shift};
}

std::int32_t doubling_high_multiply(std::int32_t a, std::int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) {
    return INT32_MAX;
  }
  const std::int64_t product = std::int64_t{a} * b;
  const std::int64_t nudge = product >= 0 ? std::int64_t{1} << 30 : 1 - (std::int64_t{1} << 30);
  return static_cast<std::int32_t>((product + nudge) / (std::int64_t{1} << 31));
}

std::int32_t rounding_shift_right(std::int32_t value, int shift) {
  // 64 bits wide: absurd scales and a softmax over thousands of equal values shift by more than 31.
  const std::int64_t mask = (std::int64_t{1} << shift) - 1;
  const std::int64_t remainder = value & mask;
  const std::int64_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return static_cast<std::int32_t>((std::int64_t{value} >> shift) +
                                   (remainder > threshold ? 1 : 0));
}

std::int32_t requantise(std::int32_t value, FixedPoint factor) {
  const int left = std::max(factor.shift, 0);
  const int right = std::max(-factor.shift, 0);
  // The shift wraps like the 32-bit registers of the hardware.
  const auto scaled = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << left);
  return rounding_shift_right(doubling_high_multiply(scaled, factor.multiplier), right);
}

std::int32_t requantise(std::int32_t value, FixedPoint factor, std::int32_t zero_point) {
  const std::int64_t sum = std::int64_t{requantise(value, factor)} + zero_point;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX));
}

std::int32_t requantise(std::int32_t value, FixedPoint factor, std::int32_t zero_point,
                        Rounding rounding) {
  if (rounding == Rounding::Twice) {
    return requantise(value, factor, zero_point);
  }
  const int left = std::max(factor.shift, 0);
  const int right = 31 + std::max(-factor.shift, 0);  // up to 62
  // What is beyond 32 bits is beyond every byte, too.
  const std::int64_t scaled =
      std::clamp<std::int64_t>(value * (std::int64_t{1} << left), -INT32_MAX, INT32_MAX);
  const std::int64_t product = scaled * factor.multiplier;
  const std::int64_t floor = product >> right;
  const std::int64_t rest = product - floor * (std::int64_t{1} << right);
  const std::int64_t half = std::int64_t{1} << (right - 1);
  const bool up = rounding == Rounding::HalfUp || (floor & 1) != 0 ? rest >= half : rest > half;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(floor + (up ? 1 : 0) + zero_point, INT32_MIN, INT32_MAX));
}

FixedPoint without_excess(FixedPoint factor) {
  constexpr std::int32_t kEnough = 9;
  return {factor.multiplier, std::min(factor.shift, kEnough)};
}

std::optional<FixedPoint> average_factor(std::int32_t count, std::int32_t low) {
  const FixedPoint factor = fixed_point(1.0 / (double{kAverageWeight} * count));
  for (std::int32_t sum = low * count; sum <= (low + 255) * count; ++sum) {
    const std::int32_t average = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
    if (requantise(kAverageWeight * sum, factor) != average) {
      return std::nullopt;
    }
  }
  return factor;
}

PoolAverage::PoolAverage(const Quantisation& input, const Quantisation& output, bool ties_up,
                         Rounding rounding)
    : input_(input),
      output_(output),
      ties_up_(ties_up),
      rounding_(rounding),
      rescales_(input.scales != output.scales || input.zero_point != output.zero_point) {}

std::int32_t PoolAverage::of(std::int32_t sum, std::int32_t count) {
  if (rescales_) {
    if (count != count_) {
      count_ = count;
      factor_ = mean_factor(input_, output_, count);
    }
    return requantise(sum - count * input_.zero_point, factor_, output_.zero_point, rounding_);
  }
  // Unsigned values are 128 more.
  const std::int32_t base = ties_up_ ? 128 : 0;
  const std::int32_t total = sum + base * count;
  return (total > 0 ? total + count / 2 : total - count / 2) / count - base;
}

ClampRange activation_range(Activation activation, const Quantisation& output) {
  ClampRange range;
  // Beyond int8 whatever the zero point: scales may be next to nothing.
  const auto steps_of = [&](float real) {
    return static_cast<std::int32_t>(std::min(std::round(real / output.scales.at(0)), 1024.0F));
  };
  if (activation == Activation::ReluN1To1) {
    const std::int32_t one = steps_of(1.0F);
    return {std::max(range.low, output.zero_point - one),
            std::min(range.high, output.zero_point + one)};
  }
  if (activation != Activation::None) {
    range.low = std::max(range.low, output.zero_point);
  }
  if (activation == Activation::Relu6) {
    const std::int32_t six = steps_of(6.0F);
    range.high = std::min(range.high, output.zero_point + six);
  }
  return range;
}

namespace {

AddFactors factors_of(double first, double second, double output) {
  const double twice_max = 2.0 * std::max(first, second);
  return {fixed_point(first / twice_max), fixed_point(second / twice_max),
          fixed_point(twice_max / ((std::int64_t{1} << kAddShift) * output))};
}

}  // namespace

AddFactors add_factors(const Quantisation& first, const Quantisation& second,
                       const Quantisation& output, Rounding rounding) {
  if (rounding != Rounding::HalfUp) {
    return factors_of(static_cast<double>(first.scales[0]), static_cast<double>(second.scales[0]),
                      static_cast<double>(output.scales[0]));
  }
  const float a = first.scales[0] / output.scales[0];
  const float b = second.scales[0] / output.scales[0];
  const int unit = kAddShift - std::ilogb(std::max(a, b));
  return factors_of(std::nearbyint(std::scalbn(static_cast<double>(a), unit)),
                    std::nearbyint(std::scalbn(static_cast<double>(b), unit)),
                    std::scalbn(1.0, unit));
}

AddFactors subtract_factors(const Quantisation& first, const Quantisation& second,
                            const Quantisation& output, Rounding rounding) {
  AddFactors factors = add_factors(first, second, output, rounding);
  factors.second.multiplier = -factors.second.multiplier;
  return factors;
}

namespace {

// The whole products of which HalfUp's factors are made.
struct WholeSum {
  std::int64_t halved, scaled;  // factors of 21 bits, of the larger and the smaller scale
  int shift;

  // Of factors that factors_of() has made of them: the larger one is a half.
  WholeSum(FixedPoint small, FixedPoint output) {
    // output = 2 * halved / 2^(20 + shift), a number of at most 21 bits times a power of two.
    int exponent = output.shift - 31;
    std::int64_t mantissa = output.multiplier;
    while (mantissa > (std::int64_t{1} << 21)) {
      mantissa /= 2;
      ++exponent;
    }
    halved = mantissa;
    shift = -exponent - kAddShift + 1;
    const double ratio = std::scalbn(static_cast<double>(small.multiplier), small.shift - 31 + 1);
    scaled = std::llrint(ratio * static_cast<double>(halved));
  }

  [[nodiscard]] std::int64_t of(std::int32_t large, std::int32_t small) const {
    const std::int64_t sum = large * halved + small * scaled;
    return (sum + (std::int64_t{1} << (shift - 1))) >> shift;
  }
};

}  // namespace

SquareFactors square_factors(const Quantisation& first, const Quantisation& second,
                             const Quantisation& output) {
  const auto a = static_cast<double>(first.scales[0]);
  const auto b = static_cast<double>(second.scales[0]);
  const double twice_max = 2.0 * std::max(a, b);
  constexpr int kUnits = 1 << (kSquareShift * 2);
  return {fixed_point(a / twice_max), fixed_point(b / twice_max),
          fixed_point(twice_max * twice_max / (kUnits * static_cast<double>(output.scales[0])))};
}

std::vector<std::int32_t> values_to_square(FixedPoint own, std::int32_t zero_point) {
  std::vector<std::int32_t> values;
  values.reserve(256);
  for (std::int32_t x = -128; x <= 127; ++x) {
    values.push_back(requantise((x - zero_point) * (1 << kSquareShift), own));
  }
  return values;
}

std::vector<std::int32_t> scaled_operands(const AddFactors& factors, bool second,
                                          std::int32_t zero_point, Rounding rounding) {
  const FixedPoint own = second ? factors.second : factors.first;
  const FixedPoint other = second ? factors.first : factors.second;
  std::vector<std::int32_t> values;
  values.reserve(256);
  for (std::int32_t x = -128; x <= 127; ++x) {
    values.push_back(requantise((x - zero_point) * (1 << kAddShift), own));
  }
  const bool is_half = std::abs(other.multiplier) == (1 << 30) && other.shift == 0;
  if (rounding != Rounding::HalfUp || !is_half) {
    return values;
  }
  const WholeSum whole(own, factors.output);
  if (whole.shift < 1 || whole.shift > 62) {
    return values;
  }
  const std::int32_t sign = other.multiplier < 0 ? -1 : 1;
  constexpr std::int32_t kFar = 255;  // of a value from its zero point
  std::int32_t x = -129;
  for (std::int32_t& value : values) {
    ++x;
    const auto wrong = [&](std::int32_t candidate) {
      int count = 0;
      for (std::int32_t y = -kFar; y <= kFar; ++y) {
        const std::int32_t sum = sign * y * (1 << (kAddShift - 1)) + candidate;
        count += requantise(sum, factors.output, 0, Rounding::HalfUp) !=
                         whole.of(sign * y, x - zero_point)
                     ? 1
                     : 0;
      }
      return count;
    };
    int fewest = wrong(value);
    const std::int32_t nearest = value;
    for (const std::int32_t more : {1, -1, 2, -2}) {
      if (fewest == 0) {
        break;
      }
      if (const int count = wrong(nearest + more); count < fewest) {
        fewest = count;
        value = nearest + more;
      }
    }
  }
  return values;
}

bool adds_in_whole_scales(const Quantisation& first, const Quantisation& second,
                          const Quantisation& output) {
  const auto fits = [&](const Quantisation& input) {
    const float scale = input.scales[0] / output.scales[0];
    return scale >= 0x1p-10F && scale < 0x1p8F;
  };
  return fits(first) && fits(second);
}

FixedPoint multiply_factor(const Quantisation& first, const Quantisation& second,
                           const Quantisation& output) {
  // In single precision, as TensorFlow Lite's kernel has it: a unit in the last place decides ties.
  return fixed_point(static_cast<double>(first.scales[0] * second.scales[0] / output.scales[0]));
}

FixedPoint rescale_factor(const Quantisation& input, const Quantisation& output) {
  return fixed_point(static_cast<double>(input.scales[0]) / static_cast<double>(output.scales[0]));
}

FixedPoint mean_factor(const Quantisation& input, const Quantisation& output, std::int64_t count) {
  const FixedPoint factor = rescale_factor(input, output);
  int log2 = 0;
  while ((count >> (log2 + 1)) != 0) {
    ++log2;
  }
  const int up = std::max(std::min({log2, 32, 31 + factor.shift}), 0);
  const std::int64_t multiplier = std::int64_t{factor.multiplier} * (std::int64_t{1} << up) / count;
  return {static_cast<std::int32_t>(multiplier), factor.shift - up};
}

namespace {

// Whether sums next to a half are rounded as their products by `real` in double precision are,
// halves away from zero.
bool rounds_away(FixedPoint factor, double real) {
  constexpr double kNear = 1e-7;
  for (int n = -256; n < 256; ++n) {
    const double half = n + 0.5;
    const double sum = std::nearbyint(half / real);
    if (std::fabs(sum) >= double{INT32_MAX} ||
        std::fabs(sum * real - half) > kNear * std::fabs(half)) {
      continue;
    }
    if (requantise(static_cast<std::int32_t>(sum), factor, 0, Rounding::HalfUp) !=
        static_cast<std::int32_t>(std::round(sum * real))) {
      return false;
    }
  }
  return true;
}

FixedPoint away_from_zero(double real) {
  const FixedPoint nearest = fixed_point(real);
  if (nearest.multiplier < (1 << 30) || nearest.shift >= 0) {
    return nearest;
  }
  for (const std::int32_t more : {0, 1, -1, 2, -2}) {
    const std::int64_t multiplier = std::int64_t{nearest.multiplier} + more;
    const FixedPoint factor{static_cast<std::int32_t>(multiplier), nearest.shift};
    if (multiplier >= (1 << 30) && multiplier <= INT32_MAX && rounds_away(factor, real)) {
      return factor;
    }
  }
  return nearest;
}

}  // namespace

ScaleArithmetic scale_arithmetic(const Operator& op, const Quantisation& kernel) {
  if (op.rounding == Rounding::HalfEven) {
    return ScaleArithmetic::Single;
  }
  if (op.rounding == Rounding::HalfUp) {
    return ScaleArithmetic::DoubleAway;
  }
  bool single = kernel.scales.size() == 1;  // fully connected
  if (const auto* conv = std::get_if<Conv2d>(&op.attributes)) {
    single = conv->single_product;
  } else if (const auto* depthwise = std::get_if<DepthwiseConv2d>(&op.attributes)) {
    single = depthwise->conv.single_product;
  } else if (const auto* transposed = std::get_if<TransposeConv2d>(&op.attributes)) {
    single = transposed->single_product;
  }
  return single ? ScaleArithmetic::SingleProduct : ScaleArithmetic::Double;
}

std::vector<FixedPoint> weighted_factors(const Quantisation& input, const Quantisation& kernel,
                                         const Quantisation& output, std::int32_t channels,
                                         ScaleArithmetic arithmetic) {
  const float in = input.scales.at(0);
  const float out = output.scales.at(0);
  const auto factor = [&](float weight) {
    switch (arithmetic) {
      case ScaleArithmetic::Double:
      case ScaleArithmetic::DoubleAway:
        return static_cast<double>(in) * static_cast<double>(weight) / static_cast<double>(out);
      case ScaleArithmetic::SingleProduct:
        return static_cast<double>(in * weight) / static_cast<double>(out);
      case ScaleArithmetic::Single:
        return static_cast<double>(in * weight / out);
    }
    return 0.0;
  };
  std::vector<FixedPoint> factors;
  for (std::int32_t c = 0; c < channels; ++c) {
    const std::size_t index = kernel.scales.size() == 1 ? 0 : static_cast<std::size_t>(c);
    const double real = factor(kernel.scales.at(index));
    factors.push_back(arithmetic == ScaleArithmetic::DoubleAway ? away_from_zero(real)
                                                                : fixed_point(real));
  }
  return factors;
}

}  // namespace tessera

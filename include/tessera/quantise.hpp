// TensorFlow Lite's fixed-point arithmetic for int8 (gemmlowp's double rounding).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

/// A real factor as multiplier * 2^(shift - 31).
struct FixedPoint {
  std::int32_t multiplier = 0;
  std::int32_t shift = 0;
};

/// frexp, the mantissa rounded half away from zero to 31 bits. Factors below 2^-32 become zero.
FixedPoint fixed_point(double factor);

/// round(value * factor): rounding doubled high multiply, then rounding right shift.
std::int32_t requantise(std::int32_t value, FixedPoint factor);
/// The same and a zero point added, within int32 whatever the factor.
std::int32_t requantise(std::int32_t value, FixedPoint factor, std::int32_t zero_point);
/// Rounded as `rounding` says. Once: without a step of 32 bits in between, as in float.
std::int32_t requantise(std::int32_t value, FixedPoint factor, std::int32_t zero_point,
                        Rounding rounding);

/// A factor below 512 with which whole sums make the same bytes, whatever the zero point: from 256
/// on all of them but 0 saturate. What the array shifts to the left needs so many bits less.
FixedPoint without_excess(FixedPoint factor);

/// Average pooling as a weighted sum: each value counts this much, so that requantise()'s first
/// rounding keeps enough bits below the result.
inline constexpr std::int32_t kAverageWeight = 64;

/// The factor with which requantise() turns a sum of `count` int8 values, each times
/// kAverageWeight, into their average as pooling rounds it: to nearest, halves away from zero.
/// Nothing when it is not exact; it is tried on all sums, from values of `low` to `low` + 255.
std::optional<FixedPoint> average_factor(std::int32_t count, std::int32_t low = -128);

/// Averages of pools. In one scale they are rounded half away from zero (as unsigned bytes: up);
/// into another scale by requantise() with `rounding`, as means are.
class PoolAverage {
 public:
  PoolAverage(const Quantisation& input, const Quantisation& output, bool ties_up,
              Rounding rounding = Rounding::Twice);
  /// Whether input and output have different scales or zero points.
  [[nodiscard]] bool rescales() const { return rescales_; }
  /// Of `count` stored int8 values, which together are `sum`.
  std::int32_t of(std::int32_t sum, std::int32_t count);

 private:
  const Quantisation& input_;
  const Quantisation& output_;
  bool ties_up_;
  Rounding rounding_;
  bool rescales_;
  std::int32_t count_ = 0;  // that the factor is for
  FixedPoint factor_;
};

/// gemmlowp's building blocks.
std::int32_t doubling_high_multiply(std::int32_t a, std::int32_t b);
std::int32_t rounding_shift_right(std::int32_t value, int shift);

struct ClampRange {
  std::int32_t low = -128;
  std::int32_t high = 127;
};

/// The int8 range that an activation leaves, given the output's quantisation.
ClampRange activation_range(Activation activation, const Quantisation& output);

/// An addition's arithmetic: both inputs, shifted left by 20, are scaled to the same unit, their
/// sum to the output's. HalfUp, as XNNPACK: both scales are whole numbers of at most 21 bits in the
/// place of floats, the larger one with a leading one.
struct AddFactors {
  FixedPoint first, second, output;
};
AddFactors add_factors(const Quantisation& first, const Quantisation& second,
                       const Quantisation& output, Rounding rounding);
/// The same for a subtraction: the second factor is negative, as TensorFlow Lite's is, whose ties
/// then round the other way.
AddFactors subtract_factors(const Quantisation& first, const Quantisation& second,
                            const Quantisation& output, Rounding rounding);
/// An input's values less its zero point, shifted left by 20, times its factor: for the stored
/// values -128 to 127. HalfUp, of the input with the smaller scale: as close to that as makes every
/// sum with a value of the other input what XNNPACK's whole products and shift make of it.
std::vector<std::int32_t> scaled_operands(const AddFactors& factors, bool second,
                                          std::int32_t zero_point, Rounding rounding);
/// Squares of differences: both inputs less their zero points, shifted left by kSquareShift, times
/// their factors; then the square times that of the output.
inline constexpr int kSquareShift = 7;
struct SquareFactors {
  FixedPoint first, second, output;
};
SquareFactors square_factors(const Quantisation& first, const Quantisation& second,
                             const Quantisation& output);
/// One of the two, for the stored values -128 to 127.
std::vector<std::int32_t> values_to_square(FixedPoint own, std::int32_t zero_point);
/// Whether XNNPACK adds in these scales: both inputs' are 2^-10 to 2^8 of the output's.
bool adds_in_whole_scales(const Quantisation& first, const Quantisation& second,
                          const Quantisation& output);
inline constexpr int kAddShift = 20;

/// Output factor of a multiplication: s_1 * s_2 / s_out.
FixedPoint multiply_factor(const Quantisation& first, const Quantisation& second,
                           const Quantisation& output);

/// Factor s_in / s_out.
FixedPoint rescale_factor(const Quantisation& input, const Quantisation& output);

/// Factor of a mean of `count` values: sum x - count * zero_point goes through it.
FixedPoint mean_factor(const Quantisation& input, const Quantisation& output, std::int64_t count);

/// How the scales s_in * s_w / s_out make a factor: in double precision, with a product in single
/// precision, or all of it in single precision. DoubleAway: in double precision, and halves of the
/// products of sums go away from zero though they are rounded up, by the factor's last bits.
enum class ScaleArithmetic : std::uint8_t { Double, DoubleAway, SingleProduct, Single };

/// Of an operator with weights: Single where ONNX Runtime and XNNPACK round (HalfEven); DoubleAway
/// where LiteRT multiplies sums by a double (HalfUp); otherwise TensorFlow Lite's, which has
/// SingleProduct for uint8 and for Micro's fully connected layers of one scale.
ScaleArithmetic scale_arithmetic(const Operator& op, const Quantisation& kernel);

/// Output factors of an operator with weights, one per output channel.
std::vector<FixedPoint> weighted_factors(const Quantisation& input, const Quantisation& kernel,
                                         const Quantisation& output, std::int32_t channels,
                                         ScaleArithmetic arithmetic);

}  // namespace tessera

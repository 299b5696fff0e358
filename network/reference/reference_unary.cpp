// Functions of one value. The arithmetic is TensorFlow Lite Micro's, in integers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "network/reference/fixed_point_functions.hpp"
#include "network/reference/reference_kernels.hpp"
#include "tessera/quantise.hpp"

namespace tessera::reference {
namespace {

std::int8_t saturated(std::int32_t value) {
  return static_cast<std::int8_t>(std::clamp(value, -128, 127));
}

// Inputs from this distance from the zero point on are beyond Q4.27.
std::int32_t q4_radius(int left_shift) {
  const double largest = 15.0 * static_cast<double>(1 << 27) / std::exp2(left_shift);
  return static_cast<std::int32_t>(std::floor(largest));
}

// Logistic (output scale 1/256, zero point -128) and tanh (1/128, 0).
template <class Function>
std::int8_t in_q4(std::int32_t centred, float scale, Function function, int output_bits,
                  std::int32_t zero_point) {
  const FixedPoint factor = fixed_point(static_cast<double>(scale) * (1 << 27));
  const std::int32_t radius = q4_radius(factor.shift);
  if (centred <= -radius) {
    return -128;
  }
  if (centred >= radius) {
    return 127;
  }
  const std::int32_t value = function(requantise(centred, factor));
  return saturated(rounding_shift_right(value, 31 - output_bits) + zero_point);
}

std::int16_t saturated16(std::int64_t value) {
  return static_cast<std::int16_t>(std::clamp<std::int64_t>(
      value, std::numeric_limits<std::int16_t>::min(), std::numeric_limits<std::int16_t>::max()));
}

// Doubling high multiply of 16 bits, rounding or not.
std::int16_t high16(std::int16_t a, std::int16_t b, bool rounding) {
  const std::int32_t product = std::int32_t{a} * b;
  const std::int32_t nudge = rounding ? (product >= 0 ? 1 << 14 : 1 - (1 << 14)) : 0;
  return saturated16((std::int64_t{product} + nudge) / (1 << 15));
}

struct FixedPoint16 {
  std::int16_t multiplier;
  int shift;
};

FixedPoint16 fixed_point16(float factor) {
  const FixedPoint wide = fixed_point(static_cast<double>(factor));
  const std::int64_t rounded = (std::int64_t{wide.multiplier} + (1 << 15)) >> 16;
  return {saturated16(rounded), wide.shift};
}

// x * relu6(x + 3) / 6 on inputs shifted left by 7.
std::int8_t hard_swish(std::int32_t centred, const Quantisation& in, const Quantisation& out) {
  const float fine_scale = (1.0F / 128.0F) * in.scales[0];
  const FixedPoint16 output = fixed_point16(fine_scale / out.scales[0]);
  const FixedPoint16 gate = fixed_point16(fine_scale / (3.0F / 32768.0F));
  const auto fine = static_cast<std::int16_t>(centred * (1 << 7));
  const std::int16_t scaled = high16(fine, output.multiplier, true);
  std::int16_t open = fine;
  if (gate.shift > 0) {
    open = saturated16(std::int64_t{open} * (std::int64_t{1} << (gate.shift - 1)));
  }
  open = high16(open, gate.multiplier, true);
  if (gate.shift > 0) {
    open = saturated16(std::int64_t{open} * 2);
  } else if (gate.shift < 0) {
    open = saturated16(rounding_shift_right(open, std::min(-gate.shift, 31)));
  }
  open = static_cast<std::int16_t>((std::int32_t{open} + (1 << 15)) >> 1);
  const std::int16_t value = high16(open, scaled, false);
  return saturated(rounding_shift_right(value, std::clamp(-output.shift, 0, 31)) + out.zero_point);
}

std::int8_t value_of(const Unary& unary, std::int8_t x, const Quantisation& in,
                     const Quantisation& out) {
  const std::int32_t centred = x - in.zero_point;
  const auto rescaled = [&](double factor) {
    return requantise(centred, fixed_point(factor), out.zero_point);
  };
  switch (unary.kind) {
    case UnaryKind::Relu:
    case UnaryKind::Relu6: {
      const ClampRange range = activation_range(
          unary.kind == UnaryKind::Relu ? Activation::Relu : Activation::Relu6, out);
      const auto factor = static_cast<double>(in.scales[0] / out.scales[0]);
      return static_cast<std::int8_t>(std::clamp(rescaled(factor), range.low, range.high));
    }
    case UnaryKind::LeakyRelu:
      return saturated(
          rescaled(centred >= 0 ? static_cast<double>(in.scales[0] / out.scales[0])
                                : static_cast<double>(in.scales[0] * unary.alpha / out.scales[0])));
    case UnaryKind::Logistic:
      return in_q4(centred, in.scales[0], logistic_q4, 8, -128);
    case UnaryKind::Tanh:
      return in_q4(centred, in.scales[0], tanh_q4, 7, 0);
    case UnaryKind::HardSwish:
      return hard_swish(centred, in, out);
    case UnaryKind::Quantize:
      return saturated(
          rescaled(static_cast<double>(in.scales[0]) / static_cast<double>(out.scales[0])));
    case UnaryKind::Lookup:
      return unary.table[static_cast<std::size_t>(x + 128)];
  }
  return 0;
}

}  // namespace

namespace {

// To nearest; what is not a number becomes the least.
std::int8_t quantised(float value, const Quantisation& out, bool ties_even) {
  const float exact = value / out.scales[0];
  const float steps = ties_even ? std::nearbyint(exact) : std::round(exact);
  const float limit = 1024.0F;  // beyond int8 whatever the zero point
  const float bounded = steps > -limit ? std::min(steps, limit) : -limit;
  return saturated(static_cast<std::int32_t>(bounded) + out.zero_point);
}

}  // namespace

void unary(const Unary& unary, const Operands& x) {
  const Quantisation& in = x.input(0).quantisation;
  const Quantisation& out = x.output().quantisation;
  if (x.input(0).type == DataType::Float32) {
    for (std::int64_t i = 0; i < x.output().elements(); ++i) {
      x.result()[i] = quantised(x.data<float>(0)[i], out, unary.ties_even);
    }
    return;
  }
  for (std::int64_t i = 0; i < x.output().elements(); ++i) {
    x.result()[i] = value_of(unary, x.data<std::int8_t>(0)[i], in, out);
  }
}

}  // namespace tessera::reference

/* Factors as integers, rounded as TensorFlow Lite, XNNPACK and ONNX Runtime round. */
#ifndef TESSERA_FIXED_POINT_H
#define TESSERA_FIXED_POINT_H

#include "elements.h"

/* multiplier * 2^(shift - 31). */
struct tessera_factor {
  int32_t multiplier;
  int32_t shift;
};

/* At 2^-31 and behind the shift, halves away from zero; or once, halves up, or to even. */
enum { TESSERA_TWICE = 0, TESSERA_HALF_UP = 1, TESSERA_HALF_EVEN = 2 };

/* round(a * b / 2^31), halves away from zero. */
TESSERA_KERNEL int32_t tessera_high_multiply(int32_t a, int32_t b) {
  const int64_t product = (int64_t)a * b;
  const int64_t nudge = product >= 0 ? (int64_t)1 << 30 : 1 - ((int64_t)1 << 30);
  if (a == INT32_MIN && b == INT32_MIN) {
    return INT32_MAX;
  }
  return (int32_t)((product + nudge) / ((int64_t)1 << 31));
}

/* round(value / 2^shift), halves away from zero. */
TESSERA_KERNEL int32_t tessera_shift_right(int32_t value, int32_t shift) {
  const int64_t mask = ((int64_t)1 << shift) - 1;
  const int64_t rest = value & mask;
  const int64_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return (int32_t)(((int64_t)value >> shift) + (rest > threshold ? 1 : 0));
}

TESSERA_KERNEL int32_t tessera_saturate(int64_t value) {
  return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

TESSERA_KERNEL int32_t tessera_shift_left(int32_t value, int32_t shift) {
  return tessera_saturate((int64_t)value * ((int64_t)1 << shift));
}

/* round(value * factor). */
TESSERA_KERNEL int32_t tessera_scale(int32_t value, struct tessera_factor factor) {
  const int32_t left = factor.shift > 0 ? factor.shift : 0;
  const int32_t right = factor.shift > 0 ? 0 : -factor.shift;
  const int32_t shifted = (int32_t)((uint32_t)value << left);
  return tessera_shift_right(tessera_high_multiply(shifted, factor.multiplier), right);
}

/* The same and a zero point added, within 32 bits. */
TESSERA_KERNEL int32_t tessera_requantise(int32_t value, struct tessera_factor factor,
                                          int32_t zero_point, int32_t rounding) {
  const int32_t left = factor.shift > 0 ? factor.shift : 0;
  const int32_t right = factor.shift > 0 ? 31 : 31 - factor.shift;
  int64_t scaled, product, whole, rest, half;
  int up;
  if (rounding == TESSERA_TWICE) {
    return tessera_saturate((int64_t)tessera_scale(value, factor) + zero_point);
  }
  scaled = (int64_t)value * ((int64_t)1 << left);
  scaled = scaled < -INT32_MAX ? -INT32_MAX : scaled > INT32_MAX ? INT32_MAX : scaled;
  product = scaled * factor.multiplier;
  whole = product >> right;
  rest = product - whole * ((int64_t)1 << right);
  half = (int64_t)1 << (right - 1);
  up = rounding == TESSERA_HALF_UP || (whole & 1) != 0 ? rest >= half : rest > half;
  return tessera_saturate(whole + (up ? 1 : 0) + zero_point);
}

#endif

/* Roundings of floats, without a library: exact for every float, zeros keep their sign. */
#ifndef TESSERA_REAL_H
#define TESSERA_REAL_H

#include "elements.h"

/* Products and sums are rounded one by one, as the reference kernels do. Other compilers than clang
 * are told on their command line (-std=c99, or -ffp-contract=off). */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

TESSERA_KERNEL float tessera_with_sign_of(float value, float sign) {
  return tessera_float_of_bits((tessera_bits_of_float(value) & 0x7fffffffu) |
                               (tessera_bits_of_float(sign) & 0x80000000u));
}

TESSERA_KERNEL float tessera_absolute(float x) {
  return tessera_float_of_bits(tessera_bits_of_float(x) & 0x7fffffffu);
}

/* Whether it may have digits behind the point; not of what is no number. */
TESSERA_KERNEL int tessera_has_fraction(float x) {
  return tessera_absolute(x) < 8388608.0F;
}

TESSERA_KERNEL float tessera_floor(float x) {
  float whole;
  if (!tessera_has_fraction(x)) {
    return x;
  }
  whole = (float)(int32_t)x;
  return tessera_with_sign_of(whole > x ? whole - 1.0F : whole, x);
}

TESSERA_KERNEL float tessera_ceil(float x) {
  return -tessera_floor(-x);
}

/* To nearest, halves away from zero. */
TESSERA_KERNEL float tessera_round_away(float x) {
  const float size = tessera_absolute(x);
  int32_t whole;
  if (!tessera_has_fraction(x)) {
    return x;
  }
  whole = (int32_t)size;
  whole += size - (float)whole >= 0.5F ? 1 : 0;
  return tessera_with_sign_of((float)whole, x);
}

/* To nearest, halves to even. */
TESSERA_KERNEL float tessera_round_even(float x) {
  const float size = tessera_absolute(x);
  int32_t whole;
  float rest;
  if (!tessera_has_fraction(x)) {
    return x;
  }
  whole = (int32_t)size;
  rest = size - (float)whole;
  whole += rest > 0.5F || (rest == 0.5F && (whole & 1) != 0) ? 1 : 0;
  return tessera_with_sign_of((float)whole, x);
}

TESSERA_KERNEL float tessera_clamp_f32(float value, float low, float high) {
  return value < low ? low : high < value ? high : value;
}

#endif

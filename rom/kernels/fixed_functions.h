/* Functions in fixed point: Qm.n is an int32 with m integer and n = 31 - m fraction bits. */
#ifndef TESSERA_FIXED_FUNCTIONS_H
#define TESSERA_FIXED_FUNCTIONS_H

#include "fixed_point.h"

TESSERA_KERNEL int32_t tessera_leading_zeros(uint32_t value) {
  int32_t count = 0;
  while (count < 32 && (value & (0x80000000u >> count)) == 0u) {
    ++count;
  }
  return count;
}

/* (a + b) / 2, halves away from zero. */
TESSERA_KERNEL int32_t tessera_half_sum(int32_t a, int32_t b) {
  const int64_t sum = (int64_t)a + b;
  return (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
}

/* 1 / (1 + a) for a in [0, 1], in Q0.31: three steps of Newton's from 48/17 - 32/17 x. */
TESSERA_KERNEL int32_t tessera_one_over_one_plus(int32_t a) {
  const int32_t half = tessera_half_sum(a, INT32_MAX);
  int32_t x = 1515870810 + tessera_high_multiply(half, -1010580540);
  int32_t step;
  for (step = 0; step < 3; ++step) {
    const int32_t error = (1 << 29) - tessera_high_multiply(half, x);
    x += tessera_shift_left(tessera_high_multiply(x, error), 2);
  }
  return tessera_shift_left(x, 1);
}

#endif

/* Rows of bytes to length 1, in integers. */
#include "fixed_functions.h"

struct tessera_l2_i8_parameters {
  int32_t rows;
  int32_t depth;
  int32_t zero_in;
  int32_t zero_out;
  int32_t of_unsigned; /* multiplied before it is rounded */
};

/* 1 / sqrt(value) by five steps of Newton's, in Q3.28. */
TESSERA_KERNEL struct tessera_factor tessera_inverse_root(int32_t value) {
  struct tessera_factor factor = {INT32_MAX, 0};
  const int32_t half_three = (1 << 28) + (1 << 27);
  int32_t shift = 11;
  int32_t x = 1 << 28;
  int32_t pairs, half, step;
  if (value <= 1) {
    return factor;
  }
  while (value >= 1 << 29) {
    value /= 4;
    ++shift;
  }
  pairs = (tessera_leading_zeros((uint32_t)value) - 1) / 2 - 1;
  shift -= pairs;
  value = (int32_t)((uint32_t)value << (2 * pairs));
  half = tessera_shift_right(value >> 1, 1);
  for (step = 0; step < 5; ++step) {
    const int32_t square = tessera_high_multiply(x, x);
    const int32_t cube = tessera_shift_left(tessera_high_multiply(square, x), 6);
    x = tessera_shift_left(tessera_high_multiply(half_three, x) - tessera_high_multiply(half, cube),
                           3);
  }
  factor.multiplier = tessera_high_multiply(x, 1518500250); /* sqrt(2) / 2 in Q0.31 */
  if (shift < 0) {
    factor.multiplier = (int32_t)((uint32_t)factor.multiplier << -shift);
    shift = 0;
  }
  factor.shift = -shift;
  return factor;
}

TESSERA_KERNEL void tessera_l2_i8(const struct tessera_l2_i8_parameters* p, const uint8_t* in,
                                  uint8_t* out) {
  int32_t row, c;
  for (row = 0; row < p->rows; ++row) {
    struct tessera_factor factor;
    int32_t squares = 0;
    for (c = 0; c < p->depth; ++c) {
      const int32_t centred = tessera_get_i8(in, c) - p->zero_in;
      squares += centred * centred;
    }
    factor = tessera_inverse_root(squares);
    factor.shift += p->of_unsigned ? 0 : 7;
    for (c = 0; c < p->depth; ++c) {
      const int32_t centred = tessera_get_i8(in, c) - p->zero_in;
      const int32_t value = tessera_requantise(p->of_unsigned ? centred * 128 : centred, factor,
                                               p->zero_out, TESSERA_TWICE);
      tessera_put_i8(out, c, tessera_clamp(value, -128, 127));
    }
    in += p->depth;
    out += p->depth;
  }
}

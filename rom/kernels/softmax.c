/* Softmax of bytes along the last axis, in integers. */
#include "fixed_functions.h"

struct tessera_softmax_parameters {
  int32_t rows;
  int32_t depth;
  /* exp() in Q0.31 by the distance from the greatest value; of further ones it is 0. */
  int32_t distances;
  const int32_t* exponentials;
};

TESSERA_KERNEL void tessera_softmax(const struct tessera_softmax_parameters* p, const uint8_t* in,
                                    uint8_t* out) {
  int32_t row, c;
  for (row = 0; row < p->rows; ++row) {
    int32_t greatest = -128;
    int64_t sum = 0; /* Q12.19 */
    int32_t headroom, scale;
    for (c = 0; c < p->depth; ++c) {
      const int32_t value = tessera_get_i8(in, c);
      greatest = greatest < value ? value : greatest;
    }
    for (c = 0; c < p->depth; ++c) {
      const int32_t distance = greatest - tessera_get_i8(in, c);
      if (distance < p->distances) {
        sum += tessera_shift_right(p->exponentials[distance], 12);
      }
    }
    sum = sum > INT32_MAX ? INT32_MAX : sum;
    headroom = tessera_leading_zeros((uint32_t)sum);
    scale = tessera_one_over_one_plus((int32_t)(((uint32_t)sum << headroom) - ((uint32_t)1 << 31)));
    for (c = 0; c < p->depth; ++c) {
      const int32_t distance = greatest - tessera_get_i8(in, c);
      int32_t value = -128;
      if (distance < p->distances) {
        value += tessera_shift_right(tessera_high_multiply(scale, p->exponentials[distance]),
                                     12 - headroom + 31 - 8);
      }
      tessera_put_i8(out, c, tessera_clamp(value, -128, 127));
    }
    in += p->depth;
    out += p->depth;
  }
}

/* Sums of bytes into the output's scale, by factors in single precision. */
#include "real.h"

enum {
  TESSERA_ZERO_FIRST = 1,    /* rounded to even behind the zero point */
  TESSERA_ZERO_LAST = 2,     /* rounded to even before it */
  TESSERA_AWAY_FROM_ZERO = 3 /* the zero points' share is added as a float; halves away from zero */
};

struct tessera_rescale_real_parameters {
  int32_t count;
  int32_t zero_sum; /* of all the zero points in a sum */
  float scale;
  float bias;
  int32_t zero_point;
  int32_t how;
};

TESSERA_KERNEL void tessera_rescale_real(const struct tessera_rescale_real_parameters* p,
                                         const uint8_t* sums, uint8_t* out) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
    const int32_t sum = tessera_get_i32(sums, i);
    const int32_t centred = sum - p->zero_sum;
    float steps;
    int32_t value;
    if (p->how == TESSERA_AWAY_FROM_ZERO) {
      steps = tessera_clamp_f32((float)sum * p->scale + p->bias, -1024.0F, 1024.0F);
      value = (int32_t)tessera_round_away(steps) + p->zero_point;
    } else {
      steps = tessera_clamp_f32((float)centred * p->scale, -1024.0F, 1024.0F);
      value = p->how == TESSERA_ZERO_FIRST
                  ? (int32_t)tessera_round_even(steps + (float)p->zero_point)
                  : (int32_t)tessera_round_even(steps) + p->zero_point;
    }
    tessera_put_i8(out, i, tessera_clamp(value, -128, 127));
  }
}

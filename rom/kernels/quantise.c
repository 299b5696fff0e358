/* Floats to bytes, and bytes to floats. */
#include "real.h"

struct tessera_quantise_parameters {
  int32_t count;
  float scale;
  int32_t zero_point;
  int32_t ties_even; /* halves go to even, not away from zero */
};

/* What is not a number becomes the least byte. */
TESSERA_KERNEL void tessera_quantise(const struct tessera_quantise_parameters* p, const uint8_t* in,
                                     uint8_t* out) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
    const float exact = tessera_get_f32(in, i) / p->scale;
    const float steps = p->ties_even ? tessera_round_even(exact) : tessera_round_away(exact);
    const float bounded = steps > -1024.0F ? (steps < 1024.0F ? steps : 1024.0F) : -1024.0F;
    tessera_put_i8(out, i, tessera_clamp((int32_t)bounded + p->zero_point, -128, 127));
  }
}

TESSERA_KERNEL void tessera_dequantise(const struct tessera_quantise_parameters* p,
                                       const uint8_t* in, uint8_t* out) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
    tessera_put_f32(out, i, p->scale * (float)(tessera_get_i8(in, i) - p->zero_point));
  }
}

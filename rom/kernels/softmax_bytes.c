/* Softmax of bytes along any axis, by a table of floats. */
#include "real.h"

struct tessera_softmax_bytes_parameters {
  int32_t outer;
  int32_t count;
  int32_t inner;
  const float* exponentials; /* by the distance from the greatest value */
  float steps;               /* of the output in 1 */
  int32_t zero_point;
};

TESSERA_KERNEL void tessera_softmax_bytes(const struct tessera_softmax_bytes_parameters* p,
                                          const uint8_t* in, uint8_t* out) {
  int32_t row, i;
  for (row = 0; row < p->outer * p->inner; ++row) {
    const int32_t first = row / p->inner * p->inner * p->count + row % p->inner;
    int32_t greatest = -128;
    float sum = 0.0F;
    for (i = 0; i < p->count; ++i) {
      const int32_t value = tessera_get_i8(in, first + i * p->inner);
      greatest = greatest < value ? value : greatest;
    }
    for (i = 0; i < p->count; ++i) {
      sum += p->exponentials[greatest - tessera_get_i8(in, first + i * p->inner)];
    }
    for (i = 0; i < p->count; ++i) {
      const int32_t at = first + i * p->inner;
      const float share = p->exponentials[greatest - tessera_get_i8(in, at)] * p->steps / sum;
      const float value = tessera_round_even(share) + (float)p->zero_point;
      tessera_put_i8(out, at, (int32_t)tessera_clamp_f32(value, -128.0F, 127.0F));
    }
  }
}

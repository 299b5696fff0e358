/* Normalisations of rows of floats. Needs the mathematical library. */
#include <math.h>

#include "real.h"

struct tessera_norm {
  int32_t rows;
  int32_t depth;
  int32_t around_zero;
  float epsilon;
};

TESSERA_KERNEL void tessera_l2_f32(const struct tessera_norm* p, const uint8_t* in, uint8_t* out) {
  int32_t row, c;
  for (row = 0; row < p->rows; ++row) {
    const int32_t first = row * p->depth;
    float squares = 0.0F;
    float norm;
    for (c = 0; c < p->depth; ++c) {
      const float value = tessera_get_f32(in, first + c);
      squares += value * value;
    }
    norm = sqrtf(squares);
    norm = norm < 1e-6F ? 1e-6F : norm;
    for (c = 0; c < p->depth; ++c) {
      tessera_put_f32(out, first + c, tessera_get_f32(in, first + c) / norm);
    }
  }
}

/* Sum and sum of squares in one pass. `bias` may be absent. */
TESSERA_KERNEL void tessera_layer_norm(const struct tessera_norm* p, const uint8_t* in,
                                       const uint8_t* scale, const uint8_t* bias, uint8_t* out) {
  const float count = (float)p->depth;
  int32_t row, c;
  for (row = 0; row < p->rows; ++row) {
    const int32_t first = row * p->depth;
    float sum = 0.0F;
    float squares = 0.0F;
    float mean, spread;
    for (c = 0; c < p->depth; ++c) {
      const float value = tessera_get_f32(in, first + c);
      sum += value;
      squares += value * value;
    }
    mean = p->around_zero ? 0.0F : sum / count;
    spread = sqrtf(squares / count - mean * mean + p->epsilon);
    for (c = 0; c < p->depth; ++c) {
      float value = (tessera_get_f32(in, first + c) - mean) / spread;
      value *= tessera_get_f32(scale, c);
      value += bias != 0 ? tessera_get_f32(bias, c) : 0.0F;
      tessera_put_f32(out, first + c, value);
    }
  }
}

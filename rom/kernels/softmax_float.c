/* Softmax and its logarithm, of floats. Needs the mathematical library. */
#include <math.h>

#include "real.h"

struct tessera_softmax_float_parameters {
  int32_t outer;
  int32_t count;
  int32_t inner;
  float beta;
};

TESSERA_KERNEL float tessera_greatest_f32(const uint8_t* in, int32_t first, int32_t count,
                                          int32_t step) {
  float greatest = tessera_get_f32(in, first);
  int32_t i;
  for (i = 1; i < count; ++i) {
    const float value = tessera_get_f32(in, first + i * step);
    greatest = greatest < value ? value : greatest;
  }
  return greatest;
}

TESSERA_KERNEL void tessera_softmax_float(const struct tessera_softmax_float_parameters* p,
                                          const uint8_t* in, uint8_t* out) {
  int32_t row, i;
  for (row = 0; row < p->outer * p->inner; ++row) {
    const int32_t first = row / p->inner * p->inner * p->count + row % p->inner;
    const float greatest = tessera_greatest_f32(in, first, p->count, p->inner);
    float sum = 0.0F;
    for (i = 0; i < p->count; ++i) {
      sum += expf((tessera_get_f32(in, first + i * p->inner) - greatest) * p->beta);
    }
    for (i = 0; i < p->count; ++i) {
      const int32_t at = first + i * p->inner;
      tessera_put_f32(out, at, expf((tessera_get_f32(in, at) - greatest) * p->beta) / sum);
    }
  }
}

struct tessera_log_softmax_float_parameters {
  int32_t rows;
  int32_t depth;
};

TESSERA_KERNEL void tessera_log_softmax_float(const struct tessera_log_softmax_float_parameters* p,
                                              const uint8_t* in, uint8_t* out) {
  int32_t row, i;
  for (row = 0; row < p->rows; ++row) {
    const int32_t first = row * p->depth;
    const float greatest = tessera_greatest_f32(in, first, p->depth, 1);
    float sum = 0.0F;
    float whole;
    for (i = 0; i < p->depth; ++i) {
      sum += expf(tessera_get_f32(in, first + i) - greatest);
    }
    whole = logf(sum);
    for (i = 0; i < p->depth; ++i) {
      tessera_put_f32(out, first + i, tessera_get_f32(in, first + i) - greatest - whole);
    }
  }
}

/* Of bytes, each standing for itself; those without a sign count from 0 on. */
struct tessera_log_softmax_bytes_parameters {
  int32_t rows;
  int32_t depth;
  const float* exponentials; /* by the distance from the greatest value */
  float scale;
  int32_t base;
  float out_scale;
  int32_t zero_point;
};

TESSERA_KERNEL void tessera_log_softmax_bytes(const struct tessera_log_softmax_bytes_parameters* p,
                                              const uint8_t* in, uint8_t* out) {
  int32_t row, i;
  for (row = 0; row < p->rows; ++row) {
    int32_t greatest = -128;
    float sum = 0.0F;
    float whole;
    for (i = 0; i < p->depth; ++i) {
      const int32_t value = tessera_get_i8(in, i);
      greatest = greatest < value ? value : greatest;
    }
    for (i = 0; i < p->depth; ++i) {
      sum += p->exponentials[greatest - tessera_get_i8(in, i)];
    }
    whole = p->scale * (float)(greatest + p->base) + logf(sum);
    for (i = 0; i < p->depth; ++i) {
      const float result = p->scale * (float)(tessera_get_i8(in, i) + p->base) - whole;
      const float steps =
          tessera_clamp_f32(tessera_round_even(result / p->out_scale), -1024.0F, 1024.0F);
      tessera_put_i8(out, i, tessera_clamp((int32_t)steps + p->zero_point, -128, 127));
    }
    in += p->depth;
    out += p->depth;
  }
}

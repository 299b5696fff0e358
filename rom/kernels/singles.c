/* Operators of one number, or one truth value, that need no library. */
#include "real.h"

/* The operator's own numbers, where it has some. */
struct tessera_singles {
  int32_t count;
  float first;
  float second;
};

/* A kernel: `a` is the value, `result` what it gives. */
#define TESSERA_SINGLES(name, type, from, result)                                              \
  TESSERA_KERNEL void name(const struct tessera_singles* p, const uint8_t* in, uint8_t* out) { \
    int32_t i;                                                                                 \
    for (i = 0; i < p->count; ++i) {                                                           \
      const type a = tessera_get_##from(in, i);                                                \
      tessera_put_##from(out, i, result);                                                      \
    }                                                                                          \
  }

/* Whole numbers wrap. */
#define TESSERA_WHOLE_SINGLES(type, wrapping, from)                                              \
  TESSERA_SINGLES(tessera_abs_##from, type, from, a < 0 ? (type)((wrapping)0 - (wrapping)a) : a) \
  TESSERA_SINGLES(tessera_neg_##from, type, from, (type)((wrapping)0 - (wrapping)a))             \
  TESSERA_SINGLES(tessera_sign_##from, type, from, (a > 0) - (a < 0))                            \
  TESSERA_SINGLES(tessera_square_##from, type, from, (type)((wrapping)a * (wrapping)a))

TESSERA_WHOLE_SINGLES(int32_t, uint32_t, i32)
TESSERA_WHOLE_SINGLES(int64_t, uint64_t, i64)
TESSERA_SINGLES(tessera_logical_not_b8, int32_t, b8, a == 0)

TESSERA_SINGLES(tessera_abs_f32, float, f32, tessera_absolute(a))
TESSERA_SINGLES(tessera_neg_f32, float, f32, -a)
TESSERA_SINGLES(tessera_sign_f32, float, f32, a > 0.0F ? 1.0F : a < 0.0F ? -1.0F : 0.0F)
TESSERA_SINGLES(tessera_square_f32, float, f32, a* a)
TESSERA_SINGLES(tessera_floor_f32, float, f32, tessera_floor(a))
TESSERA_SINGLES(tessera_ceil_f32, float, f32, tessera_ceil(a))
TESSERA_SINGLES(tessera_round_f32, float, f32, tessera_round_even(a))
TESSERA_SINGLES(tessera_hard_swish_f32, float, f32,
                a* tessera_clamp_f32(a + 3.0F, 0.0F, 6.0F) / 6.0F)
TESSERA_SINGLES(tessera_leaky_relu_f32, float, f32, a >= 0.0F ? a : p->first * a)

TESSERA_KERNEL float tessera_clipped(float low, float high, float a) {
  const float below = a < high ? a : high;
  return low < below ? below : low;
}

TESSERA_SINGLES(tessera_clip_f32, float, f32, tessera_clipped(p->first, p->second, a))

/* Where along an axis the greatest or the least value is; the first of equal ones. */
#include "elements.h"

struct tessera_arg {
  int32_t outer;
  int32_t count;
  int32_t inner;
  int32_t wide; /* indices of 64 bits */
};

TESSERA_KERNEL void tessera_put_index(uint8_t* out, int32_t i, int32_t index, int32_t wide) {
  if (wide) {
    tessera_put_i64(out, i, index);
  } else {
    tessera_put_i32(out, i, index);
  }
}

#define TESSERA_ARG(name, type, from, better)                                              \
  TESSERA_KERNEL void name(const struct tessera_arg* p, const uint8_t* in, uint8_t* out) { \
    int32_t o, i, n;                                                                       \
    for (o = 0; o < p->outer; ++o) {                                                       \
      for (i = 0; i < p->inner; ++i) {                                                     \
        const int32_t first = o * p->count * p->inner + i;                                 \
        type best = tessera_get_##from(in, first);                                         \
        int32_t index = 0;                                                                 \
        for (n = 1; n < p->count; ++n) {                                                   \
          const type value = tessera_get_##from(in, first + n * p->inner);                 \
          if (better) {                                                                    \
            best = value;                                                                  \
            index = n;                                                                     \
          }                                                                                \
        }                                                                                  \
        tessera_put_index(out, o * p->inner + i, index, p->wide);                          \
      }                                                                                    \
    }                                                                                      \
  }

TESSERA_ARG(tessera_arg_max_i8, int32_t, i8, value > best)
TESSERA_ARG(tessera_arg_min_i8, int32_t, i8, value < best)
TESSERA_ARG(tessera_arg_max_i32, int32_t, i32, value > best)
TESSERA_ARG(tessera_arg_min_i32, int32_t, i32, value < best)
TESSERA_ARG(tessera_arg_max_i64, int64_t, i64, value > best)
TESSERA_ARG(tessera_arg_min_i64, int64_t, i64, value < best)
TESSERA_ARG(tessera_arg_max_f32, float, f32, value > best)
TESSERA_ARG(tessera_arg_min_f32, float, f32, value < best)

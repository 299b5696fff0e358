/* Reductions: every element of the output is made of those of the input that the inner loops visit,
 * in the input's order. */
#include "loops.h"
#include "real.h"

/* Steps are in elements of the input. */
struct tessera_reduce {
  struct tessera_loops kept;
  struct tessera_loops reduced;
  int32_t count; /* of the elements that make one */
};

/* A kernel: `sum` begins at `start`, `value` is an element, `last` the result. */
#define TESSERA_REDUCTION(name, type, from, to, start, next, last)                            \
  TESSERA_KERNEL void name(const struct tessera_reduce* p, const uint8_t* in, uint8_t* out) { \
    const struct tessera_loop* outer = &p->kept.loops[p->kept.rank - 1];                      \
    const struct tessera_loop* inner = &p->reduced.loops[p->reduced.rank - 1];                \
    struct tessera_walk kept;                                                                 \
    int32_t o = 0;                                                                            \
    tessera_begin(&p->kept, &kept);                                                           \
    do {                                                                                      \
      int32_t k, i;                                                                           \
      for (k = 0; k < outer->count; ++k) {                                                    \
        struct tessera_walk walk;                                                             \
        type sum = start;                                                                     \
        tessera_begin(&p->reduced, &walk);                                                    \
        do {                                                                                  \
          const int32_t first = kept.offset[0] + k * outer->step[0] + walk.offset[0];         \
          for (i = 0; i < inner->count; ++i) {                                                \
            const type value = tessera_get_##from(in, first + i * inner->step[0]);            \
            sum = next;                                                                       \
          }                                                                                   \
        } while (tessera_next(&p->reduced, &walk));                                           \
        tessera_put_##to(out, o, last);                                                       \
        ++o;                                                                                  \
      }                                                                                       \
    } while (tessera_next(&p->kept, &kept));                                                  \
  }

/* Sums and products of whole numbers wrap. */
TESSERA_KERNEL int64_t tessera_sum_of(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

TESSERA_KERNEL int64_t tessera_product_of(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

TESSERA_KERNEL void tessera_put_wide_i32(uint8_t* data, int32_t i, int64_t value) {
  tessera_put_u32(data, i, (uint32_t)((uint64_t)value & 0xffffffffu));
}

TESSERA_KERNEL void tessera_put_wide_i64(uint8_t* data, int32_t i, int64_t value) {
  tessera_put_i64(data, i, value);
}

#define TESSERA_WHOLE_REDUCTIONS(from, to)                                                     \
  TESSERA_REDUCTION(tessera_sum_##from, int64_t, from, to, 0, tessera_sum_of(sum, value), sum) \
  TESSERA_REDUCTION(tessera_mean_##from, int64_t, from, to, 0, tessera_sum_of(sum, value),     \
                    sum / p->count)                                                            \
  TESSERA_REDUCTION(tessera_reduce_prod_##from, int64_t, from, to, 1,                          \
                    tessera_product_of(sum, value), sum)                                       \
  TESSERA_REDUCTION(tessera_reduce_max_##from, int64_t, from, to, INT64_MIN,                   \
                    sum < value ? value : sum, sum)                                            \
  TESSERA_REDUCTION(tessera_reduce_min_##from, int64_t, from, to, INT64_MAX,                   \
                    value < sum ? value : sum, sum)

TESSERA_WHOLE_REDUCTIONS(i32, wide_i32)
TESSERA_WHOLE_REDUCTIONS(i64, wide_i64)

#define TESSERA_GREATEST_FLOAT 3.402823466e+38F

TESSERA_REDUCTION(tessera_sum_f32, float, f32, f32, 0.0F, sum + value, sum)
TESSERA_REDUCTION(tessera_mean_f32, float, f32, f32, 0.0F, sum + value, sum / (float)p->count)
TESSERA_REDUCTION(tessera_reduce_prod_f32, float, f32, f32, 1.0F, sum* value, sum)
TESSERA_REDUCTION(tessera_reduce_max_f32, float, f32, f32, -TESSERA_GREATEST_FLOAT,
                  sum < value ? value : sum, sum)
TESSERA_REDUCTION(tessera_reduce_min_f32, float, f32, f32, TESSERA_GREATEST_FLOAT,
                  value < sum ? value : sum, sum)

TESSERA_REDUCTION(tessera_reduce_any_b8, int32_t, b8, b8, 0, sum != 0 || value != 0, sum)
TESSERA_REDUCTION(tessera_reduce_all_b8, int32_t, b8, b8, 1, sum != 0 && value != 0, sum)
TESSERA_REDUCTION(tessera_reduce_max_i8, int32_t, i8, i8, -128, sum < value ? value : sum, sum)
TESSERA_REDUCTION(tessera_reduce_min_i8, int32_t, i8, i8, 127, value < sum ? value : sum, sum)
/* Bytes: sums of 32 bits, which another kernel rescales. */
TESSERA_REDUCTION(tessera_sums_i8, int32_t, i8, i32, 0, sum + value, sum)

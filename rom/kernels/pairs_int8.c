/* Operators of two bytes. */
#include "fixed_point.h"
#include "loops.h"

/* Sums: `first` and `second` have each byte's value in a common unit, from -128 on. */
struct tessera_add_i8_parameters {
  struct tessera_loops loops;
  const int32_t* first;
  const int32_t* second;
  struct tessera_factor factor;
  int32_t zero_point;
  int32_t rounding;
  int32_t low;
  int32_t high;
};

/* Products, with both zero points. */
struct tessera_mul_i8_parameters {
  struct tessera_loops loops;
  int32_t zero_a;
  int32_t zero_b;
  struct tessera_factor factor;
  int32_t zero_point;
  int32_t rounding;
  int32_t low;
  int32_t high;
};

/* Values of at least the zero point keep their slope, others are multiplied. */
struct tessera_prelu_i8_parameters {
  struct tessera_loops loops;
  int32_t zero_a;
  int32_t zero_b;
  struct tessera_factor positive;
  struct tessera_factor negative;
  int32_t zero_point;
};

enum {
  TESSERA_EQUAL = 0,
  TESSERA_NOT_EQUAL,
  TESSERA_GREATER,
  TESSERA_GREATER_EQUAL,
  TESSERA_LESS,
  TESSERA_LESS_EQUAL
};

/* `first` and `second` as of sums. */
struct tessera_compare_i8_parameters {
  struct tessera_loops loops;
  const int32_t* first;
  const int32_t* second;
  int32_t relation;
};

/* Loops over all pairs: `a` and `b` are their bytes, `o` the output's place. */
#define TESSERA_EACH_PAIR(body)                                                 \
  const struct tessera_loop* inner = &p->loops.loops[p->loops.rank - 1];        \
  struct tessera_walk walk;                                                     \
  int32_t o = 0;                                                                \
  tessera_begin(&p->loops, &walk);                                              \
  do {                                                                          \
    int32_t i;                                                                  \
    for (i = 0; i < inner->count; ++i) {                                        \
      const int32_t a = tessera_get_i8(x, walk.offset[0] + i * inner->step[0]); \
      const int32_t b = tessera_get_i8(y, walk.offset[1] + i * inner->step[1]); \
      body;                                                                     \
      ++o;                                                                      \
    }                                                                           \
  } while (tessera_next(&p->loops, &walk))

TESSERA_KERNEL void tessera_add_i8(const struct tessera_add_i8_parameters* p, const uint8_t* x,
                                   const uint8_t* y, uint8_t* out) {
  TESSERA_EACH_PAIR(const int32_t sum = p->first[a + 128] + p->second[b + 128];
                    const int32_t value =
                        tessera_requantise(sum, p->factor, p->zero_point, p->rounding);
                    tessera_put_i8(out, o, tessera_clamp(value, p->low, p->high)));
}

TESSERA_KERNEL void tessera_mul_i8(const struct tessera_mul_i8_parameters* p, const uint8_t* x,
                                   const uint8_t* y, uint8_t* out) {
  TESSERA_EACH_PAIR(const int32_t product = (a - p->zero_a) * (b - p->zero_b);
                    const int32_t value =
                        tessera_requantise(product, p->factor, p->zero_point, p->rounding);
                    tessera_put_i8(out, o, tessera_clamp(value, p->low, p->high)));
}

/* The tables as of sums; the square wraps. */
TESSERA_KERNEL void tessera_squared_difference_i8(const struct tessera_add_i8_parameters* p,
                                                  const uint8_t* x, const uint8_t* y,
                                                  uint8_t* out) {
  TESSERA_EACH_PAIR(
      const int64_t difference = (int64_t)p->first[a + 128] - p->second[b + 128];
      const int32_t square =
          (int32_t)(uint32_t)((uint64_t)difference * (uint64_t)difference & 0xffffffffu);
      const int32_t value = tessera_requantise(square, p->factor, p->zero_point, TESSERA_TWICE);
      tessera_put_i8(out, o, tessera_clamp(value, p->low, p->high)));
}

TESSERA_KERNEL void tessera_prelu_i8(const struct tessera_prelu_i8_parameters* p, const uint8_t* x,
                                     const uint8_t* y, uint8_t* out) {
  TESSERA_EACH_PAIR(const int32_t centred = a - p->zero_a;
                    const int32_t value =
                        centred >= 0
                            ? tessera_requantise(centred, p->positive, p->zero_point, TESSERA_TWICE)
                            : tessera_requantise(centred * (b - p->zero_b), p->negative,
                                                 p->zero_point, TESSERA_TWICE);
                    tessera_put_i8(out, o, tessera_clamp(value, -128, 127)));
}

TESSERA_KERNEL int32_t tessera_related(int32_t relation, int32_t a, int32_t b) {
  switch (relation) {
    case TESSERA_EQUAL:
      return a == b;
    case TESSERA_NOT_EQUAL:
      return a != b;
    case TESSERA_GREATER:
      return a > b;
    case TESSERA_GREATER_EQUAL:
      return a >= b;
    case TESSERA_LESS:
      return a < b;
    default:
      return a <= b;
  }
}

TESSERA_KERNEL void tessera_compare_i8(const struct tessera_compare_i8_parameters* p,
                                       const uint8_t* x, const uint8_t* y, uint8_t* out) {
  TESSERA_EACH_PAIR(
      tessera_put_b8(out, o, tessera_related(p->relation, p->first[a + 128], p->second[b + 128])));
}

struct tessera_pairs_i8 {
  struct tessera_loops loops;
};

TESSERA_KERNEL void tessera_minimum_i8(const struct tessera_pairs_i8* p, const uint8_t* x,
                                       const uint8_t* y, uint8_t* out) {
  TESSERA_EACH_PAIR(tessera_put_i8(out, o, b < a ? b : a));
}

TESSERA_KERNEL void tessera_maximum_i8(const struct tessera_pairs_i8* p, const uint8_t* x,
                                       const uint8_t* y, uint8_t* out) {
  TESSERA_EACH_PAIR(tessera_put_i8(out, o, a < b ? b : a));
}

/* Operators of two numbers, or two truth values, that need no library. */
#include "loops.h"
#include "real.h"

/* Steps are in elements: of the first value, then of the second. */
struct tessera_pairs {
  struct tessera_loops loops;
};

/* A kernel: `a` and `b` are the values, `result` what they give. */
#define TESSERA_PAIRS(name, type, from, to, result)                                           \
  TESSERA_KERNEL void name(const struct tessera_pairs* p, const uint8_t* x, const uint8_t* y, \
                           uint8_t* out) {                                                    \
    const struct tessera_loop* inner = &p->loops.loops[p->loops.rank - 1];                    \
    struct tessera_walk walk;                                                                 \
    int32_t o = 0;                                                                            \
    tessera_begin(&p->loops, &walk);                                                          \
    do {                                                                                      \
      int32_t i;                                                                              \
      for (i = 0; i < inner->count; ++i) {                                                    \
        const type a = tessera_get_##from(x, walk.offset[0] + i * inner->step[0]);            \
        const type b = tessera_get_##from(y, walk.offset[1] + i * inner->step[1]);            \
        tessera_put_##to(out, o, result);                                                     \
        ++o;                                                                                  \
      }                                                                                       \
    } while (tessera_next(&p->loops, &walk));                                                 \
  }

/* Whole numbers, computed in 64 bits: what wraps there is cut to 32 bits where it is stored. */
TESSERA_KERNEL int64_t tessera_wrapped_product(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

TESSERA_KERNEL int64_t tessera_wrapped_sum(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

TESSERA_KERNEL int64_t tessera_wrapped_difference(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* By 0: 0. */
TESSERA_KERNEL int64_t tessera_quotient(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? tessera_wrapped_difference(0, a) : a / b;
}

TESSERA_KERNEL int64_t tessera_floor_quotient(int64_t a, int64_t b) {
  const int64_t quotient = tessera_quotient(a, b);
  return b != 0 && b != -1 && a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

TESSERA_KERNEL int64_t tessera_floor_rest(int64_t a, int64_t b) {
  const int64_t rest = b == 0 || b == -1 ? 0 : a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

TESSERA_KERNEL int64_t tessera_power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  int64_t i;
  for (i = 0; i < (exponent < 64 ? exponent : 64); ++i) {
    result = tessera_wrapped_product(result, base);
  }
  return result;
}

TESSERA_KERNEL int64_t tessera_squared(int64_t a) {
  return tessera_wrapped_product(a, a);
}

TESSERA_KERNEL void tessera_put_low32(uint8_t* data, int32_t i, int64_t value) {
  tessera_put_u32(data, i, (uint32_t)((uint64_t)value & 0xffffffffu));
}

TESSERA_KERNEL void tessera_put_low64(uint8_t* data, int32_t i, int64_t value) {
  tessera_put_i64(data, i, value);
}

#define TESSERA_WHOLE_PAIRS(type, from, to)                                             \
  TESSERA_PAIRS(tessera_add_##from, type, from, to, tessera_wrapped_sum(a, b))          \
  TESSERA_PAIRS(tessera_sub_##from, type, from, to, tessera_wrapped_difference(a, b))   \
  TESSERA_PAIRS(tessera_mul_##from, type, from, to, tessera_wrapped_product(a, b))      \
  TESSERA_PAIRS(tessera_div_##from, type, from, to, tessera_quotient(a, b))             \
  TESSERA_PAIRS(tessera_floor_div_##from, type, from, to, tessera_floor_quotient(a, b)) \
  TESSERA_PAIRS(tessera_floor_mod_##from, type, from, to, tessera_floor_rest(a, b))     \
  TESSERA_PAIRS(tessera_pow_##from, type, from, to, tessera_power(a, b))                \
  TESSERA_PAIRS(tessera_squared_difference_##from, type, from, to,                      \
                tessera_squared(tessera_wrapped_difference(a, b)))

#define TESSERA_COMPARISONS(type, from)                                  \
  TESSERA_PAIRS(tessera_minimum_##from, type, from, from, b < a ? b : a) \
  TESSERA_PAIRS(tessera_maximum_##from, type, from, from, a < b ? b : a) \
  TESSERA_PAIRS(tessera_equal_##from, type, from, b8, a == b)            \
  TESSERA_PAIRS(tessera_not_equal_##from, type, from, b8, a != b)        \
  TESSERA_PAIRS(tessera_greater_##from, type, from, b8, a > b)           \
  TESSERA_PAIRS(tessera_greater_equal_##from, type, from, b8, a >= b)    \
  TESSERA_PAIRS(tessera_less_##from, type, from, b8, a < b)              \
  TESSERA_PAIRS(tessera_less_equal_##from, type, from, b8, a <= b)

TESSERA_WHOLE_PAIRS(int64_t, i32, low32)
TESSERA_WHOLE_PAIRS(int64_t, i64, low64)
TESSERA_COMPARISONS(int32_t, i32)
TESSERA_COMPARISONS(int64_t, i64)
TESSERA_COMPARISONS(float, f32)

TESSERA_PAIRS(tessera_add_f32, float, f32, f32, a + b)
TESSERA_PAIRS(tessera_sub_f32, float, f32, f32, a - b)
TESSERA_PAIRS(tessera_mul_f32, float, f32, f32, a* b)
TESSERA_PAIRS(tessera_div_f32, float, f32, f32, a / b)
TESSERA_PAIRS(tessera_floor_div_f32, float, f32, f32, tessera_floor(a / b))
TESSERA_PAIRS(tessera_squared_difference_f32, float, f32, f32, (a - b) * (a - b))
TESSERA_PAIRS(tessera_prelu_f32, float, f32, f32, a >= 0.0F ? a : a * b)

TESSERA_PAIRS(tessera_equal_b8, int32_t, b8, b8, a == b)
TESSERA_PAIRS(tessera_not_equal_b8, int32_t, b8, b8, a != b)
TESSERA_PAIRS(tessera_logical_and_b8, int32_t, b8, b8, a != 0 && b != 0)
TESSERA_PAIRS(tessera_logical_or_b8, int32_t, b8, b8, a != 0 || b != 0)

/* The range that an activation leaves of results that are there already. */
struct tessera_limits {
  int32_t count;
  double low;
  double high;
};

TESSERA_KERNEL double tessera_limited(const struct tessera_limits* p, double value) {
  return value < p->low ? p->low : p->high < value ? p->high : value;
}

TESSERA_KERNEL void tessera_limit_i32(const struct tessera_limits* p, uint8_t* out) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
    tessera_put_i32(out, i, (int32_t)tessera_limited(p, (double)tessera_get_i32(out, i)));
  }
}

TESSERA_KERNEL void tessera_limit_i64(const struct tessera_limits* p, uint8_t* out) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
    tessera_put_i64(out, i, (int64_t)tessera_limited(p, (double)tessera_get_i64(out, i)));
  }
}

TESSERA_KERNEL void tessera_limit_f32(const struct tessera_limits* p, uint8_t* out) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
    tessera_put_f32(out, i, (float)tessera_limited(p, (double)tessera_get_f32(out, i)));
  }
}

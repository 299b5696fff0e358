/* Products of matrices, batch by batch. */
#include "fixed_point.h"
#include "real.h"

/* Steps are in elements; `batch_a` and `batch_b` say where each product's factors begin. */
struct tessera_matrices {
  int32_t batches;
  const int32_t* batch_a;
  const int32_t* batch_b;
  int32_t rows;
  int32_t cols;
  int32_t depth;
  int32_t row_a;
  int32_t step_a;
  int32_t col_b;
  int32_t step_b;
};

struct tessera_matmul_i8_parameters {
  struct tessera_matrices m;
  int32_t zero_a;
  int32_t zero_b;
  struct tessera_factor factor;
  int32_t zero_point;
  int32_t rounding;
};

/* All products of one kind: `a` and `b` are where each element of the output begins. */
#define TESSERA_EACH_PRODUCT(m, body)                     \
  int32_t batch, r, c, k;                                 \
  int32_t o = 0;                                          \
  for (batch = 0; batch < (m)->batches; ++batch) {        \
    for (r = 0; r < (m)->rows; ++r) {                     \
      for (c = 0; c < (m)->cols; ++c) {                   \
        int32_t a = (m)->batch_a[batch] + r * (m)->row_a; \
        int32_t b = (m)->batch_b[batch] + c * (m)->col_b; \
        body;                                             \
        ++o;                                              \
      }                                                   \
    }                                                     \
  }

TESSERA_KERNEL void tessera_matmul_i8(const struct tessera_matmul_i8_parameters* p,
                                      const uint8_t* x, const uint8_t* y, uint8_t* out) {
  const struct tessera_matrices* m = &p->m;
  TESSERA_EACH_PRODUCT(
      m, int32_t sum = 0; for (k = 0; k < m->depth; ++k) {
        sum += (tessera_get_i8(x, a) - p->zero_a) * (tessera_get_i8(y, b) - p->zero_b);
        a += m->step_a;
        b += m->step_b;
      } sum = tessera_requantise(sum, p->factor, p->zero_point, p->rounding);
      tessera_put_i8(out, o, tessera_clamp(sum, -128, 127)))
}

/* Sums wrap. */
TESSERA_KERNEL void tessera_matmul_i32(const struct tessera_matrices* m, const uint8_t* x,
                                       const uint8_t* y, uint8_t* out) {
  TESSERA_EACH_PRODUCT(
      m, uint32_t sum = 0u; for (k = 0; k < m->depth; ++k) {
        sum += tessera_get_u32(x, a) * tessera_get_u32(y, b);
        a += m->step_a;
        b += m->step_b;
      } tessera_put_u32(out, o, sum))
}

TESSERA_KERNEL void tessera_matmul_f32(const struct tessera_matrices* m, const uint8_t* x,
                                       const uint8_t* y, uint8_t* out) {
  TESSERA_EACH_PRODUCT(
      m, float sum = 0.0F; for (k = 0; k < m->depth; ++k) {
        sum += tessera_get_f32(x, a) * tessera_get_f32(y, b);
        a += m->step_a;
        b += m->step_b;
      } tessera_put_f32(out, o, sum))
}

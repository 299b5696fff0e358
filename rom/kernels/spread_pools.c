/* Pools of floats, and of bytes with spread windows or averages in floats. */
#include "real.h"
#include "window.h"

struct tessera_spread_pool {
  struct tessera_window window;
  int32_t pictures;
  int32_t bottom; /* rows and columns behind the picture that count as padding */
  int32_t right;
  int32_t count_pads;
  int32_t by_columns; /* floats: columns are added up first */
  float scale_in;     /* of averages of bytes */
  int32_t zero_in;
  float scale_out;
  int32_t zero_out;
  int32_t base; /* of bytes without a sign */
};

/* Cells of a window along one axis up to the end of the pads. */
TESSERA_KERNEL int32_t tessera_padded_cells(int32_t begin, int32_t kernel, int32_t dilation,
                                            int32_t end) {
  const int32_t last = begin + kernel * dilation;
  return 1 + ((last < end ? last : end) - begin - 1) / dilation;
}

/* By what `cells` in the window divide its sum. */
TESSERA_KERNEL float tessera_cells(const struct tessera_spread_pool* p, int32_t top, int32_t left,
                                   int32_t cells) {
  const struct tessera_window* g = &p->window;
  int32_t all = cells;
  if (p->count_pads) {
    all = tessera_padded_cells(top, g->kernel_h, g->dilation_h, g->height + p->bottom) *
          tessera_padded_cells(left, g->kernel_w, g->dilation_w, g->width + p->right);
  }
  return (float)(all > 1 ? all : 1);
}

/* A kernel: every window's cells at `y` and `x`, with `value` in them, those outside left out. */
#define TESSERA_SPREAD_POOL(name, type, from, start, next, last, size)                             \
  TESSERA_KERNEL void name(const struct tessera_spread_pool* p, const uint8_t* in, uint8_t* out) { \
    const struct tessera_window* g = &p->window;                                                   \
    const int32_t outer_kernel = p->by_columns ? g->kernel_w : g->kernel_h;                        \
    const int32_t inner_kernel = p->by_columns ? g->kernel_h : g->kernel_w;                        \
    int32_t n, oy, ox, c, i, k;                                                                    \
    for (n = 0; n < p->pictures; ++n) {                                                            \
      const int32_t base = n * g->height * g->width * g->channels;                                 \
      for (oy = 0; oy < g->rows; ++oy) {                                                           \
        for (ox = 0; ox < g->cols; ++ox) {                                                         \
          const int32_t top = oy * g->stride_h - g->top;                                           \
          const int32_t left = ox * g->stride_w - g->left;                                         \
          for (c = 0; c < g->channels; ++c) {                                                      \
            type sum = start;                                                                      \
            int32_t cells = 0;                                                                     \
            for (i = 0; i < outer_kernel; ++i) {                                                   \
              type line = start;                                                                   \
              type* to = p->by_columns ? &line : &sum;                                             \
              for (k = 0; k < inner_kernel; ++k) {                                                 \
                const int32_t y = top + (p->by_columns ? k : i) * g->dilation_h;                   \
                const int32_t x = left + (p->by_columns ? i : k) * g->dilation_w;                  \
                if (y >= 0 && y < g->height && x >= 0 && x < g->width) {                           \
                  const type value =                                                               \
                      tessera_get_##from(in, base + (y * g->width + x) * g->channels + c);         \
                  *to = next(p, *to, value);                                                       \
                  ++cells;                                                                         \
                }                                                                                  \
              }                                                                                    \
              sum = p->by_columns ? sum + line : sum;                                              \
            }                                                                                      \
            last(p, sum, tessera_cells(p, top, left, cells), out);                                 \
            out += size;                                                                           \
          }                                                                                        \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
  }

TESSERA_KERNEL float tessera_more_f32(const struct tessera_spread_pool* p, float sum, float value) {
  (void)p;
  return sum + value;
}

TESSERA_KERNEL float tessera_more_i8(const struct tessera_spread_pool* p, float sum, float value) {
  return sum + p->scale_in * (value - (float)p->zero_in);
}

TESSERA_KERNEL float tessera_greater_of(const struct tessera_spread_pool* p, float a, float b) {
  (void)p;
  return a < b ? b : a;
}

TESSERA_KERNEL void tessera_average_f32(const struct tessera_spread_pool* p, float sum, float cells,
                                        uint8_t* out) {
  (void)p;
  tessera_put_f32(out, 0, sum / cells);
}

TESSERA_KERNEL void tessera_average_i8(const struct tessera_spread_pool* p, float sum, float cells,
                                       uint8_t* out) {
  const float exact = sum / cells / p->scale_out + (float)(p->zero_out + p->base);
  const float value = tessera_round_even(exact) - (float)p->base;
  tessera_put_i8(out, 0, (int32_t)tessera_clamp_f32(value, -128.0F, 127.0F));
}

TESSERA_KERNEL void tessera_greatest_of_f32(const struct tessera_spread_pool* p, float greatest,
                                            float cells, uint8_t* out) {
  (void)p;
  (void)cells;
  tessera_put_f32(out, 0, greatest);
}

TESSERA_KERNEL void tessera_greatest_of_i8(const struct tessera_spread_pool* p, float greatest,
                                           float cells, uint8_t* out) {
  (void)p;
  (void)cells;
  tessera_put_i8(out, 0, (int32_t)greatest);
}

TESSERA_KERNEL float tessera_byte_as_float(const uint8_t* data, int32_t i) {
  return (float)tessera_get_i8(data, i);
}
#define tessera_get_byte tessera_byte_as_float

TESSERA_SPREAD_POOL(tessera_average_pool_f32, float, f32, 0.0F, tessera_more_f32,
                    tessera_average_f32, 4)
TESSERA_SPREAD_POOL(tessera_average_pool_i8, float, byte, 0.0F, tessera_more_i8, tessera_average_i8,
                    1)
TESSERA_SPREAD_POOL(tessera_max_pool_f32, float, f32, -3.402823466e+38F, tessera_greater_of,
                    tessera_greatest_of_f32, 4)
TESSERA_SPREAD_POOL(tessera_max_pool_i8, float, byte, -128.0F, tessera_greater_of,
                    tessera_greatest_of_i8, 1)

/* Convolutions and fully connected layers of floats and of numbers of 32 bits. */
#include "real.h"
#include "window.h"

/* Fully connected layers are windows of one pixel. */
struct tessera_numbers {
  struct tessera_window window;
  int32_t pictures;
  int32_t depthwise;
  int32_t inputs;      /* that one output sees */
  int32_t by_group;    /* outputs that see the same ones */
  const float* scales; /* of weights of bytes */
  int32_t scale_step;  /* 0: one for all outputs, 1 */
  float low;
  float high;
};

/* A kernel: `value` and `weight` are indices, `product` what they give, `last` the result of the
 * sum for output `k`. */
#define TESSERA_WEIGHTED(name, type, product, last)                                            \
  TESSERA_KERNEL void name(const struct tessera_numbers* p, const uint8_t* in,                 \
                           const uint8_t* weights, const uint8_t* bias, uint8_t* out) {        \
    const struct tessera_window* g = &p->window;                                               \
    const int32_t taps = g->kernel_h * g->kernel_w;                                            \
    int32_t picture, oy, ox, k, ky, kx, c;                                                     \
    (void)bias;                                                                                \
    for (picture = 0; picture < p->pictures; ++picture) {                                      \
      const int32_t base = picture * g->height * g->width * g->channels;                       \
      for (oy = 0; oy < g->rows; ++oy) {                                                       \
        for (ox = 0; ox < g->cols; ++ox) {                                                     \
          for (k = 0; k < g->outputs; ++k) {                                                   \
            type sum = 0;                                                                      \
            for (ky = 0; ky < g->kernel_h; ++ky) {                                             \
              const int32_t y = oy * g->stride_h - g->top + ky * g->dilation_h;                \
              for (kx = 0; kx < g->kernel_w; ++kx) {                                           \
                const int32_t x = ox * g->stride_w - g->left + kx * g->dilation_w;             \
                const int32_t tap = ky * g->kernel_w + kx;                                     \
                int32_t value, weight;                                                         \
                if (y < 0 || y >= g->height || x < 0 || x >= g->width) {                       \
                  continue;                                                                    \
                }                                                                              \
                value = base + (y * g->width + x) * g->channels + k / p->by_group * p->inputs; \
                weight = p->depthwise ? tap * g->outputs + k : (k * taps + tap) * p->inputs;   \
                for (c = 0; c < p->inputs; ++c) {                                              \
                  sum += product;                                                              \
                  ++value;                                                                     \
                  ++weight;                                                                    \
                }                                                                              \
              }                                                                                \
            }                                                                                  \
            last;                                                                              \
            out += 4;                                                                          \
          }                                                                                    \
        }                                                                                      \
      }                                                                                        \
    }                                                                                          \
  }

TESSERA_KERNEL void tessera_give_f32(const struct tessera_numbers* p, float value,
                                     const uint8_t* bias, int32_t k, uint8_t* out) {
  const float more = bias != 0 ? tessera_get_f32(bias, k) : 0.0F;
  tessera_put_f32(out, 0, tessera_clamp_f32(value + more, p->low, p->high));
}

/* Sums wrap. */
TESSERA_WEIGHTED(tessera_weighted_i32, uint32_t,
                 tessera_get_u32(in, value) * tessera_get_u32(weights, weight),
                 tessera_put_u32(out, 0, sum))
TESSERA_WEIGHTED(tessera_weighted_f32, float,
                 tessera_get_f32(in, value) * tessera_get_f32(weights, weight),
                 tessera_give_f32(p, sum, bias, k, out))
/* By weights of bytes. */
TESSERA_WEIGHTED(tessera_weighted_f32_i8, float,
                 tessera_get_f32(in, value) * (float)tessera_get_i8(weights, weight),
                 tessera_give_f32(p, sum * p->scales[k * p->scale_step], bias, k, out))

/* Convolutions and fully connected layers of bytes. */
#include "fixed_point.h"
#include "window.h"

/* What all of them share. Factors: one for all outputs, or one each. */
struct tessera_weighted {
  int32_t zero_in;
  int32_t zero_out;
  int32_t low;
  int32_t high;
  int32_t rounding;
  int32_t weight_bytes; /* 1, or 2 */
  int32_t factor_step;  /* 0 or 1 */
  const struct tessera_factor* factors;
};

struct tessera_convolution_parameters {
  struct tessera_weighted w;
  struct tessera_window window;
  int32_t group_channels; /* that one output sees; depthwise: outputs of one channel */
  int32_t group_outputs;
};

/* Sum of weight * (value - zero point), which wraps. */
TESSERA_KERNEL uint32_t tessera_dot(const struct tessera_weighted* w, const uint8_t* in,
                                    const uint8_t* weights, int32_t first, int32_t count) {
  int32_t products = 0;
  int32_t sum = 0;
  int32_t i;
  if (w->weight_bytes == 1) {
    for (i = 0; i < count; ++i) {
      const int32_t weight = tessera_get_i8(weights, first + i);
      products += tessera_get_i8(in, i) * weight;
      sum += weight;
    }
  } else {
    for (i = 0; i < count; ++i) {
      const int32_t weight = tessera_get_i16(weights, first + i);
      products += tessera_get_i8(in, i) * weight;
      sum += weight;
    }
  }
  return (uint32_t)products - (uint32_t)w->zero_in * (uint32_t)sum;
}

TESSERA_KERNEL uint32_t tessera_bias(const uint8_t* bias, int32_t k) {
  return bias != 0 ? tessera_get_u32(bias, k) : 0u;
}

TESSERA_KERNEL void tessera_finish(const struct tessera_weighted* w, uint32_t sum, int32_t k,
                                   uint8_t* out) {
  const int32_t value =
      tessera_requantise((int32_t)sum, w->factors[k * w->factor_step], w->zero_out, w->rounding);
  tessera_put_i8(out, 0, tessera_clamp(value, w->low, w->high));
}

TESSERA_KERNEL void tessera_convolution(const struct tessera_convolution_parameters* p,
                                        const uint8_t* in, const uint8_t* weights,
                                        const uint8_t* bias, uint8_t* out) {
  const struct tessera_window* g = &p->window;
  const int32_t channels = p->group_channels;
  int32_t oy, ox, k, ky, kx;
  for (oy = 0; oy < g->rows; ++oy) {
    for (ox = 0; ox < g->cols; ++ox) {
      for (k = 0; k < g->outputs; ++k) {
        uint32_t sum = tessera_bias(bias, k);
        for (ky = 0; ky < g->kernel_h; ++ky) {
          const int32_t y = oy * g->stride_h - g->top + ky * g->dilation_h;
          for (kx = 0; kx < g->kernel_w; ++kx) {
            const int32_t x = ox * g->stride_w - g->left + kx * g->dilation_w;
            if (y >= 0 && y < g->height && x >= 0 && x < g->width) {
              const int32_t pixel =
                  (y * g->width + x) * g->channels + k / p->group_outputs * channels;
              const int32_t tap = ((k * g->kernel_h + ky) * g->kernel_w + kx) * channels;
              sum += tessera_dot(&p->w, in + pixel, weights, tap, channels);
            }
          }
        }
        tessera_finish(&p->w, sum, k, out++);
      }
    }
  }
}

TESSERA_KERNEL void tessera_depthwise(const struct tessera_convolution_parameters* p,
                                      const uint8_t* in, const uint8_t* weights,
                                      const uint8_t* bias, uint8_t* out) {
  const struct tessera_window* g = &p->window;
  int32_t oy, ox, k, ky, kx;
  for (oy = 0; oy < g->rows; ++oy) {
    for (ox = 0; ox < g->cols; ++ox) {
      for (k = 0; k < g->outputs; ++k) {
        uint32_t sum = tessera_bias(bias, k);
        for (ky = 0; ky < g->kernel_h; ++ky) {
          const int32_t y = oy * g->stride_h - g->top + ky * g->dilation_h;
          for (kx = 0; kx < g->kernel_w; ++kx) {
            const int32_t x = ox * g->stride_w - g->left + kx * g->dilation_w;
            if (y >= 0 && y < g->height && x >= 0 && x < g->width) {
              const int32_t pixel = (y * g->width + x) * g->channels + k / p->group_channels;
              const int32_t tap = (ky * g->kernel_w + kx) * g->outputs + k;
              sum += tessera_dot(&p->w, in + pixel, weights, tap, 1);
            }
          }
        }
        tessera_finish(&p->w, sum, k, out++);
      }
    }
  }
}

/* The input's place that feeds an output through a tap, or -1. */
TESSERA_KERNEL int32_t tessera_source(int32_t at, int32_t tap, int32_t stride, int32_t extent) {
  const int32_t offset = at - tap;
  return offset >= 0 && offset % stride == 0 && offset / stride < extent ? offset / stride : -1;
}

TESSERA_KERNEL void tessera_transposed_convolution(const struct tessera_convolution_parameters* p,
                                                   const uint8_t* in, const uint8_t* weights,
                                                   const uint8_t* bias, uint8_t* out) {
  const struct tessera_window* g = &p->window;
  int32_t oy, ox, k, ky, kx;
  for (oy = 0; oy < g->rows; ++oy) {
    for (ox = 0; ox < g->cols; ++ox) {
      for (k = 0; k < g->outputs; ++k) {
        uint32_t sum = tessera_bias(bias, k);
        for (ky = 0; ky < g->kernel_h; ++ky) {
          const int32_t y = tessera_source(oy + g->top, ky, g->stride_h, g->height);
          for (kx = 0; y >= 0 && kx < g->kernel_w; ++kx) {
            const int32_t x = tessera_source(ox + g->left, kx, g->stride_w, g->width);
            if (x >= 0) {
              const int32_t pixel = (y * g->width + x) * g->channels;
              const int32_t tap = ((k * g->kernel_h + ky) * g->kernel_w + kx) * g->channels;
              sum += tessera_dot(&p->w, in + pixel, weights, tap, g->channels);
            }
          }
        }
        tessera_finish(&p->w, sum, k, out++);
      }
    }
  }
}

struct tessera_fully_connected_parameters {
  struct tessera_weighted w;
  int32_t rows;
  int32_t channels;
  int32_t outputs;
};

TESSERA_KERNEL void tessera_fully_connected(const struct tessera_fully_connected_parameters* p,
                                            const uint8_t* in, const uint8_t* weights,
                                            const uint8_t* bias, uint8_t* out) {
  int32_t row, k;
  for (row = 0; row < p->rows; ++row) {
    for (k = 0; k < p->outputs; ++k) {
      const uint32_t sum =
          tessera_bias(bias, k) + tessera_dot(&p->w, in, weights, k * p->channels, p->channels);
      tessera_finish(&p->w, sum, k, out++);
    }
    in += p->channels;
  }
}

/* Pools of bytes, in integers. */
#include "fixed_point.h"
#include "window.h"

/* Averages into another scale have a factor for each number of cells, from 1 on. */
struct tessera_pool_parameters {
  struct tessera_window window;
  int32_t greatest; /* not the average */
  int32_t base;     /* added to each value before averages are rounded */
  const struct tessera_factor* factors;
  int32_t zero_in;
  int32_t zero_out;
  int32_t rounding;
  int32_t low;
  int32_t high;
};

TESSERA_KERNEL int32_t tessera_average(const struct tessera_pool_parameters* p, int32_t sum,
                                       int32_t cells) {
  const int32_t total = sum + p->base * cells;
  if (p->factors != 0) {
    return tessera_requantise(sum - cells * p->zero_in, p->factors[cells - 1], p->zero_out,
                              p->rounding);
  }
  return (total > 0 ? total + cells / 2 : total - cells / 2) / cells - p->base;
}

TESSERA_KERNEL void tessera_pool(const struct tessera_pool_parameters* p, const uint8_t* in,
                                 uint8_t* out) {
  const struct tessera_window* g = &p->window;
  int32_t oy, ox, c, y, x;
  for (oy = 0; oy < g->rows; ++oy) {
    const int32_t top = oy * g->stride_h - g->top;
    const int32_t y0 = top > 0 ? top : 0;
    const int32_t y1 = top + g->kernel_h < g->height ? top + g->kernel_h : g->height;
    for (ox = 0; ox < g->cols; ++ox) {
      const int32_t left = ox * g->stride_w - g->left;
      const int32_t x0 = left > 0 ? left : 0;
      const int32_t x1 = left + g->kernel_w < g->width ? left + g->kernel_w : g->width;
      const int32_t seen = (y1 - y0) * (x1 - x0);
      for (c = 0; c < g->channels; ++c) {
        int32_t sum = 0;
        int32_t greatest = -128;
        int32_t value;
        for (y = y0; y < y1; ++y) {
          for (x = x0; x < x1; ++x) {
            value = tessera_get_i8(in, (y * g->width + x) * g->channels + c);
            sum += value;
            greatest = greatest < value ? value : greatest;
          }
        }
        value = p->greatest ? greatest : tessera_average(p, sum, seen > 1 ? seen : 1);
        tessera_put_i8(out++, 0, tessera_clamp(value, p->low, p->high));
      }
    }
  }
}

/* Bilinear interpolation in floats. */
#include "real.h"

/* Two neighbours, as rows or columns of the input, and both their shares. */
struct tessera_real_place {
  int32_t low;
  int32_t high;
  float to_low;  /* the second one's share */
  float to_high; /* the first one's */
};

struct tessera_resize_real_parameters {
  int32_t pictures;
  int32_t height;
  int32_t width;
  int32_t channels;
  int32_t rows;
  int32_t cols;
  const struct tessera_real_place* row;
  const struct tessera_real_place* col;
  int32_t shares_first; /* shares are multiplied with each other first, rows' second */
  int32_t bytes;        /* not floats */
  int32_t base;         /* added to bytes */
};

TESSERA_KERNEL float tessera_pixel(const struct tessera_resize_real_parameters* p,
                                   const uint8_t* in, int32_t i) {
  return p->bytes ? (float)(tessera_get_i8(in, i) + p->base) : tessera_get_f32(in, i);
}

TESSERA_KERNEL float tessera_between_real(const struct tessera_resize_real_parameters* p, float a,
                                          float b, float c, float d,
                                          const struct tessera_real_place* v,
                                          const struct tessera_real_place* h) {
  if (p->shares_first) {
    return h->to_high * v->to_high * a + h->to_low * v->to_high * b + h->to_high * v->to_low * c +
           h->to_low * v->to_low * d;
  }
  return a * v->to_high * h->to_high + c * v->to_low * h->to_high + b * v->to_high * h->to_low +
         d * v->to_low * h->to_low;
}

TESSERA_KERNEL void tessera_resize_real(const struct tessera_resize_real_parameters* p,
                                        const uint8_t* in, uint8_t* out) {
  int32_t n, y, x, c;
  int32_t o = 0;
  for (n = 0; n < p->pictures; ++n) {
    for (y = 0; y < p->rows; ++y) {
      const struct tessera_real_place* v = &p->row[y];
      const int32_t low = (n * p->height + v->low) * p->width;
      const int32_t high = (n * p->height + v->high) * p->width;
      for (x = 0; x < p->cols; ++x) {
        const struct tessera_real_place* h = &p->col[x];
        for (c = 0; c < p->channels; ++c) {
          const float sum =
              tessera_between_real(p, tessera_pixel(p, in, (low + h->low) * p->channels + c),
                                   tessera_pixel(p, in, (low + h->high) * p->channels + c),
                                   tessera_pixel(p, in, (high + h->low) * p->channels + c),
                                   tessera_pixel(p, in, (high + h->high) * p->channels + c), v, h);
          if (!p->bytes) {
            tessera_put_f32(out, o, sum);
          } else {
            const float whole = p->shares_first ? sum : tessera_floor(sum + 0.5F);
            tessera_put_i8(out, o, (int32_t)whole - p->base);
          }
          ++o;
        }
      }
    }
  }
}

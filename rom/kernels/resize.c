/* Bilinear interpolation of bytes, in integers. */
#include "elements.h"

/* Two neighbours, as rows or columns of the input, and the second one's share. */
struct tessera_place {
  int32_t low;
  int32_t high;
  int32_t share;
};

struct tessera_resize_parameters {
  int32_t pictures;
  int32_t height;
  int32_t width;
  int32_t channels;
  int32_t rows;
  int32_t cols;
  const struct tessera_place* row;
  const struct tessera_place* col;
  int32_t bits; /* shares are of 2^bits: 10 as TensorFlow Lite rounds, 11 as XNNPACK does */
};

TESSERA_KERNEL int32_t tessera_between(const struct tessera_resize_parameters* p, int32_t a,
                                       int32_t b, int32_t c, int32_t d,
                                       const struct tessera_place* v,
                                       const struct tessera_place* h) {
  if (p->bits == 11) {
    const int32_t top = a * 2048 + (b - a) * h->share;
    const int32_t bottom = c * 2048 + (d - c) * h->share;
    return (top * 2048 + (bottom - top) * v->share + (1 << 21)) >> 22;
  } else {
    const int64_t left = 1024 - h->share;
    const int64_t sum = a * (1024 - v->share) * left + c * (int64_t)v->share * left +
                        b * (int64_t)(1024 - v->share) * h->share +
                        d * (int64_t)v->share * h->share;
    return (int32_t)((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
  }
}

TESSERA_KERNEL void tessera_resize(const struct tessera_resize_parameters* p, const uint8_t* in,
                                   uint8_t* out) {
  int32_t n, y, x, c;
  for (n = 0; n < p->pictures; ++n) {
    for (y = 0; y < p->rows; ++y) {
      const struct tessera_place* v = &p->row[y];
      const uint8_t* low = in + v->low * p->width * p->channels;
      const uint8_t* high = in + v->high * p->width * p->channels;
      for (x = 0; x < p->cols; ++x) {
        const struct tessera_place* h = &p->col[x];
        const int32_t left = h->low * p->channels;
        const int32_t right = h->high * p->channels;
        for (c = 0; c < p->channels; ++c) {
          const int32_t value = tessera_between(
              p, tessera_get_i8(low, left + c), tessera_get_i8(low, right + c),
              tessera_get_i8(high, left + c), tessera_get_i8(high, right + c), v, h);
          tessera_put_i8(out++, 0, value);
        }
      }
    }
    in += p->height * p->width * p->channels;
  }
}

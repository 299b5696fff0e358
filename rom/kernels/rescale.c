/* Sums of bytes into the output's scale: means and sums of whole numbers. */
#include "fixed_point.h"

struct tessera_rescale_parameters {
  int32_t count;
  int32_t zero_sum; /* of all the zero points in a sum */
  struct tessera_factor factor;
  int32_t zero_point;
  int32_t rounding;
};

/* From `sums` of 32 bits. */
TESSERA_KERNEL void tessera_rescale(const struct tessera_rescale_parameters* p, const uint8_t* sums,
                                    uint8_t* out) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
    const int32_t centred = tessera_get_i32(sums, i) - p->zero_sum;
    const int32_t value = tessera_requantise(centred, p->factor, p->zero_point, p->rounding);
    tessera_put_i8(out, i, tessera_clamp(value, -128, 127));
  }
}

/* Pads that repeat what lies inside their border. */
#include "loops.h"

/* By dimension: its extent there and here, bytes from one to the next, elements before it. */
struct tessera_mirror_axis {
  int32_t from;
  int32_t to;
  int32_t step;
  int32_t before;
};

struct tessera_mirror_pad_parameters {
  int32_t rank;
  const struct tessera_mirror_axis* axes;
  int32_t edge; /* 1: the border itself is repeated, too */
  int32_t size; /* of an element, in bytes */
  int32_t count;
};

TESSERA_KERNEL void tessera_mirror_pad(const struct tessera_mirror_pad_parameters* p,
                                       const uint8_t* in, uint8_t* out) {
  int32_t at[TESSERA_MOST_LOOPS];
  int32_t i, d;
  for (d = 0; d < p->rank; ++d) {
    at[d] = 0;
  }
  for (i = 0; i < p->count; ++i) {
    int32_t offset = 0;
    for (d = 0; d < p->rank; ++d) {
      const struct tessera_mirror_axis* axis = &p->axes[d];
      int32_t place = at[d] - axis->before;
      place = place < 0 ? -place - p->edge : place;
      place = place >= axis->from ? 2 * axis->from - 2 - place + p->edge : place;
      offset += place * axis->step;
    }
    tessera_copy(in + offset, out, p->size);
    out += p->size;
    for (d = p->rank - 1; d >= 0; --d) {
      if (++at[d] < p->axes[d].to) {
        break;
      }
      at[d] = 0;
    }
  }
}

/* One of two elements, as a truth value says. */
#include "loops.h"

/* Steps are in elements: of the truth values, then of both choices. */
struct tessera_select_parameters {
  struct tessera_loops loops;
  int32_t size; /* of an element, in bytes */
};

TESSERA_KERNEL void tessera_select(const struct tessera_select_parameters* p, const uint8_t* truth,
                                   const uint8_t* yes, const uint8_t* no, uint8_t* out) {
  const struct tessera_loop* inner = &p->loops.loops[p->loops.rank - 1];
  struct tessera_walk walk;
  tessera_begin(&p->loops, &walk);
  do {
    int32_t i;
    for (i = 0; i < inner->count; ++i) {
      const int32_t a = walk.offset[1] + i * inner->step[1];
      const int32_t b = walk.offset[2] + i * inner->step[2];
      const int chosen = truth[walk.offset[0] + i * inner->step[0]] != 0u;
      tessera_copy(chosen ? yes + a * p->size : no + b * p->size, out, p->size);
      out += p->size;
    }
  } while (tessera_next(&p->loops, &walk));
}

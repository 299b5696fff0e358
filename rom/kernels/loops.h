/* Nested loops over the elements of up to three tensors. */
#ifndef TESSERA_LOOPS_H
#define TESSERA_LOOPS_H

#include "elements.h"

enum { TESSERA_MOST_LOOPS = 12 };

/* How often, and how far each turn goes in each tensor. */
struct tessera_loop {
  int32_t count;
  int32_t step[3];
};

/* The outermost first; at least one. */
struct tessera_loops {
  int32_t rank;
  const struct tessera_loop* loops;
  int32_t start[3];
};

/* Where all loops but the innermost are: `offset` by tensor. */
struct tessera_walk {
  int32_t at[TESSERA_MOST_LOOPS];
  int32_t offset[3];
};

TESSERA_KERNEL void tessera_begin(const struct tessera_loops* loops, struct tessera_walk* walk) {
  int32_t i;
  for (i = 0; i < loops->rank; ++i) {
    walk->at[i] = 0;
  }
  for (i = 0; i < 3; ++i) {
    walk->offset[i] = loops->start[i];
  }
}

/* Whether there is another row: the next turn of all loops but the innermost. */
TESSERA_KERNEL int tessera_next(const struct tessera_loops* loops, struct tessera_walk* walk) {
  int32_t d;
  for (d = loops->rank - 2; d >= 0; --d) {
    const struct tessera_loop* loop = &loops->loops[d];
    int32_t i;
    const int more = ++walk->at[d] < loop->count;
    for (i = 0; i < 3; ++i) {
      walk->offset[i] += more ? loop->step[i] : -loop->step[i] * (loop->count - 1);
    }
    if (more) {
      return 1;
    }
    walk->at[d] = 0;
  }
  return 0;
}

#endif

/* Moves of elements of any type, and functions of one byte as tables. */
#include "loops.h"

/* Runs of `size` bytes; steps are in bytes: of the source, then of the destination. */
struct tessera_move_parameters {
  struct tessera_loops loops;
  int32_t size;
};

TESSERA_KERNEL void tessera_move(const struct tessera_move_parameters* p, const uint8_t* in,
                                 uint8_t* out) {
  const struct tessera_loop* inner = &p->loops.loops[p->loops.rank - 1];
  struct tessera_walk walk;
  tessera_begin(&p->loops, &walk);
  do {
    const uint8_t* from = in + walk.offset[0];
    uint8_t* to = out + walk.offset[1];
    int32_t i;
    for (i = 0; i < inner->count; ++i) {
      tessera_copy(from, to, p->size);
      from += inner->step[0];
      to += inner->step[1];
    }
  } while (tessera_next(&p->loops, &walk));
}

/* The same of single bytes, each replaced by the table's entry for it. */
TESSERA_KERNEL void tessera_move_lookup(const struct tessera_move_parameters* p,
                                        const uint8_t* table, const uint8_t* in, uint8_t* out) {
  const struct tessera_loop* inner = &p->loops.loops[p->loops.rank - 1];
  struct tessera_walk walk;
  tessera_begin(&p->loops, &walk);
  do {
    const uint8_t* from = in + walk.offset[0];
    uint8_t* to = out + walk.offset[1];
    int32_t i;
    for (i = 0; i < inner->count; ++i) {
      to[i * inner->step[1]] = table[from[i * inner->step[0]]];
    }
  } while (tessera_next(&p->loops, &walk));
}

/* A function of one byte: `table` has its 256 values in the order of bytes without a sign. */
TESSERA_KERNEL void tessera_lookup(const uint8_t* table, int32_t count, const uint8_t* in,
                                   uint8_t* out) {
  int32_t i;
  for (i = 0; i < count; ++i) {
    out[i] = table[in[i]];
  }
}

/* `count` elements of `size` bytes, all of them `value`. */
TESSERA_KERNEL void tessera_fill(const uint8_t* value, int32_t size, int32_t count, uint8_t* out) {
  int32_t i;
  for (i = 0; i < count; ++i) {
    tessera_copy(value, out, size);
    out += size;
  }
}

/* Element [y][x][z] of the output is that of the input at rows[y] + cols[x] + z, in runs of `size`
 * bytes; the places are in bytes. */
struct tessera_places {
  int32_t outer;
  int32_t outer_step;
  int32_t rows;
  int32_t cols;
  const int32_t* row;
  const int32_t* col;
  int32_t size;
};

TESSERA_KERNEL void tessera_move_from_places(const struct tessera_places* p, const uint8_t* in,
                                             uint8_t* out) {
  int32_t n, y, x;
  for (n = 0; n < p->outer; ++n) {
    for (y = 0; y < p->rows; ++y) {
      for (x = 0; x < p->cols; ++x) {
        tessera_copy(in + p->row[y] + p->col[x], out, p->size);
        out += p->size;
      }
    }
    in += p->outer_step;
  }
}

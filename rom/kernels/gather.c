/* Elements at indices that another tensor holds. */
#include "elements.h"

/* `size` bytes lie together. Of each batch and each outer element `count` of `extent` are taken. */
struct tessera_gather_parameters {
  int32_t batches;
  int32_t outer;
  int32_t count;
  int32_t extent;
  int32_t size;
  int32_t wide; /* indices of 64 bits */
};

TESSERA_KERNEL int64_t tessera_index(const uint8_t* indices, int32_t i, int32_t wide) {
  return wide ? tessera_get_i64(indices, i) : tessera_get_i32(indices, i);
}

/* Whether an index was outside: the output is not complete then. Negative ones count from the end.
 */
TESSERA_KERNEL int tessera_gather(const struct tessera_gather_parameters* p, const uint8_t* in,
                                  const uint8_t* indices, uint8_t* out) {
  int32_t b, o, i;
  for (b = 0; b < p->batches; ++b) {
    for (o = 0; o < p->outer; ++o) {
      for (i = 0; i < p->count; ++i) {
        int64_t index = tessera_index(indices, b * p->count + i, p->wide);
        index += index < 0 ? p->extent : 0;
        if (index < 0 || index >= p->extent) {
          return 1;
        }
        tessera_copy(in + (int32_t)index * p->size, out, p->size);
        out += p->size;
      }
      in += p->extent * p->size;
    }
  }
  return 0;
}

/* Each index has `parts`: places in the input's first dimensions. */
struct tessera_gather_nd_parameters {
  int32_t count;
  int32_t parts;
  const int32_t* extents;
  int32_t size;
  int32_t wide;
};

TESSERA_KERNEL int tessera_gather_nd(const struct tessera_gather_nd_parameters* p,
                                     const uint8_t* in, const uint8_t* indices, uint8_t* out) {
  int32_t i, part;
  for (i = 0; i < p->count; ++i) {
    int32_t place = 0;
    for (part = 0; part < p->parts; ++part) {
      int64_t index = tessera_index(indices, i * p->parts + part, p->wide);
      index += index < 0 ? p->extents[part] : 0;
      if (index < 0 || index >= p->extents[part]) {
        return 1;
      }
      place = place * p->extents[part] + (int32_t)index;
    }
    tessera_copy(in + place * p->size, out, p->size);
    out += p->size;
  }
  return 0;
}

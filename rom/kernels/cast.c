/* Conversions between types. */
#include "elements.h"

enum { TESSERA_I8 = 0, TESSERA_I16, TESSERA_I32, TESSERA_F32, TESSERA_I64, TESSERA_B8 };

/* Bytes without a sign are stored 128 lower: `in_shift` and `out_shift` say so. */
struct tessera_cast_parameters {
  int32_t count;
  int32_t from;
  int32_t to;
  int32_t in_shift;
  int32_t out_shift;
};

/* Numbers beyond a range become its ends, what is no number 0. */
TESSERA_KERNEL int64_t tessera_whole_of(float value, int32_t to) {
  const double wide = (double)value;
  const double low = to == TESSERA_I8    ? -128.0
                     : to == TESSERA_B8  ? 0.0
                     : to == TESSERA_I16 ? -32768.0
                     : to == TESSERA_I32 ? -2147483648.0
                                         : -9223372036854775808.0;
  const double high = to == TESSERA_I8    ? 127.0
                      : to == TESSERA_B8  ? 255.0
                      : to == TESSERA_I16 ? 32767.0
                      : to == TESSERA_I32 ? 2147483647.0
                                          : 9223372036854775807.0;
  if (wide != wide) {
    return 0;
  }
  if (wide >= high) {
    return to == TESSERA_I64 ? INT64_MAX : (int64_t)high;
  }
  return wide <= low ? (to == TESSERA_I64 ? INT64_MIN : (int64_t)low) : (int64_t)wide;
}

TESSERA_KERNEL int64_t tessera_whole_element(const uint8_t* data, int32_t i, int32_t type) {
  switch (type) {
    case TESSERA_I8:
      return tessera_get_i8(data, i);
    case TESSERA_I16:
      return tessera_get_i16(data, i);
    case TESSERA_I32:
      return tessera_get_i32(data, i);
    case TESSERA_I64:
      return tessera_get_i64(data, i);
    default:
      return tessera_get_b8(data, i);
  }
}

TESSERA_KERNEL void tessera_put_whole(uint8_t* data, int32_t i, int64_t value, int32_t type) {
  const uint32_t low = (uint32_t)((uint64_t)value & 0xffffffffu);
  switch (type) {
    case TESSERA_I32:
      tessera_put_u32(data, i, low);
      break;
    case TESSERA_I64:
      tessera_put_i64(data, i, value);
      break;
    case TESSERA_I16:
      data[2 * i] = (uint8_t)low;
      data[2 * i + 1] = (uint8_t)(low >> 8);
      break;
    default:
      data[i] = (uint8_t)low;
  }
}

TESSERA_KERNEL void tessera_cast(const struct tessera_cast_parameters* p, const uint8_t* in,
                                 uint8_t* out) {
  int32_t i;
  for (i = 0; i < p->count; ++i) {
    const int of_float = p->from == TESSERA_F32;
    const float real = of_float ? tessera_get_f32(in, i) : 0.0F;
    const int64_t whole = of_float ? 0 : tessera_whole_element(in, i, p->from) + p->in_shift;
    const int shifted_in = p->in_shift != 0;
    if (p->to == TESSERA_F32) {
      tessera_put_f32(out, i, of_float ? real : (float)whole);
    } else if (p->to == TESSERA_B8 && !shifted_in) {
      tessera_put_b8(out, i, of_float ? real != 0.0F : whole != 0);
    } else if (p->out_shift != 0 && !shifted_in) {
      const int64_t wide = of_float ? tessera_whole_of(real, TESSERA_I32) : whole;
      tessera_put_whole(out, i, (int64_t)((uint64_t)wide & 255u) - p->out_shift, p->to);
    } else {
      tessera_put_whole(out, i, of_float ? tessera_whole_of(real, p->to) : whole, p->to);
    }
  }
}

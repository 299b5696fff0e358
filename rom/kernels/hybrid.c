/* Convolutions and fully connected layers of floats by weights of bytes: each picture, or row, is
 * quantised while it runs. */
#include "weighted_numbers.c"

struct tessera_hybrid_parameters {
  struct tessera_numbers n; /* of one picture */
  int32_t pictures;
  int32_t around_zero;
};

struct tessera_dynamic {
  float scale;
  int32_t zero_point;
};

/* Sums of weight * (byte - zero point); `room` holds the picture's bytes less their zero point, of
 * 16 bits each. */
TESSERA_WEIGHTED(tessera_weighted_sums, int32_t,
                 tessera_get_i16(in, value) * tessera_get_i8(weights, weight),
                 tessera_put_i32(out, 0, sum))

TESSERA_KERNEL void tessera_put_centred(uint8_t* room, int32_t i, int32_t value) {
  room[2 * i] = (uint8_t)((uint32_t)value & 255u);
  room[2 * i + 1] = (uint8_t)((uint32_t)value >> 8 & 255u);
}

TESSERA_KERNEL int32_t tessera_stored(float value, float least) {
  return (int32_t)tessera_clamp_f32(tessera_round_away(value), least, 127.0F);
}

/* Halves away from zero, of -128 to 127. */
TESSERA_KERNEL int32_t tessera_round_double(double x) {
  const double size = x < 0.0 ? -x : x;
  int32_t whole = (int32_t)size;
  whole += size - (double)whole >= 0.5 ? 1 : 0;
  return x < 0.0 ? -whole : whole;
}

TESSERA_KERNEL double tessera_absolute_double(double x) {
  return x < 0.0 ? -x : x;
}

TESSERA_KERNEL struct tessera_dynamic tessera_quantise_around_zero(const uint8_t* in, int32_t count,
                                                                   float least, float most,
                                                                   uint8_t* room) {
  struct tessera_dynamic q = {1.0F, 0};
  const float low = tessera_absolute(least);
  const float high = tessera_absolute(most);
  const float range = low < high ? high : low;
  int32_t i;
  if (range == 0.0F) {
    for (i = 0; i < count; ++i) {
      tessera_put_centred(room, i, 0);
    }
    return q;
  }
  q.scale = range / 127.0F;
  for (i = 0; i < count; ++i) {
    const float inverse = 127.0F / range;
    tessera_put_centred(room, i, tessera_stored(tessera_get_f32(in, i) * inverse, -127.0F));
  }
  return q;
}

TESSERA_KERNEL struct tessera_dynamic tessera_quantise_with_zero(const uint8_t* in, int32_t count,
                                                                 float first, float last,
                                                                 uint8_t* room) {
  struct tessera_dynamic q = {1.0F, 0};
  const double least = first < 0.0F ? (double)first : 0.0;
  const double most = last > 0.0F ? (double)last : 0.0;
  double scale, point;
  float inverse;
  int32_t i;
  if (least == most) {
    for (i = 0; i < count; ++i) {
      tessera_put_centred(room, i, 0);
    }
    return q;
  }
  scale = (most - least) / 255.0;
  /* From the end that loses less. */
  point =
      128.0 + tessera_absolute_double(least / scale) < 127.0 + tessera_absolute_double(most / scale)
          ? -128.0 - least / scale
          : 127.0 - most / scale;
  point = point < -128.0 ? -128.0 : 127.0 < point ? 127.0 : point;
  q.zero_point = tessera_round_double(point);
  q.scale = (float)scale;
  inverse = (float)(1.0 / (double)q.scale);
  for (i = 0; i < count; ++i) {
    const float value = (float)q.zero_point + tessera_get_f32(in, i) * inverse;
    tessera_put_centred(room, i, tessera_stored(value, -128.0F) - q.zero_point);
  }
  return q;
}

/* `room` is for two bytes of each of a picture's values. */
TESSERA_KERNEL void tessera_hybrid(const struct tessera_hybrid_parameters* p, const uint8_t* in,
                                   const uint8_t* weights, const uint8_t* bias, uint8_t* room,
                                   uint8_t* out) {
  const struct tessera_window* g = &p->n.window;
  const int32_t size = g->height * g->width * g->channels;
  const int32_t results = g->rows * g->cols * g->outputs;
  int32_t picture, i;
  for (picture = 0; picture < p->pictures; ++picture) {
    struct tessera_dynamic q;
    float least = tessera_get_f32(in, 0);
    float most = least;
    for (i = 1; i < size; ++i) {
      const float value = tessera_get_f32(in, i);
      least = value < least ? value : least;
      most = most < value ? value : most;
    }
    q = p->around_zero ? tessera_quantise_around_zero(in, size, least, most, room)
                       : tessera_quantise_with_zero(in, size, least, most, room);
    tessera_weighted_sums(&p->n, room, weights, bias, out);
    for (i = 0; i < results; ++i) {
      const int32_t k = i % g->outputs;
      const float value =
          (float)tessera_get_i32(out, i) * p->n.scales[k * p->n.scale_step] * q.scale;
      tessera_give_f32(&p->n, value, bias, k, out + 4 * i);
    }
    in += 4 * size;
    out += 4 * results;
  }
}

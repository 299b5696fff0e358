/* Elements of tensors: little-endian, at any address. */
#ifndef TESSERA_ELEMENTS_H
#define TESSERA_ELEMENTS_H

#include <stdint.h>

/* Not every program uses every kernel. */
#if defined(__GNUC__)
#define TESSERA_KERNEL static __attribute__((unused))
#else
#define TESSERA_KERNEL static
#endif

TESSERA_KERNEL int32_t tessera_get_i8(const uint8_t* data, int32_t i) {
  return (int8_t)data[i];
}

TESSERA_KERNEL int32_t tessera_get_b8(const uint8_t* data, int32_t i) {
  return data[i];
}

TESSERA_KERNEL int32_t tessera_get_i16(const uint8_t* data, int32_t i) {
  const uint8_t* at = data + 2 * i;
  return (int16_t)(uint16_t)(at[0] | at[1] << 8);
}

TESSERA_KERNEL uint32_t tessera_get_u32(const uint8_t* data, int32_t i) {
  const uint8_t* at = data + 4 * i;
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

TESSERA_KERNEL int32_t tessera_get_i32(const uint8_t* data, int32_t i) {
  return (int32_t)tessera_get_u32(data, i);
}

TESSERA_KERNEL int64_t tessera_get_i64(const uint8_t* data, int32_t i) {
  const uint64_t low = tessera_get_u32(data, 2 * i);
  return (int64_t)(low | (uint64_t)tessera_get_u32(data, 2 * i + 1) << 32);
}

TESSERA_KERNEL float tessera_float_of_bits(uint32_t bits) {
  union {
    uint32_t bits;
    float value;
  } both;
  both.bits = bits;
  return both.value;
}

TESSERA_KERNEL uint32_t tessera_bits_of_float(float value) {
  union {
    uint32_t bits;
    float value;
  } both;
  both.value = value;
  return both.bits;
}

TESSERA_KERNEL float tessera_get_f32(const uint8_t* data, int32_t i) {
  return tessera_float_of_bits(tessera_get_u32(data, i));
}

TESSERA_KERNEL void tessera_put_i8(uint8_t* data, int32_t i, int32_t value) {
  data[i] = (uint8_t)value;
}

TESSERA_KERNEL void tessera_put_b8(uint8_t* data, int32_t i, int32_t value) {
  data[i] = (uint8_t)value;
}

TESSERA_KERNEL void tessera_put_u32(uint8_t* data, int32_t i, uint32_t value) {
  uint8_t* at = data + 4 * i;
  at[0] = (uint8_t)value;
  at[1] = (uint8_t)(value >> 8);
  at[2] = (uint8_t)(value >> 16);
  at[3] = (uint8_t)(value >> 24);
}

TESSERA_KERNEL void tessera_put_i32(uint8_t* data, int32_t i, int32_t value) {
  tessera_put_u32(data, i, (uint32_t)value);
}

TESSERA_KERNEL void tessera_put_i64(uint8_t* data, int32_t i, int64_t value) {
  tessera_put_u32(data, 2 * i, (uint32_t)((uint64_t)value & 0xffffffffu));
  tessera_put_u32(data, 2 * i + 1, (uint32_t)((uint64_t)value >> 32));
}

TESSERA_KERNEL void tessera_put_f32(uint8_t* data, int32_t i, float value) {
  tessera_put_u32(data, i, tessera_bits_of_float(value));
}

TESSERA_KERNEL int32_t tessera_clamp(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : high < value ? high : value;
}

TESSERA_KERNEL void tessera_copy(const uint8_t* from, uint8_t* to, int32_t bytes) {
  int32_t i;
  for (i = 0; i < bytes; ++i) {
    to[i] = from[i];
  }
}

#endif

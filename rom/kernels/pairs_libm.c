/* Operators of two floats that need the mathematical library. */
#include <math.h>

#include "pairs_numbers.c"

TESSERA_KERNEL float tessera_floor_rest_f32(float a, float b) {
  const float rest = fmodf(a, b);
  return rest != 0.0F && (rest < 0.0F) != (b < 0.0F) ? rest + b : rest;
}

TESSERA_PAIRS(tessera_floor_mod_f32, float, f32, f32, tessera_floor_rest_f32(a, b))
TESSERA_PAIRS(tessera_pow_f32, float, f32, f32, powf(a, b))

/* Operators of one float that need the mathematical library. */
#include <math.h>

#include "singles.c"

TESSERA_SINGLES(tessera_sqrt_f32, float, f32, sqrtf(a))
TESSERA_SINGLES(tessera_rsqrt_f32, float, f32, 1.0F / sqrtf(a))
TESSERA_SINGLES(tessera_exp_f32, float, f32, expf(a))
TESSERA_SINGLES(tessera_log_f32, float, f32, logf(a))
TESSERA_SINGLES(tessera_sin_f32, float, f32, sinf(a))
TESSERA_SINGLES(tessera_cos_f32, float, f32, cosf(a))
TESSERA_SINGLES(tessera_elu_f32, float, f32, a < 0.0F ? p->first * expm1f(a) : a)
TESSERA_SINGLES(tessera_erf_f32, float, f32, erff(a))
TESSERA_SINGLES(tessera_logistic_f32, float, f32, 1.0F / (1.0F + expf(-a)))
TESSERA_SINGLES(tessera_tanh_f32, float, f32, tanhf(a))
TESSERA_SINGLES(tessera_gelu_f32, float, f32, 0.5F * a * (1.0F + erff(a * 0.70710678118654752F)))

/* By the hyperbolic tangent; sqrt(2 / pi) in double precision. */
TESSERA_KERNEL float tessera_gelu_of(float a) {
  const double factor = 1.12837916709551257390 * 0.70710678118654752440;
  const float cubic = a + 0.044715F * a * a * a;
  return 0.5F * a * (1.0F + tanhf((float)(factor * (double)cubic)));
}

TESSERA_SINGLES(tessera_gelu_by_tanh_f32, float, f32, tessera_gelu_of(a))

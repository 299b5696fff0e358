/* The logarithm of softmax of bytes along the last axis, in integers. */
#include "fixed_functions.h"

struct tessera_log_softmax_parameters {
  int32_t rows;
  int32_t depth;
  /* By the distance from the greatest value: exp() in Q12.19, up to `distances` of them, and the
   * distance itself in Q5.26, for all 256. */
  int32_t distances;
  const int32_t* exponentials;
  const int32_t* scaled;
  int32_t least; /* distance that counts, negative */
  struct tessera_factor back;
};

/* log(x) for x >= 1 of 12 integer bits to 5: x is a power of two, in quarters, times r; a quotient
 * of polynomials in r - 2^(-1/4) is r's logarithm. Constants in Q0.31. */
TESSERA_KERNEL int32_t tessera_log_of_sum(int32_t x) {
  const int32_t fourth_root = 1805811301; /* of 1/2 */
  const int32_t root = 1518500250;        /* of 1/2 */
  const int32_t quarter = 1 << 23;
  const int32_t zeros_a = tessera_leading_zeros((uint32_t)x);
  const int32_t r_a =
      tessera_shift_left(tessera_high_multiply(tessera_shift_left(x, zeros_a - 1), root), 1);
  const int32_t power_a = tessera_saturate((int64_t)(12 - zeros_a) * (1 << 25) + quarter);
  const int32_t room_b = tessera_leading_zeros((uint32_t)tessera_high_multiply(x, root)) - 1;
  const int32_t r_b = tessera_shift_left(x, room_b);
  const int32_t power_b = tessera_saturate((int64_t)(12 - room_b) * (1 << 25) - quarter);
  const int32_t r = r_b < r_a ? r_b : r_a;
  const int32_t power = power_a < power_b ? power_b : power_a;
  const int32_t p = tessera_half_sum(r, fourth_root);
  const int32_t q = 2 * (r - fourth_root);
  const int32_t square = tessera_high_multiply(q, q);
  const int32_t above = tessera_high_multiply(q, r) +
                        tessera_high_multiply(tessera_high_multiply(q, square), 117049297);
  const int32_t below =
      tessera_high_multiply(p, 1057819769 + q + tessera_high_multiply(127690142, square)) +
      tessera_high_multiply(638450708, q);
  return tessera_shift_left(
      tessera_high_multiply(power, 1488522236) +
          tessera_high_multiply(tessera_shift_right(above, 6), tessera_one_over_one_plus(below)),
      1);
}

TESSERA_KERNEL void tessera_log_softmax(const struct tessera_log_softmax_parameters* p,
                                        const uint8_t* in, uint8_t* out) {
  int32_t row, c;
  for (row = 0; row < p->rows; ++row) {
    int32_t greatest = -128;
    int64_t sum = 0;
    int32_t log_sum, nothing;
    for (c = 0; c < p->depth; ++c) {
      const int32_t value = tessera_get_i8(in, c);
      greatest = greatest < value ? value : greatest;
    }
    for (c = 0; c < p->depth; ++c) {
      const int32_t distance = greatest - tessera_get_i8(in, c);
      if (distance < p->distances) {
        sum += p->exponentials[distance];
      }
    }
    log_sum = tessera_log_of_sum(sum > INT32_MAX ? INT32_MAX : (int32_t)sum);
    nothing = tessera_scale((int32_t)((uint32_t)log_sum + 0x80000000u), p->back);
    nothing = nothing < p->least - 1 ? p->least - 1 : nothing;
    for (c = 0; c < p->depth; ++c) {
      const int32_t distance = greatest - tessera_get_i8(in, c);
      const int32_t value =
          -distance > nothing ? tessera_shift_right(p->scaled[distance] - log_sum, 22) + 127 : -128;
      tessera_put_i8(out, c, tessera_clamp(value, -128, 127));
    }
    in += p->depth;
    out += p->depth;
  }
}

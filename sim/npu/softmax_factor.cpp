#include "sim/npu/softmax_factor.hpp"

namespace tessera::npu {
namespace {

constexpr int kSumBits = 28, kUnitBits = 19;
constexpr int kLeastShift = 23;  // from 2^-31 to 2^-8

std::int32_t word_of(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

// The doubled high half of a product, rounded half up.
std::int32_t high_half(std::int32_t a, std::int32_t b) {
  return word_of((std::int64_t{a} * b + (std::int64_t{1} << 30)) >> 31);
}

}  // namespace

FixedPoint softmax_factor(std::uint64_t sum) {
  constexpr std::int32_t k48Over17 = 1515870810, kMinus32Over17 = -1010580540;  // Q2.29
  constexpr std::int64_t kOne = 1 << 29;
  constexpr int kSteps = 3;
  if (sum >> kSumBits != 0) {
    return {0, -kLeastShift};
  }
  int bits = 0;  // above the unit
  while (sum >> (kUnitBits + bits + 1) != 0) {
    ++bits;
  }
  const auto denominator = static_cast<std::int32_t>(sum << (11 - bits));  // from a half on
  std::int32_t guess = word_of(std::int64_t{k48Over17} + high_half(denominator, kMinus32Over17));
  for (int step = 0; step < kSteps; ++step) {
    const std::int32_t error = word_of(kOne - high_half(denominator, guess));
    guess = word_of(guess + std::int64_t{high_half(guess, error)} * 4);
  }
  const bool is_fraction = guess >= 0 && guess < 1 << 30;
  return {is_fraction ? guess * 2 : INT32_MAX, -kLeastShift - bits};
}

}  // namespace tessera::npu

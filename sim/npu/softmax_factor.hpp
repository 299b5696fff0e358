// The reciprocal that the store unit multiplies the exponentials of a softmax by.
#pragma once

#include <cstdint>

#include "tessera/quantise.hpp"

namespace tessera::npu {

/// 2^8 / sum of a sum in units of 2^-19, as a factor of numbers in units of 2^-31: gemmlowp's
/// Newton division in Q2.29, whose words wrap around. Nothing of a sum from 2^28 on.
FixedPoint softmax_factor(std::uint64_t sum);

}  // namespace tessera::npu

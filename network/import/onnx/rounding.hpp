// Whether bytes round as the floats that they stand for.
#pragma once

#include <cstdint>

#include "tessera/network.hpp"

namespace tessera {

/// Whether pools' (PoolAverage) or means' (mean_factor()) averages, rounded once, of `count` values
/// are those of floats, divided by the output's scale and rounded to nearest: for every sum that
/// there is, and none of them a tie, which single precision decides by the order of its additions.
bool pool_rounds_as_floats(const Quantisation& in, const Quantisation& out, std::int32_t count);
bool mean_rounds_as_floats(const Quantisation& in, const Quantisation& out, std::int32_t count);

/// Whether they are those of ONNX Runtime's operator of bytes: a product in single precision.
bool mean_rounds_as_bytes(const Quantisation& in, const Quantisation& out, std::int32_t count);

}  // namespace tessera

// Functions in float between two quantised values.
#pragma once

#include "tessera/network.hpp"

namespace tessera {

/// Makes a table of 256 bytes (UnaryKind::Lookup) of each QUANTIZE whose floats depend, element by
/// element, on one int8 tensor and constants of one value alone: DEQUANTIZE, functions of one
/// value, arithmetic. The table holds what the reference kernels give for every byte. Operators
/// that nothing reads any more are taken out; their tensors stay, without a producer.
void fold_float_islands(Network& network);

}  // namespace tessera

// What a layer multiplies with and how it comes back to int8, whatever operator it stems from.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tessera/isa.hpp"
#include "tessera/quantise.hpp"

namespace tessera {

struct LayerKernel {
  /// int8, output channel outermost: OHWI, depthwise OHW; ConvShape::weight_zero is still to be
  /// subtracted.
  std::vector<std::uint8_t> weights;
  std::vector<std::uint32_t> biases;  ///< per output channel, modulo 2^32
  std::vector<FixedPoint> factors;    ///< per output channel
  std::int32_t input_zero_point = 0;  ///< subtracted from every feature
  std::int32_t padding_value = 0;     ///< of features outside the picture
  isa::StQuant quant;
};

}  // namespace tessera

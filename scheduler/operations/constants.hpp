// Weights and parameters in the order in which the accelerator reads them.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/lower/layer_kernel.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// Kernel data (OHWI) as [channel part][group][weight part][tap][atom of the part][kernel of the
/// group][channel], each atom filled up with zeros unless the layer has a single one.
/// Depthwise: [group][weight part][window][kernel of the group], an atom of taps each (command
/// DEPTHWISE).
std::vector<std::uint8_t> pack_weights(const LayerKernel& kernel, const ConvShape& shape,
                                       const Hardware& hardware, std::uint32_t channel_parts);

/// Bytes of that.
std::uint64_t packed_bytes(const ConvShape& shape, const Hardware& hardware);

/// Bytes per output channel of pack_params: 4 when all have the same multiplier and shift; 8 when
/// every bias fits 28 bits whatever the weights are and every multiplier has its leading one;
/// otherwise 12. `taps`: weights per output channel.
std::uint32_t param_bytes(const LayerKernel& kernel, std::uint64_t taps);

/// Bytes of the parameters of so many output channels: those of 4 bytes come in pairs.
std::uint64_t packed_params_bytes(std::uint64_t channels, std::uint32_t bytes);

/// Per output channel bias, multiplier and shift, as command LOAD has them. The input's zero point
/// is folded into the bias: sum w (x - z) + b = sum w x + (b - z sum w), modulo 2^32.
std::vector<std::uint8_t> pack_params(const LayerKernel& kernel, std::uint32_t bytes,
                                      std::int32_t weight_zero);

}  // namespace tessera

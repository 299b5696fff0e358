// A yardstick: what the best tiling of a convolution would move, whatever the accelerator can do.
#pragma once

#include <cstdint>

#include "tessera/hardware.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// External bytes of features, weights and outputs, tile sizes of any number of rows, columns,
/// channels and kernels tried; features come from external memory and outputs go there. The buffer
/// holds `hardware.cbuf_size` bytes without gaps, the accumulators acc_words x atomic_k sums; rows
/// that two tiles share are read once, columns twice. Depthwise: all once.
std::uint64_t best_tiling_bytes(const ConvShape& shape, const Hardware& hardware);

}  // namespace tessera

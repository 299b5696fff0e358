// Depthwise passes on arrays without a depthwise window.
#pragma once

#include <string>
#include <vector>

#include "scheduler/lower/lowering.hpp"

namespace tessera {

/// The kernels [begin, end) of all.
LayerKernel some_kernels(LayerKernel kernel, std::int32_t begin, std::int32_t end);

/// Ordinary convolutions of a few channels each, whose kernels have zeros for all channels but
/// their own. Takes passes that look for sums, not maxima.
std::vector<ArrayPass> without_window(const std::vector<ArrayPass>& pieces,
                                      const Hardware& hardware);

}  // namespace tessera

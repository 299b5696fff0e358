// Weights as bytes: int8, or wider ones less a zero point that the array subtracts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

/// Of int16 weights, by index.
inline std::int32_t wide_weight(const Tensor& kernel, std::size_t index) {
  return static_cast<std::int16_t>(kernel.constant[2 * index] | kernel.constant[2 * index + 1]
                                                                    << 8);
}

struct WeightRange {
  std::int32_t low = 0;
  std::int32_t high = 0;

  void include(std::int32_t weight) {
    low = std::min(low, weight);
    high = std::max(high, weight);
  }
  /// One zero point makes bytes of all of them.
  [[nodiscard]] bool fits() const { return high - low <= 255; }
  /// Added to a weight it gives an int8; 0 where that is one already.
  [[nodiscard]] std::int32_t zero() const { return std::clamp(0, -128 - low, 127 - high); }
};

/// Neighbouring kernels that have one zero point.
struct KernelRange {
  std::int32_t begin = 0;
  std::int32_t end = 0;
  std::int32_t zero = 0;
};

/// All kernels, in as few ranges as neighbours allow. `outputs_last`: HWO instead of OHWI. The span
/// of each kernel's weights is at most 255, as of unsigned bytes around a zero point.
inline std::vector<KernelRange> kernel_ranges(const Tensor& kernel, bool outputs_last) {
  const std::int32_t outputs = outputs_last ? kernel.shape.back() : kernel.shape.front();
  if (kernel.type != DataType::Int16) {
    return {{0, outputs, 0}};
  }
  const auto count = static_cast<std::size_t>(outputs);
  const auto each = static_cast<std::size_t>(kernel.elements()) / count;
  std::vector<KernelRange> ranges;
  WeightRange together;
  for (std::size_t k = 0; k < count; ++k) {
    WeightRange with = together;
    WeightRange own;
    for (std::size_t i = 0; i < each; ++i) {
      own.include(wide_weight(kernel, outputs_last ? i * count + k : k * each + i));
    }
    with.include(own.low);
    with.include(own.high);
    const auto at = static_cast<std::int32_t>(k);
    if (ranges.empty() || !with.fits()) {
      ranges.push_back({at, at + 1, own.zero()});
      together = own;
    } else {
      ranges.back() = {ranges.back().begin, at + 1, with.zero()};
      together = with;
    }
  }
  return ranges;
}

}  // namespace tessera

#include <algorithm>
#include <cstring>

#include "network/reference/reference_kernels.hpp"
#include "tessera/quantise.hpp"

namespace tessera::reference {

void pool(const Pool2d& pool, const Operands& x) {
  const Tensor& in = x.input(0);
  const Tensor& out = x.output();
  const ClampRange range = activation_range(pool.activation, out.quantisation);
  PoolAverage average(in.quantisation, out.quantisation, pool.ties_up, x.op.rounding);
  const std::int32_t channels = in.shape[3];
  const auto* feature = x.data<std::int8_t>(0);
  auto* result = x.result();
  for (std::int32_t oy = 0; oy < out.shape[1]; ++oy) {
    const std::int32_t top = oy * pool.stride_h - pool.padding.top;
    const std::int32_t y0 = std::max(top, 0);
    const std::int32_t y1 = std::min(top + pool.filter_h, in.shape[1]);
    for (std::int32_t ox = 0; ox < out.shape[2]; ++ox) {
      const std::int32_t left = ox * pool.stride_w - pool.padding.left;
      const std::int32_t x0 = std::max(left, 0);
      const std::int32_t x1 = std::min(left + pool.filter_w, in.shape[2]);
      const std::int32_t cells = std::max((y1 - y0) * (x1 - x0), 1);
      for (std::int32_t c = 0; c < channels; ++c) {
        std::int32_t sum = 0;
        std::int32_t greatest = -128;
        for (std::int32_t y = y0; y < y1; ++y) {
          for (std::int32_t col = x0; col < x1; ++col) {
            const std::int32_t value =
                feature[(std::int64_t{y} * in.shape[2] + col) * channels + c];
            sum += value;
            greatest = std::max(greatest, value);
          }
        }
        const std::int32_t value =
            pool.kind == PoolKind::Average ? average.of(sum, cells) : greatest;
        *result++ = static_cast<std::int8_t>(std::clamp(value, range.low, range.high));
      }
    }
  }
}

void mean(const Mean& mean, const Operands& x) {
  const Tensor& in = x.input(0);
  const Tensor& out = x.output();
  const auto [outer, count, inner] = extents_of(mean, in.shape);
  const FixedPoint factor = mean_factor(in.quantisation, out.quantisation, count);
  const auto* feature = x.data<std::int8_t>(0);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      std::int64_t sum = -count * in.quantisation.zero_point;
      for (std::int64_t n = 0; n < count; ++n) {
        sum += feature[(o * count + n) * inner + i];
      }
      const std::int32_t value = requantise(static_cast<std::int32_t>(sum), factor,
                                            out.quantisation.zero_point, x.op.rounding);
      x.result()[o * inner + i] = static_cast<std::int8_t>(std::clamp(value, -128, 127));
    }
  }
}

}  // namespace tessera::reference

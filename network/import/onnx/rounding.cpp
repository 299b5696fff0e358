#include "network/import/onnx/rounding.hpp"

#include <algorithm>
#include <cmath>

#include "network/reference/host_kernels.hpp"
#include "tessera/quantise.hpp"

namespace tessera {
namespace {

template <class Average>
bool rounds_as_floats(const Quantisation& in, const Quantisation& out, std::int32_t count,
                      Average average) {
  constexpr double kTie = 1e-6;
  const double step = static_cast<double>(in.scales[0]) / static_cast<double>(out.scales[0]);
  for (std::int32_t sum = -128 * count; sum <= 127 * count; ++sum) {
    const double exact = (sum - count * in.zero_point) * step / count + out.zero_point;
    if (exact < -129 || exact > 128) {
      continue;  // cut off either way
    }
    const double rounded = std::nearbyint(exact);
    const auto ours = static_cast<double>(average(sum));
    if (std::fabs(exact - rounded) > 0.5 - kTie ||
        std::clamp(ours, -128.0, 127.0) != std::clamp(rounded, -128.0, 127.0)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool pool_rounds_as_floats(const Quantisation& in, const Quantisation& out, std::int32_t count) {
  PoolAverage average(in, out, false, Rounding::HalfEven);
  return rounds_as_floats(in, out, count, [&](std::int32_t sum) { return average.of(sum, count); });
}

bool mean_rounds_as_bytes(const Quantisation& in, const Quantisation& out, std::int32_t count) {
  const FixedPoint factor = mean_factor(in, out, count);
  const float scale = in.scales[0] / (out.scales[0] * static_cast<float>(count));
  for (std::int32_t sum = -128 * count; sum <= 127 * count; ++sum) {
    const std::int32_t centred = sum - count * in.zero_point;
    const std::int32_t ours = requantise(centred, factor, out.zero_point, Rounding::HalfEven);
    if (std::clamp(ours, -128, 127) != reference::mean_of_bytes(centred, scale, out.zero_point)) {
      return false;
    }
  }
  return true;
}

bool mean_rounds_as_floats(const Quantisation& in, const Quantisation& out, std::int32_t count) {
  const FixedPoint factor = mean_factor(in, out, count);
  return rounds_as_floats(in, out, count, [&](std::int32_t sum) {
    return requantise(sum - count * in.zero_point, factor, out.zero_point, Rounding::HalfEven);
  });
}

}  // namespace tessera

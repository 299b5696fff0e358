// Where bilinear interpolation takes its neighbours from, row by row or column by column.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tessera::reference {

struct Sizes {
  std::int32_t in, out;
  bool corners, centers;
};

// Two neighbours and how far the place is from the first, in whole numbers of 1/1024.
struct WholePlace {
  std::int32_t low, high, distance;
};

inline WholePlace whole_place(const Sizes& s, std::int32_t at) {
  constexpr std::int32_t kOne = 1 << 10;
  std::int32_t scale = (kOne * s.in + s.out / 2) / s.out;
  if (s.corners && s.out > 1) {
    scale = (kOne * (s.in - 1) + (s.out - 1) / 2) / (s.out - 1);
  }
  const std::int64_t place = std::int64_t{at} * scale + (s.centers ? scale / 2 - (1 << 9) : 0);
  const auto low = static_cast<std::int32_t>(std::max<std::int64_t>(place / kOne, 0));
  const auto high =
      static_cast<std::int32_t>(std::min<std::int64_t>((place + kOne - 1) / kOne, s.in - 1));
  return {std::min(low, s.in - 1), std::max(high, 0),
          static_cast<std::int32_t>(place - std::int64_t{low} * kOne)};
}

struct RealPlace {
  std::int32_t low, high;
  float distance;
};

inline RealPlace real_place(const Sizes& s, std::int32_t at) {
  float scale = static_cast<float>(s.in) / static_cast<float>(s.out);
  if (s.corners && s.out > 1) {
    scale = static_cast<float>(s.in - 1) / static_cast<float>(s.out - 1);
  }
  const float place =
      s.centers ? (static_cast<float>(at) + 0.5F) * scale - 0.5F : static_cast<float>(at) * scale;
  const std::int32_t low = std::max(static_cast<std::int32_t>(std::floor(place)), 0);
  const std::int32_t high = std::min(static_cast<std::int32_t>(std::ceil(place)), s.in - 1);
  return {std::min(low, s.in - 1), std::max(high, 0), place - static_cast<float>(low)};
}

// ONNX's linear resize: the places of rows and columns are given.
struct GivenPlace {
  std::int32_t low, high;
  float to_low, to_high;

  GivenPlace(float place, std::int32_t extent) {
    const float inside = std::clamp(place, 0.0F, static_cast<float>(extent - 1));
    low = std::min(static_cast<std::int32_t>(inside), extent - 1);
    high = std::min(low + 1, extent - 1);
    to_low = std::fabs(inside - static_cast<float>(low));
    to_high = std::fabs(inside - static_cast<float>(high));
    if (low == high) {
      to_low = to_high = 0.5F;
    }
  }
};

// XNNPACK's: two neighbours, and how far the place is from the first in whole numbers of 1/2048.
inline WholePlace eleven_bit_place(const Sizes& s, std::int32_t at) {
  const std::int32_t less = s.corners && s.out > 1 ? 1 : 0;
  const float scale = static_cast<float>(s.in - less) / static_cast<float>(s.out - less);
  float place = static_cast<float>(at) * scale;
  if (s.centers && !s.corners) {
    place = std::clamp(place + (0.5F * scale - 0.5F), 0.0F, static_cast<float>(s.in - 1));
  }
  const auto low = static_cast<std::int32_t>(place);
  return {low, std::min(low + 1, s.in - 1),
          static_cast<std::int32_t>(std::nearbyint((place - static_cast<float>(low)) * 2048.0F))};
}

}  // namespace tessera::reference

// Bilinear interpolation between pixels.
#include <algorithm>
#include <cmath>

#include "network/reference/bilinear.hpp"
#include "network/reference/elements.hpp"
#include "network/reference/host_kernels.hpp"

namespace tessera::reference {
namespace {

void resize_in_eleven_bits(const HostOperator& host, const Operands& x) {
  const std::vector<std::int32_t>& from = x.input(0).shape;
  const std::vector<std::int32_t>& to = x.output().shape;
  const Sizes rows{from[1], to[1], host.integers[0] != 0, host.integers[1] != 0};
  const Sizes cols{from[2], to[2], rows.corners, rows.centers};
  for_elements(to, [&](std::int64_t o, const std::vector<std::int32_t>& at) {
    const WholePlace v = eleven_bit_place(rows, at[1]);
    const WholePlace h = eleven_bit_place(cols, at[2]);
    const auto along = [&](std::int32_t row) {
      const std::int32_t left =
          get<std::int8_t>(x.inputs[0], index_of(from, {at[0], row, h.low, at[3]}));
      const std::int32_t right =
          get<std::int8_t>(x.inputs[0], index_of(from, {at[0], row, h.high, at[3]}));
      return left * 2048 + (right - left) * h.distance;
    };
    const std::int32_t top = along(v.low);
    const std::int32_t sum = top * 2048 + (along(v.high) - top) * v.distance;
    put(x.output_data, o, static_cast<std::int8_t>((sum + (1 << 21)) >> 22));
  });
}

void resize_at_places(const HostOperator& host, const Operands& x) {
  const std::vector<std::int32_t>& from = x.input(0).shape;
  const std::vector<std::int32_t>& to = x.output().shape;
  const bool whole = x.input(0).type == DataType::Int8;
  const std::int32_t base = whole && host.integers[2] != 0 ? 128 : 0;
  const auto value = [&](std::int32_t n, std::int32_t y, std::int32_t col, std::int32_t c) {
    const std::int64_t i = index_of(from, {n, y, col, c});
    return whole ? static_cast<float>(get<std::int8_t>(x.inputs[0], i) + base)
                 : get<float>(x.inputs[0], i);
  };
  for_elements(to, [&](std::int64_t o, const std::vector<std::int32_t>& at) {
    const GivenPlace v(host.numbers[static_cast<std::size_t>(at[1])], from[1]);
    const GivenPlace h(host.numbers[static_cast<std::size_t>(std::int64_t{to[1]} + at[2])],
                       from[2]);
    const float sum = h.to_high * v.to_high * value(at[0], v.low, h.low, at[3]) +
                      h.to_low * v.to_high * value(at[0], v.low, h.high, at[3]) +
                      h.to_high * v.to_low * value(at[0], v.high, h.low, at[3]) +
                      h.to_low * v.to_low * value(at[0], v.high, h.high, at[3]);
    if (whole) {
      put(x.output_data, o, static_cast<std::int8_t>(static_cast<std::int32_t>(sum) - base));
    } else {
      put(x.output_data, o, sum);
    }
  });
}

}  // namespace

void host_resize_bilinear(const HostOperator& host, const Operands& x) {
  if (!host.numbers.empty()) {
    resize_at_places(host, x);
    return;
  }
  if (host.integers[2] == 2) {
    resize_in_eleven_bits(host, x);
    return;
  }
  const std::vector<std::int32_t>& from = x.input(0).shape;
  const std::vector<std::int32_t>& to = x.output().shape;
  const bool corners = host.integers[0] != 0;
  const bool centers = host.integers[1] != 0;
  const bool real_steps = host.integers[2] != 0 || x.input(0).type == DataType::Float32;
  const std::int32_t channels = from[3];
  const Sizes rows{from[1], to[1], corners, centers};
  const Sizes cols{from[2], to[2], corners, centers};
  std::int64_t out = 0;
  for (std::int32_t n = 0; n < to[0]; ++n) {
    for (std::int32_t y = 0; y < to[1]; ++y) {
      for (std::int32_t col = 0; col < to[2]; ++col) {
        const auto at = [&](std::int32_t row, std::int32_t column) {
          return ((std::int64_t{n} * from[1] + row) * from[2] + column) * channels;
        };
        if (real_steps) {
          const RealPlace v = real_place(rows, y);
          const RealPlace h = real_place(cols, col);
          const bool whole = x.input(0).type == DataType::Int8;
          // Unsigned values are 128 higher; the sum is cut off there.
          const auto value = [&](std::int64_t i) {
            return whole ? static_cast<float>(get<std::int8_t>(x.inputs[0], i) + 128)
                         : get<float>(x.inputs[0], i);
          };
          for (std::int32_t c = 0; c < channels; ++c, ++out) {
            const float sum = value(at(v.low, h.low) + c) * (1 - v.distance) * (1 - h.distance) +
                              value(at(v.high, h.low) + c) * v.distance * (1 - h.distance) +
                              value(at(v.low, h.high) + c) * (1 - v.distance) * h.distance +
                              value(at(v.high, h.high) + c) * v.distance * h.distance;
            if (whole) {
              put(x.output_data, out,
                  static_cast<std::int8_t>(static_cast<std::int32_t>(std::floor(sum + 0.5F)) -
                                           128));
            } else {
              put(x.output_data, out, sum);
            }
          }
          continue;
        }
        constexpr std::int64_t kOne = 1 << 10;
        const WholePlace v = whole_place(rows, y);
        const WholePlace h = whole_place(cols, col);
        const auto value = [&](std::int64_t i) {
          return std::int64_t{get<std::int8_t>(x.inputs[0], i)};
        };
        for (std::int32_t c = 0; c < channels; ++c, ++out) {
          const std::int64_t sum =
              value(at(v.low, h.low) + c) * (kOne - v.distance) * (kOne - h.distance) +
              value(at(v.high, h.low) + c) * v.distance * (kOne - h.distance) +
              value(at(v.low, h.high) + c) * (kOne - v.distance) * h.distance +
              value(at(v.high, h.high) + c) * v.distance * h.distance;
          const std::int64_t half = sum > 0 ? kOne * kOne / 2 : -kOne * kOne / 2;
          put(x.output_data, out, static_cast<std::int8_t>((sum + half) / (kOne * kOne)));
        }
      }
    }
  }
}

}  // namespace tessera::reference

#include "scheduler/actions/constants.hpp"

#include <algorithm>
#include <cstring>

#include "scheduler/actions/layer_actions.hpp"
#include "scheduler/lower/tiling.hpp"

namespace tessera {

namespace {

constexpr std::uint32_t kCompactParamBytes = 8;
constexpr std::uint32_t kUniformParamBytes = 4;

bool are_equal(const std::vector<FixedPoint>& factors) {
  return std::all_of(factors.begin(), factors.end(), [&](const FixedPoint& factor) {
    return factor.multiplier == factors[0].multiplier && factor.shift == factors[0].shift;
  });
}

bool is_factor(const FixedPoint& factor) {
  return factor.multiplier >= 0 && factor.shift >= -31 && factor.shift <= 31;
}

// One atom per channel and window; taps at the end of the atom's rows, as the window has its newest
// pixels there.
std::vector<std::uint8_t> pack_depthwise(const LayerKernel& kernel, const ConvShape& shape,
                                         const Hardware& hardware) {
  const WindowTiling tiling = window_tiling(shape, hardware);
  const Hardware::Window window = hardware.depthwise_window();
  const std::uint32_t channels = stored_kernels(shape, hardware);
  const auto kernel_h = static_cast<std::uint32_t>(shape.kernel_h);
  const auto kernel_w = static_cast<std::uint32_t>(shape.kernel_w);
  std::vector<std::uint8_t> packed(packed_bytes(shape, hardware));
  std::uint8_t* atom = packed.data();
  const auto put_window = [&](const std::vector<std::uint8_t>& weights, std::uint32_t k,
                              std::uint32_t y0, std::uint32_t x0) {
    for (std::uint32_t r = 0; r < tiling.window_h && y0 + r < kernel_h; ++r) {
      for (std::uint32_t c = 0; c < tiling.window_w && x0 + c < kernel_w; ++c) {
        const std::uint32_t tap = (y0 + r) * kernel_w + x0 + c;
        const std::uint32_t at =
            (window.rows - tiling.window_h + r) * window.cols + window.cols - tiling.window_w + c;
        atom[at] = weights[std::size_t{k} * kernel_h * kernel_w + tap];
      }
    }
    atom += hardware.atomic_c;
  };
  for (std::uint32_t k0 = 0; k0 < channels; k0 += hardware.atomic_k) {
    for (std::int32_t part = 0; part < shape.weight_parts; ++part) {
      for (std::uint32_t chunk = 0; chunk < tiling.chunks(); ++chunk) {
        for (std::uint32_t k = k0; k < std::min(k0 + hardware.atomic_k, channels); ++k) {
          put_window(kernel.weights[static_cast<std::size_t>(part)], k,
                     chunk / tiling.chunks_x * tiling.window_h,
                     chunk % tiling.chunks_x * tiling.window_w);
        }
      }
    }
  }
  return packed;
}

}  // namespace

std::uint64_t packed_bytes(const ConvShape& shape, const Hardware& hardware) {
  if (shape.depthwise) {
    return kernel_atoms(shape, hardware, 1) * stored_kernels(shape, hardware) * hardware.atomic_c;
  }
  return kernel_atoms(shape, hardware, atoms_of(shape, hardware)) * u32(shape.out_c) *
         weight_unit_bytes(shape, hardware);
}

std::vector<std::uint8_t> pack_weights(const LayerKernel& kernel, const ConvShape& shape,
                                       const Hardware& hardware, std::uint32_t channel_parts) {
  if (shape.depthwise) {
    return pack_depthwise(kernel, shape, hardware);
  }
  const auto unit = static_cast<std::int32_t>(weight_unit_bytes(shape, hardware));
  const auto atomic_k = static_cast<std::int32_t>(hardware.atomic_k);
  const std::int32_t taps = shape.kernel_h * shape.kernel_w;
  const auto atoms = static_cast<std::int32_t>(atoms_of(shape, hardware));
  std::vector<std::uint8_t> packed(packed_bytes(shape, hardware));
  std::uint8_t* out = packed.data();
  for (const Range& part : split_evenly({0, atoms}, channel_parts)) {
    for (std::int32_t k0 = 0; k0 < shape.out_c; k0 += atomic_k) {
      const std::int32_t k1 = std::min(k0 + atomic_k, shape.out_c);
      for (std::int32_t p = 0; p < shape.weight_parts; ++p) {
        const std::vector<std::uint8_t>& weights = kernel.weights[static_cast<std::size_t>(p)];
        for (std::int32_t tap = 0; tap < taps; ++tap) {
          for (std::int32_t atom = part.begin; atom < part.end; ++atom) {
            const std::int32_t c0 = atom * static_cast<std::int32_t>(hardware.atomic_c);
            const std::int32_t channels = std::min(unit, shape.in_c - c0);
            for (std::int32_t k = k0; k < k1; ++k) {
              const std::size_t from =
                  (static_cast<std::size_t>(k) * static_cast<std::size_t>(taps) +
                   static_cast<std::size_t>(tap)) *
                      static_cast<std::size_t>(shape.in_c) +
                  static_cast<std::size_t>(c0);
              std::memcpy(out, weights.data() + from, static_cast<std::size_t>(channels));
              out += unit;
            }
          }
        }
      }
    }
  }
  return packed;
}

std::uint32_t param_bytes(const LayerKernel& kernel, std::uint64_t taps) {
  if (are_equal(kernel.factors) && is_factor(kernel.factors[0])) {
    return kUniformParamBytes;
  }
  constexpr std::int64_t kBiasLimit = std::int64_t{1} << 27;
  constexpr std::int32_t kLeadingOne = std::int32_t{1} << 30;
  constexpr std::int64_t kGreatestWeight = 256;  // two parts may add up
  const std::int64_t shifted = std::abs(std::int64_t{kernel.input_zero_point}) * kGreatestWeight *
                               static_cast<std::int64_t>(taps);
  for (std::size_t k = 0; k < kernel.biases.size(); ++k) {
    const std::int64_t bias = std::abs(std::int64_t{static_cast<std::int32_t>(kernel.biases[k])});
    const FixedPoint& factor = kernel.factors[k];
    if (bias + shifted >= kBiasLimit || factor.multiplier < kLeadingOne || !is_factor(factor)) {
      return kParamBytes;
    }
  }
  return kCompactParamBytes;
}

std::uint64_t packed_params_bytes(std::uint64_t channels, std::uint32_t bytes) {
  return bytes * (bytes == kUniformParamBytes ? (channels + 1) / 2 * 2 : channels);
}

std::vector<std::uint8_t> pack_params(const LayerKernel& kernel, std::uint32_t bytes) {
  const std::size_t channels = kernel.biases.size();
  const std::size_t per_channel = kernel.weights[0].size() / channels;
  std::vector<std::uint8_t> packed(packed_params_bytes(channels, bytes));
  for (std::size_t k = 0; k < channels; ++k) {
    std::int32_t weights = 0;
    for (const std::vector<std::uint8_t>& part : kernel.weights) {
      for (std::size_t i = k * per_channel; !part.empty() && i < (k + 1) * per_channel; ++i) {
        weights += static_cast<std::int8_t>(part[i]);
      }
    }
    const std::uint32_t bias =
        kernel.biases[k] -
        static_cast<std::uint32_t>(kernel.input_zero_point) * static_cast<std::uint32_t>(weights);
    const FixedPoint& factor = kernel.factors[k];
    std::uint8_t* record = &packed[bytes * k];
    if (bytes == kCompactParamBytes) {
      const auto field = [](auto value, unsigned bits) {
        return static_cast<std::uint64_t>(value) & ((std::uint64_t{1} << bits) - 1);
      };
      const std::uint64_t word =
          field(bias, 28) | field(factor.shift, 6) << 28 | field(factor.multiplier, 30) << 34;
      std::memcpy(record, &word, sizeof(word));
      continue;
    }
    std::memcpy(record, &bias, 4);
    if (bytes == kUniformParamBytes) {
      continue;
    }
    std::memcpy(record + 4, &factor.multiplier, 4);
    std::memcpy(record + 8, &factor.shift, 4);
  }
  return packed;
}

}  // namespace tessera

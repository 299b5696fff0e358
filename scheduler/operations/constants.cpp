#include "scheduler/operations/constants.hpp"

#include <algorithm>
#include <cstring>

#include "scheduler/lower/tiling.hpp"
#include "scheduler/operations/pass_operations.hpp"

namespace tessera {

namespace {

constexpr std::uint32_t kCompactParamBytes = 8;
constexpr std::uint32_t kUniformParamBytes = 4;

bool are_equal(const std::vector<FixedPoint>& factors) {
  return std::all_of(factors.begin(), factors.end(), [&](const FixedPoint& factor) {
    return factor.multiplier == factors[0].multiplier && factor.shift == factors[0].shift;
  });
}

// One atom per channel and window; taps at the end of the atom's rows, as the window has its newest
// pixels there.
std::vector<std::uint8_t> pack_depthwise(const LayerKernel& kernel, const ConvShape& shape,
                                         const Hardware& hardware) {
  const Windows windows(shape, hardware);
  const Hardware::Window window = hardware.depthwise_window();
  const std::uint32_t channels = stored_kernels(shape, hardware);
  std::vector<std::uint8_t> packed(packed_bytes(shape, hardware),
                                   static_cast<std::uint8_t>(shape.weight_zero));
  std::uint8_t* atom = packed.data();
  const auto put_window = [&](const WindowTiling& tiling, std::uint32_t k, std::uint32_t chunk) {
    const std::uint32_t y0 = chunk / tiling.chunks_x * tiling.window_h;
    const std::uint32_t x0 = chunk % tiling.chunks_x * tiling.window_w;
    for (std::uint32_t r = 0; r < tiling.window_h && y0 + r < u32(tiling.taps_h); ++r) {
      for (std::uint32_t c = 0; c < tiling.window_w && x0 + c < u32(tiling.taps_w); ++c) {
        const std::uint32_t y = u32(tiling.tap_y) + (y0 + r) * u32(tiling.step_h);
        const std::uint32_t x = u32(tiling.tap_x) + (x0 + c) * u32(tiling.step_w);
        const std::uint32_t at =
            (window.rows - tiling.window_h + r) * window.cols + window.cols - tiling.window_w + c;
        atom[at] =
            kernel.weights[(std::size_t{k} * u32(shape.kernel_h) + y) * u32(shape.kernel_w) + x];
      }
    }
    atom += hardware.atomic_c;
  };
  // Group by group, phase by phase, piece by piece: channels of one atom.
  const auto next = [](std::uint32_t at, std::uint32_t step) { return at / step * step + step; };
  for (std::uint32_t g0 = 0; g0 < channels; g0 += hardware.atomic_k) {
    const std::uint32_t g1 = std::min(g0 + hardware.atomic_k, channels);
    for (std::uint32_t phase = 0; phase < windows.phases(); ++phase) {
      const WindowTiling tiling = windows[phase];
      for (std::uint32_t k0 = g0, k1 = 0; k0 < g1; k0 = k1) {
        k1 = std::min(next(k0, hardware.atomic_c), g1);
        for (std::uint32_t chunk = 0; chunk < tiling.chunks(); ++chunk) {
          for (std::uint32_t k = k0; k < k1; ++k) {
            put_window(tiling, k, chunk);
          }
        }
      }
    }
  }
  return packed;
}

// Of each kernel group the atoms that its channels lie in, tap by tap, zeros beside the diagonal.
std::vector<std::uint8_t> pack_diagonal(const LayerKernel& kernel, const ConvShape& shape,
                                        const Hardware& hardware) {
  const std::uint32_t kernels = stored_kernels(shape, hardware);
  const std::uint32_t taps = u32(shape.kernel_h * shape.kernel_w);
  const std::uint32_t atoms = diagonal_atoms(hardware);
  std::vector<std::uint8_t> packed(packed_bytes(shape, hardware),
                                   static_cast<std::uint8_t>(shape.weight_zero));
  std::uint8_t* atom = packed.data();
  for (std::uint32_t k0 = 0; k0 < kernels; k0 += hardware.atomic_k) {
    const std::uint32_t k1 = std::min(k0 + hardware.atomic_k, kernels);
    for (std::uint32_t tap = 0; tap < taps; ++tap) {
      for (std::uint32_t a = k0 / hardware.atomic_c; a < k0 / hardware.atomic_c + atoms; ++a) {
        for (std::uint32_t k = k0; k < k1; ++k) {
          if (k / hardware.atomic_c == a) {
            atom[k % hardware.atomic_c] = kernel.weights[std::size_t{k} * taps + tap];
          }
          atom += hardware.atomic_c;
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
    return is_diagonal(shape, hardware) ? pack_diagonal(kernel, shape, hardware)
                                        : pack_depthwise(kernel, shape, hardware);
  }
  const auto unit = static_cast<std::int32_t>(weight_unit_bytes(shape, hardware));
  const auto atomic_k = static_cast<std::int32_t>(hardware.atomic_k);
  const std::int32_t taps = shape.kernel_h * shape.kernel_w;
  const auto atoms = static_cast<std::int32_t>(atoms_of(shape, hardware));
  std::vector<std::uint8_t> packed(packed_bytes(shape, hardware),
                                   static_cast<std::uint8_t>(shape.weight_zero));
  std::uint8_t* out = packed.data();
  for (const Range& part : split_evenly({0, atoms}, channel_parts)) {
    for (std::int32_t k0 = 0; k0 < shape.out_c; k0 += atomic_k) {
      const std::int32_t k1 = std::min(k0 + atomic_k, shape.out_c);
      for (std::int32_t tap = 0; tap < taps; ++tap) {
        for (std::int32_t atom = part.begin; atom < part.end; ++atom) {
          const std::int32_t c0 = atom * static_cast<std::int32_t>(hardware.atomic_c);
          const std::int32_t channels = std::min(unit, shape.in_c - c0);
          for (std::int32_t k = k0; k < k1; ++k) {
            const std::size_t from = (static_cast<std::size_t>(k) * static_cast<std::size_t>(taps) +
                                      static_cast<std::size_t>(tap)) *
                                         static_cast<std::size_t>(shape.in_c) +
                                     static_cast<std::size_t>(c0);
            std::memcpy(out, kernel.weights.data() + from, static_cast<std::size_t>(channels));
            out += unit;
          }
        }
      }
    }
  }
  return packed;
}

std::uint32_t param_bytes(const LayerKernel& kernel, std::uint64_t taps) {
  if (are_equal(kernel.factors)) {
    return kUniformParamBytes;
  }
  constexpr std::int64_t kBiasLimit = std::int64_t{1} << 27;
  constexpr std::int32_t kLeadingOne = std::int32_t{1} << 30;
  constexpr std::int64_t kGreatestWeight = 256;  // less a zero point
  const std::int64_t shifted = std::abs(std::int64_t{kernel.input_zero_point}) * kGreatestWeight *
                               static_cast<std::int64_t>(taps);
  for (std::size_t k = 0; k < kernel.biases.size(); ++k) {
    const std::int64_t bias = std::abs(std::int64_t{static_cast<std::int32_t>(kernel.biases[k])});
    const FixedPoint& factor = kernel.factors[k];
    if (bias + shifted >= kBiasLimit || factor.multiplier < kLeadingOne) {
      return kParamBytes;
    }
  }
  return kCompactParamBytes;
}

std::uint64_t packed_params_bytes(std::uint64_t channels, std::uint32_t bytes) {
  return bytes * (bytes == kUniformParamBytes ? (channels + 1) / 2 * 2 : channels);
}

std::vector<std::uint8_t> pack_params(const LayerKernel& kernel, std::uint32_t bytes,
                                      std::int32_t weight_zero) {
  const std::size_t channels = kernel.biases.size();
  const std::size_t per_channel = kernel.weights.size() / channels;
  std::vector<std::uint8_t> packed(packed_params_bytes(channels, bytes));
  for (std::size_t k = 0; k < channels; ++k) {
    std::int32_t weights = 0;
    for (std::size_t i = k * per_channel; i < (k + 1) * per_channel; ++i) {
      weights += static_cast<std::int8_t>(kernel.weights[i]) - weight_zero;
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

#include "scheduler/check/slab.hpp"

#include <algorithm>

namespace tessera::checker {

// Slab rows (or columns) that the taps of the tile touch.
std::vector<std::int64_t> touched(std::int64_t start, std::uint32_t outputs, std::uint32_t stride,
                                  std::uint32_t taps, std::uint32_t dilation,
                                  std::uint32_t extent) {
  std::vector<bool> hit(extent, false);
  for (std::uint32_t o = 0; o < outputs; ++o) {
    for (std::uint32_t t = 0; t < taps; ++t) {
      const std::int64_t at = start + std::int64_t{o} * stride + std::int64_t{t} * dilation;
      if (at >= 0 && at < extent) {
        hit[static_cast<std::size_t>(at)] = true;
      }
    }
  }
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < hit.size(); ++i) {
    if (hit[i]) {
      result.push_back(static_cast<std::int64_t>(i));
    }
  }
  return result;
}

// Of the slab's (0, 0), for depthwise at the first group's atom.
std::int64_t slab_base(const Op& op) {
  return (std::int64_t{op.conv.origin} - op.tile.y0 * std::int64_t{op.kernel.row_pitch} -
          std::int64_t{op.tile.x0} * op.input.atoms) &
         ((1 << 20) - 1);
}

// Of the first column of a slab row.
std::int64_t row_atom(const Op& op, std::int64_t row) {
  const std::int64_t wrapped = row >= op.ring.row ? op.ring.atoms : 0;
  return (slab_base(op) + row * op.kernel.row_pitch - wrapped) & ((1 << 20) - 1);
}

// Slab rows (or columns) that are walked for windows of `window` adjacent taps: all between the
// first and the last when a window has several, those of the outputs when it has one.
// A tile that resumes walks `stride` for each output.
std::vector<std::int64_t> walked(std::int64_t start, std::uint32_t outputs, std::uint32_t stride,
                                 std::uint32_t window, std::uint32_t chunks, std::uint32_t dilation,
                                 std::uint32_t extent, bool resume, bool spaced) {
  const std::uint32_t step = window == 1 || spaced ? stride : 1;
  const std::uint32_t count = window == 1        ? outputs
                              : spaced && resume ? outputs
                              : spaced           ? outputs - 1 + window
                              : resume           ? outputs * stride
                                                 : (outputs - 1) * stride + window;
  std::vector<std::int64_t> result;
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t first = start + std::int64_t{chunk} * window * dilation;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::int64_t at = first + std::int64_t{i} * step;
      if (at >= 0 && at < extent) {
        result.push_back(at);
      }
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace tessera::checker

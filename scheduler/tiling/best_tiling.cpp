#include "scheduler/tiling/best_tiling.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "scheduler/lower/tiling.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kMostTilesTried = 4000;

struct AxisCut {
  std::uint64_t all = 0;      // inputs of all tiles
  std::uint64_t largest = 0;  // inputs of one
  std::uint64_t outputs = 0;  // of the largest
};

// Pixels that no output reads, between the strides of a pointwise layer, need not come.
std::vector<AxisCut> cuts(std::int32_t out, std::int32_t in, std::int32_t kernel,
                          std::int32_t stride, std::int32_t dilation, std::int32_t pad) {
  std::vector<AxisCut> result;
  for (std::int32_t n = 1; n <= out; ++n) {
    AxisCut cut;
    for (const Range& tile : split_evenly({0, out}, u32(n))) {
      const Range inputs = input_range(tile, in, kernel, stride, dilation, pad);
      const std::uint64_t size =
          u32(kernel == 1 ? std::min(tile.size(), inputs.size()) : inputs.size());
      cut.all += size;
      cut.largest = std::max(cut.largest, size);
      cut.outputs = std::max(cut.outputs, std::uint64_t{u32(tile.size())});
    }
    result.push_back(cut);
  }
  return result;
}

class Tilings {
 public:
  Tilings(const ConvShape& s, const Hardware& hw)
      : channels_(u32(s.in_c)),
        kernels_(u32(s.out_c)),
        kernel_bytes_(std::uint64_t{u32(s.kernel_h)} * u32(s.kernel_w) * u32(s.in_c)),
        weights_(kernel_bytes_ * kernels_),
        buffer_(hw.cbuf_size),
        sums_(std::uint64_t{hw.acc_words} * hw.atomic_k),
        rows_(cuts(s.out_h, s.in_h, s.kernel_h, s.stride_h, s.dilation_h, s.pad_top)),
        cols_(cuts(s.out_w, s.in_w, s.kernel_w, s.stride_w, s.dilation_w, s.pad_left)) {}

  std::uint64_t least() {
    for (const AxisCut& cols : cols_) {
      kernels_stay(cols);
      for (std::size_t h = 1; h <= rows_.size(); ++h) {
        const std::uint64_t tiles = h * static_cast<std::uint64_t>(&cols - cols_.data() + 1);
        if (tiles > kMostTilesTried) {
          break;
        }
        features_stay(rows_[h - 1], cols, tiles);
        sums_stay(rows_[h - 1], cols, tiles);
      }
    }
    return least_;
  }

 private:
  // Of strips of columns whose rows come once.
  [[nodiscard]] std::uint64_t strips(const AxisCut& cols) const {
    return rows_[0].all * cols.all * channels_;
  }

  // Some kernels, all their channels; rows pass by.
  void kernels_stay(const AxisCut& cols) {
    const std::uint64_t window = rows_.back().largest * cols.largest * channels_;
    const std::uint64_t kernels = window < buffer_ ? (buffer_ - window) / kernel_bytes_ : 0;
    if (kernels > 0) {
      take(strips(cols) * ceil_div(kernels_, kernels) + weights_);
    }
  }

  // A tile, all its channels; kernels pass by, whole or in parts that add up in the sums.
  void features_stay(const AxisCut& rows, const AxisCut& cols, std::uint64_t tiles) {
    const std::uint64_t feature = rows.largest * cols.largest * channels_;
    const bool parts = rows.outputs * cols.outputs <= sums_ && feature < buffer_;
    if (parts || feature + kernel_bytes_ <= buffer_) {
      take(strips(cols) + weights_ * tiles);
    }
  }

  // A tile of some kernels; features and weights pass by in parts.
  void sums_stay(const AxisCut& rows, const AxisCut& cols, std::uint64_t tiles) {
    const std::uint64_t pixels = rows.outputs * cols.outputs;
    if (pixels <= sums_) {
      take(rows.all * cols.all * channels_ *
               ceil_div(kernels_, std::min(kernels_, sums_ / pixels)) +
           weights_ * tiles);
    }
  }

  void take(std::uint64_t bytes) { least_ = std::min(least_, bytes); }

  std::uint64_t channels_, kernels_, kernel_bytes_, weights_, buffer_, sums_;
  std::vector<AxisCut> rows_, cols_;
  std::uint64_t least_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace

std::uint64_t best_tiling_bytes(const ConvShape& shape, const Hardware& hardware) {
  const std::uint64_t outputs =
      std::uint64_t{u32(shape.out_h)} * u32(shape.out_w) * u32(shape.out_c);
  if (shape.depthwise) {
    const std::uint64_t taps = std::uint64_t{u32(shape.kernel_h)} * u32(shape.kernel_w);
    const std::uint64_t kernels = shape.same_kernels ? 1 : u32(shape.out_c);
    return outputs + taps * kernels +
           std::uint64_t{u32(shape.in_h)} * u32(shape.in_w) * u32(shape.in_c);
  }
  return Tilings(shape, hardware).least() + outputs;
}

}  // namespace tessera

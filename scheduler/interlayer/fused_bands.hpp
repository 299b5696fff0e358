// How layers that run row by row take turns.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "scheduler/interlayer/fused_layout.hpp"
#include "scheduler/lower/tiling.hpp"
#include "scheduler/operations/line_buffer.hpp"

namespace tessera {

/// Of the cbuf, for a row of what the layer reads.
inline std::uint64_t row_atoms(const ConvShape& shape, const Hardware& hw) {
  return std::uint64_t{u32(shape.in_w)} * atoms_of(shape, hw);
}

/// For all its weights.
inline std::uint64_t weight_atoms(const ConvShape& shape, const Hardware& hw) {
  return kernel_atoms(shape, hw, atoms_of(shape, hw)) * stored_kernels(shape, hw);
}

/// Goes through all bands; `make(i, rows)`: rows of the first layer's feature (0) or of the output
/// of layer i - 1 are made.
class Bands {
 public:
  Bands(std::vector<const ConvShape*> layers, bool feature_kept, const FusedLayout& layout)
      : layers_(std::move(layers)), feature_kept_(feature_kept), band_(layout.band) {
    for (const std::uint32_t rows : layout.rows) {
      buffers_.emplace_back(rows);
    }
  }

  static std::vector<Range> outputs(const ConvShape& last, std::uint32_t band) {
    return split_evenly({0, last.out_h}, u32(ceil_div(u32(last.out_h), band)));
  }
  [[nodiscard]] const LineBuffer& buffer(std::size_t i) const { return buffers_[i]; }

  template <class Make>
  void run(Make make) {
    for (const Range& rows : outputs(*layers_.back(), band_)) {
      make_rows(layers_.size(), rows, make);
    }
  }

 private:
  template <class Make>
  void make_rows(std::size_t i, Range rows, Make& make) {
    if (i < layers_.size()) {
      rows = i == 0 && feature_kept_ ? Range{} : buffers_[i].add(rows);
    }
    if (rows.size() > 0) {
      if (i > 0) {
        make_rows(i - 1, input_rows(*layers_[i - 1], rows), make);
      }
      make(i, rows);
    }
  }

  std::vector<const ConvShape*> layers_;
  bool feature_kept_;
  std::uint32_t band_;
  std::vector<LineBuffer> buffers_;
};

}  // namespace tessera

// Rows of a feature map in the cbuf.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "scheduler/lower/tiling.hpp"

namespace tessera {

/// Where rows in the cbuf wrap around, when they lie in a ring buffer.
struct RowRing {
  std::int32_t wrap = std::numeric_limits<std::int32_t>::max();  ///< first row that wrapped around
  std::uint32_t atoms = 0;  ///< of the buffer: rows from `wrap` on lie so much lower

  /// Atoms from row `from` to a later one.
  [[nodiscard]] std::uint32_t distance(std::int32_t from, std::int32_t row,
                                       std::uint32_t row_pitch) const {
    return u32(row - from) * row_pitch - (from < wrap && row >= wrap ? atoms : 0);
  }
  /// The rows in pieces without a gap between them: one or two.
  [[nodiscard]] std::vector<Range> pieces(Range rows) const {
    if (wrap <= rows.begin || wrap >= rows.end) {
      return {rows};
    }
    return {{rows.begin, wrap}, {wrap, rows.end}};
  }
};

/// Rows of a feature map that lie in the cbuf, packed.
struct KeptRows {
  std::uint32_t at = 0;  ///< atom of the first one
  Range rows;
  RowRing ring;

  [[nodiscard]] std::uint32_t atom_of(std::int32_t row, std::uint32_t row_pitch) const {
    return at + ring.distance(rows.begin, row, row_pitch);
  }
};

}  // namespace tessera

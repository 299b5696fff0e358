// Which column of a layer table is what, by the names in its header.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "input/csv_table.hpp"

namespace tessera {

/// What a layer table may have.
enum class Column : std::uint8_t {
  Name,
  InputHeight,
  InputWidth,
  FilterHeight,
  FilterWidth,
  Channels,
  Filters,
  Stride,  ///< of both directions, or of the height beside StrideWidth
  StrideWidth,
  Sparsity,  ///< N:M, dense only
  Batch,     ///< 1 only
  Rows,      ///< M of a product
  Columns,   ///< N
  Inner      ///< K
};
inline constexpr std::size_t kColumnKinds = 14;

/// As headers call it, in errors.
const char* name_of(Column column);

/// A table's columns end at the first one without a name; what stands behind that is no part of it.
struct Columns {
  std::array<std::optional<std::size_t>, kColumnKinds> at;
  std::size_t count = 0;
  bool products = false;  ///< layers are matrix products M, N, K

  [[nodiscard]] std::optional<std::size_t> of(Column column) const {
    return at[static_cast<std::size_t>(column)];
  }
};

/// Throws InputError: a name that is not known or is there twice, a column that is missing.
Columns columns_of(const CsvLine& header);

}  // namespace tessera

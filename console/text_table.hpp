// Aligned columns for the terminal.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera {

using Row = std::vector<std::string>;

/// Digits in groups of three.
std::string grouped(std::uint64_t value);

/// The first row is the header; the first `names` columns are set to the left.
std::string aligned(std::vector<Row> rows, std::size_t names);

/// How a table gives way to a narrow terminal, and what is drawn in colour.
struct TableStyle {
  std::size_t names = 1;                 ///< columns to the left; the others are numbers
  std::size_t width = 0;                 ///< 0: as wide as it takes
  std::vector<std::size_t> least_first;  ///< columns that may be left out, in this order
  /// The cell as it is printed, padded; for colours. May be empty.
  std::function<std::string(std::size_t column, const std::string& cell, const std::string& padded)>
      paint;
};

/// As aligned. Where it is too wide, columns are left out, then the first one is cut short; a line
/// that is still too long stays so.
std::string styled(std::vector<Row> rows, const TableStyle& style);

}  // namespace tessera

// Tables as text: a header line, and lines with as many cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

struct CsvLine {
  std::string where;               ///< "file:line: "
  std::vector<std::string> cells;  ///< without blanks and quotes around them
};

struct CsvTable {
  CsvLine header;
  std::vector<CsvLine> lines;
};

/// Cells stand between commas, semicolons or tabs: the first of them that the header has. A cell
/// may be quoted as RFC 4180 has it, within one line. A byte-order mark, blanks around cells, what
/// follows a `#` outside of quotes, and lines without a filled cell are skipped. Throws InputError,
/// with `name` as the file's: no header, a quote that is not closed, more than a million lines.
CsvTable read_csv(const std::string& text, const std::string& name);

/// A whole number from `low` to `high`. Throws InputError, which calls the cell `what`.
std::uint64_t csv_number(const CsvLine& line, std::size_t column, const std::string& what,
                         std::uint64_t low, std::uint64_t high);

/// As a cell is written: in quotes where it must be.
std::string csv_cell(const std::string& text);

}  // namespace tessera

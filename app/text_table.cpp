#include "app/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, " ");
  }
  return digits;
}

std::string aligned(std::vector<Row> rows, std::size_t names) {
  for (Row& row : rows) {
    row.resize(rows[0].size());
  }
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], row[c].size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      // Names to the left, numbers to the right.
      line += c < names ? fmt::format("{:<{}}  ", row[c], widths[c])
                        : fmt::format("{:>{}}  ", row[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace tessera

#include "console/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera {

std::string grouped(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, " ");
  }
  return digits;
}

namespace {

constexpr std::size_t kGap = 2;        // between columns
constexpr std::size_t kShortest = 10;  // of a name that is cut

// Characters, as far as a terminal counts them: bytes that begin one.
std::size_t length_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string cut(const std::string& text, std::size_t length) {
  if (length_of(text) <= length) {
    return text;
  }
  std::string kept;
  std::size_t count = 0;
  for (const char c : text) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (begins && ++count >= length) {
      break;
    }
    kept += c;
  }
  return kept + "\u2026";
}

std::vector<std::size_t> widths_of(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], length_of(row[c]));
    }
  }
  return widths;
}

std::size_t total_of(const std::vector<std::size_t>& widths) {
  std::size_t total = 0;
  for (const std::size_t width : widths) {
    total += width + kGap;
  }
  return total - kGap;
}

}  // namespace

std::string styled(std::vector<Row> rows, const TableStyle& style) {
  for (Row& row : rows) {
    row.resize(rows[0].size());
  }
  std::vector<std::size_t> widths = widths_of(rows);
  std::vector<std::size_t> columns(widths.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  for (const std::size_t column : style.least_first) {
    if (style.width == 0 || total_of(widths) <= style.width) {
      break;
    }
    const auto at = std::find(columns.begin(), columns.end(), column) - columns.begin();
    columns.erase(columns.begin() + at);
    widths.erase(widths.begin() + at);
    for (Row& row : rows) {
      row.erase(row.begin() + at);
    }
  }
  if (style.width != 0 && total_of(widths) > style.width) {
    const std::size_t over = total_of(widths) - style.width;
    const std::size_t shortest = std::min(kShortest, widths[0]);
    widths[0] = widths[0] > over + shortest ? widths[0] - over : shortest;
    for (Row& row : rows) {
      row[0] = cut(row[0], widths[0]);
    }
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      // Names to the left, numbers to the right.
      const std::string space(widths[c] - length_of(row[c]), ' ');
      std::string cell = columns[c] < style.names ? row[c] + space : space + row[c];
      if (style.paint) {
        cell = style.paint(columns[c], row[c], cell);
      }
      line += cell + std::string(kGap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string aligned(std::vector<Row> rows, std::size_t names) {
  TableStyle style;
  style.names = names;
  return styled(std::move(rows), style);
}

}  // namespace tessera

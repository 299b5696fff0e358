#include "input/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tessera/error.hpp"

namespace tessera {
namespace {

constexpr std::size_t kMostLines = 1'000'000;
constexpr std::size_t kMostDigits = 19;  // of what 64 bits hold in any case

bool is_blank(char c, char separator) {
  return c == ' ' || c == '\r' || (c == '\t' && separator != '\t');
}

// Of one line, which has no line break.
class Cells {
 public:
  Cells(const std::string& line, char separator, const std::string& where)
      : line_(line), separator_(separator), where_(where) {}

  std::vector<std::string> read() {
    std::vector<std::string> cells;
    bool more = true;
    while (more) {
      skip_blanks();
      cells.push_back(at_ < line_.size() && line_[at_] == '"' ? quoted() : plain());
      skip_blanks();
      if (at_ < line_.size() && line_[at_] == '#') {
        at_ = line_.size();
      }
      more = at_ < line_.size();
      if (more && line_[at_] != separator_) {
        throw InputError(
            fmt::format("{}`{}` stands behind a closing quote; allowed is the next cell", where_,
                        line_.substr(at_)));
      }
      at_ += more ? 1 : 0;
    }
    return cells;
  }

 private:
  void skip_blanks() {
    while (at_ < line_.size() && is_blank(line_[at_], separator_)) {
      ++at_;
    }
  }

  std::string plain() {
    const std::size_t begin = at_;
    while (at_ < line_.size() && line_[at_] != separator_ && line_[at_] != '#') {
      ++at_;
    }
    std::size_t end = at_;
    while (end > begin && is_blank(line_[end - 1], separator_)) {
      --end;
    }
    return line_.substr(begin, end - begin);
  }

  std::string quoted() {
    std::string cell;
    for (++at_; at_ < line_.size(); ++at_) {
      if (line_[at_] != '"') {
        cell += line_[at_];
      } else if (at_ + 1 < line_.size() && line_[at_ + 1] == '"') {
        cell += line_[++at_];
      } else {
        ++at_;
        return cell;
      }
    }
    throw InputError(fmt::format("{}a quote is not closed: `{}`", where_, line_));
  }

  const std::string& line_;
  char separator_;
  const std::string& where_;
  std::size_t at_ = 0;
};

char separator_of(const std::string& header) {
  for (const char separator : {',', ';', '\t'}) {
    bool in_quotes = false;
    for (const char c : header) {
      in_quotes = in_quotes != (c == '"');
      if (!in_quotes && c == separator) {
        return separator;
      }
    }
  }
  return ',';
}

// With nothing but separators and blanks before its comment.
bool is_empty(const std::string& line) {
  return line.substr(0, line.find('#')).find_first_not_of(" \t\r,;") == std::string::npos;
}

}  // namespace

CsvTable read_csv(const std::string& text, const std::string& name) {
  CsvTable table;
  char separator = 0;
  std::size_t number = 0;
  std::size_t begin = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (is_empty(line)) {
      continue;
    }
    const std::string where = fmt::format("{}:{}: ", name, number);
    const bool is_header = separator == 0;
    separator = is_header ? separator_of(line) : separator;
    CsvLine read{where, Cells(line, separator, where).read()};
    if (is_header) {
      table.header = std::move(read);
    } else {
      table.lines.push_back(std::move(read));
    }
    if (table.lines.size() > kMostLines) {
      throw InputError(fmt::format("{}more than {} lines", where, kMostLines));
    }
  }
  if (separator == 0) {
    throw InputError(name + ": empty; a header line is expected");
  }
  return table;
}

std::uint64_t csv_number(const CsvLine& line, std::size_t column, const std::string& what,
                         std::uint64_t low, std::uint64_t high) {
  const std::string cell = column < line.cells.size() ? line.cells[column] : "";
  const bool digits = !cell.empty() && cell.size() <= kMostDigits &&
                      cell.find_first_not_of("0123456789") == std::string::npos;
  const std::uint64_t value =
      digits ? std::stoull(cell) : std::numeric_limits<std::uint64_t>::max();
  if (value < low || value > high) {
    throw InputError(fmt::format("{}{} is `{}`; allowed is a whole number from {} to {}",
                                 line.where, what, cell, low, high));
  }
  return value;
}

std::string csv_cell(const std::string& text) {
  const bool ends_blank = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (text.find_first_of(",;#\"\t\r\n") == std::string::npos && !ends_blank) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  }
  return quoted + "\"";
}

}  // namespace tessera

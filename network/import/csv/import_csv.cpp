#include <fmt/format.h>

#include <array>
#include <set>
#include <sstream>

#include "network/builder.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"

namespace tessera {
namespace {

constexpr std::array<const char*, 7> kColumns = {"input height", "input width", "filter height",
                                                 "filter width", "channels",    "filters",
                                                 "stride"};

std::string trimmed(const std::string& text) {
  const char* blank = " \t\r";
  const std::size_t begin = text.find_first_not_of(blank);
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

std::vector<std::string> cells_of(std::string line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) {
    cells.push_back(trimmed(cell));
  }
  while (!cells.empty() && cells.back().empty()) {
    cells.pop_back();
  }
  return cells;
}

struct Row {
  std::string name;
  std::array<std::int32_t, 7> values{};
};

Row read_row(const std::vector<std::string>& cells, const std::string& where) {
  Row row;
  row.name = cells[0];
  if (row.name.empty()) {
    throw InputError(where + "the layer has no name");
  }
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const std::string cell = i + 1 < cells.size() ? cells[i + 1] : "";
    std::int32_t value = 0;
    if (!cell.empty() && cell.size() <= 6 &&
        cell.find_first_not_of("0123456789") == std::string::npos) {
      value = std::stoi(cell);
    }
    if (value < 1 || value > 65535) {
      throw InputError(
          fmt::format("{}column {} ({}) is `{}`; allowed is a whole number from 1 to "
                      "65535",
                      where, i + 2, kColumns[i], cell));
    }
    row.values[i] = value;
  }
  return row;
}

// Padding after the last row so that ceil((in - filter) / stride) + 1 windows fit.
std::int32_t overhang(std::int32_t in, std::int32_t filter, std::int32_t stride,
                      const std::string& where) {
  if (filter > in) {
    throw InputError(fmt::format("{}filter {} is larger than input {}", where, filter, in));
  }
  const std::int32_t rest = (in - filter) % stride;
  return rest == 0 ? 0 : stride - rest;
}

}  // namespace

Network import_csv(const std::string& text, const std::string& name, std::uint64_t seed) {
  NetworkBuilder builder(name, seed);
  std::istringstream in(text.substr(text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0));
  std::set<std::string> names;
  bool header_seen = false;
  std::size_t line_number = 0;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.empty()) {
      continue;
    }
    if (!header_seen) {
      // The wording differs between tables; what matters is that it is not a layer.
      header_seen = true;
      if (cells.size() < 8 || cells[1].find_first_not_of("0123456789") == std::string::npos) {
        throw InputError(fmt::format("{}:{}: a header line with at least 8 columns is expected",
                                     name, line_number));
      }
      continue;
    }
    const std::string where = fmt::format("{}:{}: ", name, line_number);
    const Row row = read_row(cells, where);
    if (!names.insert(row.name).second) {
      throw InputError(fmt::format("{}layer `{}` appears twice", where, row.name));
    }
    const auto [h, w, filter_h, filter_w, channels, filters, stride] = row.values;
    Conv2d conv;
    conv.stride_h = stride;
    conv.stride_w = stride;
    conv.padding.bottom = overhang(h, filter_h, stride, where);
    conv.padding.right = overhang(w, filter_w, stride, where);
    const std::int32_t input = builder.input(row.name + "/input", {1, h, w, channels});
    builder.output(builder.conv2d(row.name, input, filters, filter_h, filter_w, conv));
  }
  if (names.empty()) {
    throw InputError(name + ": no layers");
  }
  return builder.finish();
}

}  // namespace tessera

#include "network/import/csv/columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "tessera/error.hpp"

namespace tessera {
namespace {

struct Known {
  Column column;
  const char* name;
  std::vector<std::string> words;  ///< letters and digits of what tables call it
};

const std::vector<Known>& known_columns() {
  static const std::vector<Known> known = {
      {Column::Name, "layer name", {"layername", "layer", "name", "layerid"}},
      {Column::InputHeight,
       "input height",
       {"ifmapheight", "inputheight", "ifmaph", "height", "ih", "h"}},
      {Column::InputWidth,
       "input width",
       {"ifmapwidth", "inputwidth", "ifmapw", "width", "iw", "w"}},
      {Column::FilterHeight,
       "filter height",
       {"filterheight", "kernelheight", "filterh", "fh", "kh"}},
      {Column::FilterWidth, "filter width", {"filterwidth", "kernelwidth", "filterw", "fw", "kw"}},
      {Column::Channels,
       "channels",
       {"channels", "channel", "inputchannels", "numchannels", "inchannels", "c"}},
      {Column::Filters,
       "filters",
       {"numfilter", "numfilters", "filters", "outputchannels", "outchannels", "n"}},
      {Column::Stride, "stride", {"strides", "stride", "strideheight", "strideh", "s", "sh"}},
      {Column::StrideWidth, "stride width", {"stridewidth", "stridew", "stridesw", "sw"}},
      {Column::Sparsity,
       "sparsity",
       {"sparsity", "sparsityratio", "sparsityrationm", "sparsitynm"}},
      {Column::Batch, "batch size", {"batchsize", "batch"}},
      {Column::Rows, "M", {"m"}},
      {Column::Columns, "N", {"n"}},
      {Column::Inner, "K", {"k"}},
  };
  return known;
}

constexpr std::array<Column, 7> kConvolution = {
    Column::InputHeight, Column::InputWidth, Column::FilterHeight, Column::FilterWidth,
    Column::Channels,    Column::Filters,    Column::Stride};
constexpr std::array<Column, 3> kProduct = {Column::Rows, Column::Columns, Column::Inner};

std::string letters_of(const std::string& cell) {
  std::string letters;
  for (const char c : cell) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      letters += static_cast<char>(std::tolower(byte));
    }
  }
  return letters;
}

bool is_of_product(Column column) {
  return std::find(kProduct.begin(), kProduct.end(), column) != kProduct.end();
}

bool may_have(bool products, Column column) {
  const bool common =
      column == Column::Name || column == Column::Sparsity || column == Column::Batch;
  return common || is_of_product(column) == products;
}

// A word may be one thing in a table of convolutions and another one in one of products.
const Known* find_known(const std::string& word, bool products) {
  for (const Known& known : known_columns()) {
    if (may_have(products, known.column) &&
        std::find(known.words.begin(), known.words.end(), word) != known.words.end()) {
      return &known;
    }
  }
  return nullptr;
}

std::vector<std::string> allowed_names(bool products) {
  std::vector<std::string> names;
  for (const Known& known : known_columns()) {
    if (may_have(products, known.column)) {
      names.emplace_back(known.name);
    }
  }
  return names;
}

// Rows and the inner dimension are in no table of convolutions.
bool is_table_of_products(const std::vector<std::string>& words) {
  const auto has = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  return has("m") && has("k");
}

template <std::size_t kCount>
void need(const Columns& columns, const std::array<Column, kCount>& wanted, const CsvLine& header) {
  for (const Column column : wanted) {
    if (!columns.of(column)) {
      throw InputError(fmt::format(
          "{}no column `{}`; a header line with {} is expected", header.where, name_of(column),
          columns.products ? "layer name, M, N and K"
                           : "layer name, input height, input width, filter height, "
                             "filter width, channels, filters and stride"));
    }
  }
}

}  // namespace

const char* name_of(Column column) {
  return known_columns()[static_cast<std::size_t>(column)].name;
}

Columns columns_of(const CsvLine& header) {
  std::vector<std::string> words;
  for (const std::string& cell : header.cells) {
    const std::string word = letters_of(cell);
    if (word.empty()) {
      break;
    }
    words.push_back(word);
  }
  if (!header.cells[0].empty() && words.empty()) {
    words.emplace_back();  // a name without a letter is not known, either
  }
  Columns columns;
  columns.count = words.size();
  columns.products = is_table_of_products(words);
  // A table that is widely used calls both sides of its inputs widths.
  if (std::count(words.begin(), words.end(), "ifmapwidth") == 2 &&
      std::count(words.begin(), words.end(), "ifmapheight") == 0) {
    *std::find(words.begin(), words.end(), "ifmapwidth") = "ifmapheight";
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Known* const known = find_known(words[i], columns.products);
    if (known == nullptr) {
      const std::vector<std::string> names = allowed_names(columns.products);
      throw InputError(
          fmt::format("{}column {} is `{}`{}; a header line with names of columns is "
                      "expected, allowed are {}",
                      header.where, i + 1, header.cells[i], suggestion(header.cells[i], names),
                      fmt::join(names, ", ")));
    }
    std::optional<std::size_t>& at = columns.at[static_cast<std::size_t>(known->column)];
    if (at) {
      throw InputError(fmt::format("{}columns {} and {} (`{}`) are both the {}", header.where,
                                   *at + 1, i + 1, header.cells[i], known->name));
    }
    at = i;
  }
  need(columns, std::array<Column, 1>{Column::Name}, header);
  if (columns.products) {
    need(columns, kProduct, header);
  } else {
    need(columns, kConvolution, header);
  }
  return columns;
}

}  // namespace tessera

#include <fmt/format.h>

#include <set>

#include "network/builder.hpp"
#include "network/import/csv/columns.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kMostSize = 65535;

class Layer {
 public:
  Layer(const CsvLine& line, const Columns& columns) : line_(line), columns_(columns) {
    if (name().empty()) {
      throw InputError(line.where + "the layer has no name");
    }
    refuse_unnamed();
    refuse_sparsity();
    if (const std::size_t* batch = column(Column::Batch); batch != nullptr) {
      csv_number(line_, *batch, what(Column::Batch), 1, 1);
    }
  }

  [[nodiscard]] const std::string& name() const { return line_.cells[*column(Column::Name)]; }
  [[nodiscard]] const std::string& where() const { return line_.where; }

  [[nodiscard]] std::int32_t size(Column of) const {
    return static_cast<std::int32_t>(csv_number(line_, *column(of), what(of), 1, kMostSize));
  }
  /// That of the height when the table has no other.
  [[nodiscard]] std::int32_t stride_width() const {
    return size(column(Column::StrideWidth) != nullptr ? Column::StrideWidth : Column::Stride);
  }

 private:
  // Not there: nullptr. Cells that the line lacks are empty.
  [[nodiscard]] const std::size_t* column(Column of) const {
    const auto& at = columns_.at[static_cast<std::size_t>(of)];
    return at ? &*at : nullptr;
  }

  [[nodiscard]] std::string what(Column of) const {
    return fmt::format("column {} ({})", *column(of) + 1, name_of(of));
  }

  // Right behind the table: a column whose name was forgotten.
  void refuse_unnamed() const {
    if (columns_.count < line_.cells.size() && !line_.cells[columns_.count].empty()) {
      throw InputError(fmt::format(
          "{}column {} has no name in the header and is `{}` here; allowed is an empty cell",
          line_.where, columns_.count + 1, line_.cells[columns_.count]));
    }
  }

  void refuse_sparsity() const {
    const std::size_t* const at = column(Column::Sparsity);
    const std::string ratio = at != nullptr && *at < line_.cells.size() ? line_.cells[*at] : "";
    const std::size_t colon = ratio.find(':');
    const bool dense = ratio.empty() || ratio == "1" ||
                       (colon != std::string::npos && colon > 0 &&
                        ratio.find_first_not_of("0123456789:") == std::string::npos &&
                        ratio.substr(0, colon) == ratio.substr(colon + 1));
    if (!dense) {
      throw InputError(fmt::format("{}{} is `{}`; allowed is 1:1: dense layers", line_.where,
                                   what(Column::Sparsity), ratio));
    }
  }

  const CsvLine& line_;
  const Columns& columns_;
};

// Padding after the last row so that ceil((in - filter) / stride) + 1 windows fit.
std::int32_t overhang(std::int32_t in, std::int32_t filter, std::int32_t stride,
                      const std::string& where) {
  if (filter > in) {
    throw InputError(fmt::format("{}filter {} is larger than input {}", where, filter, in));
  }
  const std::int32_t rest = (in - filter) % stride;
  return rest == 0 ? 0 : stride - rest;
}

void add_convolution(NetworkBuilder& builder, const Layer& layer) {
  const std::int32_t h = layer.size(Column::InputHeight);
  const std::int32_t w = layer.size(Column::InputWidth);
  const std::int32_t filter_h = layer.size(Column::FilterHeight);
  const std::int32_t filter_w = layer.size(Column::FilterWidth);
  Conv2d conv;
  conv.stride_h = layer.size(Column::Stride);
  conv.stride_w = layer.stride_width();
  conv.padding.bottom = overhang(h, filter_h, conv.stride_h, layer.where());
  conv.padding.right = overhang(w, filter_w, conv.stride_w, layer.where());
  const std::int32_t input =
      builder.input(layer.name() + "/input", {1, h, w, layer.size(Column::Channels)});
  builder.output(
      builder.conv2d(layer.name(), input, layer.size(Column::Filters), filter_h, filter_w, conv));
}

// [M, K] x [K, N]: each row is a pixel of K channels.
void add_product(NetworkBuilder& builder, const Layer& layer) {
  const std::int32_t input = builder.input(
      layer.name() + "/input", {1, layer.size(Column::Rows), 1, layer.size(Column::Inner)});
  builder.output(builder.conv2d(layer.name(), input, layer.size(Column::Columns), 1, 1, Conv2d{}));
}

}  // namespace

Network import_csv(const std::string& text, const std::string& name, std::uint64_t seed) {
  const CsvTable table = read_csv(text, name);
  const Columns columns = columns_of(table.header);
  NetworkBuilder builder(name, seed);
  std::set<std::string> names;
  for (const CsvLine& line : table.lines) {
    const Layer layer(line, columns);
    if (!names.insert(layer.name()).second) {
      throw InputError(fmt::format("{}layer `{}` appears twice", line.where, layer.name()));
    }
    if (columns.products) {
      add_product(builder, layer);
    } else {
      add_convolution(builder, layer);
    }
  }
  if (names.empty()) {
    throw InputError(name + ": no layers");
  }
  return builder.finish();
}

}  // namespace tessera

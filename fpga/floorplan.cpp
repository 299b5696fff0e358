#include "fpga/floorplan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

namespace tessera::fpga {
namespace {

constexpr std::uint32_t kFirstColumn = 4;
constexpr std::uint32_t kBlockColumns = 9;
constexpr std::uint32_t kMiddleColumns = 2;

struct Column {
  std::uint32_t x = 0;
  std::uint32_t z = 0;  ///< of the multipliers of a block
};

std::vector<Column> columns_of(const MultiplierSites& sites) {
  std::vector<Column> columns;
  for (std::uint32_t b = 0; b < sites.left_blocks + sites.right_blocks; ++b) {
    const std::uint32_t begin =
        kFirstColumn + b * kBlockColumns + (b < sites.left_blocks ? 0 : kMiddleColumns);
    for (const std::uint32_t z : {0U, 1U, 4U, 5U}) {
      columns.push_back({begin + z, z});
    }
  }
  return columns;
}

/// The number in `array[number]` of a cell's name.
std::optional<std::uint32_t> index_in(const std::string& name, const std::string& array) {
  const std::size_t begin = name.find(array + "[");
  if (begin == std::string::npos) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(std::stoul(name.substr(begin + array.size() + 1)));
}

}  // namespace

OrderedMultipliers multipliers_in_order(const Family& family, const Hardware& hardware,
                                        const nlohmann::ordered_json& cells) {
  using Key = std::tuple<double, bool, std::uint32_t, std::string>;
  std::vector<Key> keys;
  const std::vector<const char*>& types = family.dsps.cells;
  for (const auto& [name, cell] : cells.items()) {
    const auto type = cell.at("type").get<std::string>();
    if (std::find(types.begin(), types.end(), type) == types.end()) {
      continue;
    }
    const auto kernel = index_in(name, "gen_kernels");
    const auto lane = index_in(name, "gen_lanes");
    constexpr double kMiddle = 0.5;
    const double place = kernel ? (*kernel + kMiddle) / hardware.atomic_k
                         : lane ? (*lane + kMiddle) / hardware.post_lanes
                                : 1;
    keys.emplace_back(place, lane.has_value(), index_in(name, "gen_products").value_or(0), name);
  }
  std::sort(keys.begin(), keys.end());
  OrderedMultipliers found;
  for (const Key& key : keys) {
    found.names.push_back(std::get<3>(key));
  }
  const auto of_first = std::count_if(keys.begin(), keys.end(), [&](const Key& key) {
    return std::get<0>(key) * hardware.atomic_k < 1;
  });
  found.together = static_cast<std::size_t>(std::max<std::ptrdiff_t>(of_first, 1));
  return found;
}

std::vector<std::string> multiplier_sites(const Part& part, std::size_t count,
                                          std::size_t together) {
  const std::vector<Column> columns = columns_of(part.multipliers);
  const std::vector<std::uint32_t>& rows = part.multipliers.rows;
  const auto first_of = [](std::size_t all, std::size_t taken) { return (all - taken + 1) / 2; };
  std::size_t taken = 0, in_row = 0, extent = SIZE_MAX;
  for (std::size_t r = 1; r <= rows.size(); ++r) {
    const std::size_t even = (count + r - 1) / r;
    if (even > columns.size() || even == 0) {
      continue;
    }
    const std::size_t whole = (even + together - 1) / together * together;
    const std::size_t wanted = r > 1 && whole <= columns.size() ? whole : even;
    const std::size_t row = first_of(rows.size(), r);
    const std::size_t column = first_of(columns.size(), wanted);
    const std::size_t size =
        columns[column + wanted - 1].x - columns[column].x + rows[row + r - 1] - rows[row];
    if (size < extent) {
      std::tie(taken, in_row, extent) = std::tuple(r, wanted, size);
    }
  }
  std::vector<std::string> sites;
  if (taken == 0) {
    return sites;
  }
  const std::size_t row = first_of(rows.size(), taken);
  const std::size_t middle = (taken - 1) / 2;
  for (std::size_t r = 0; r < taken; ++r) {
    // The middle one and those above it, then those below it.
    const std::uint32_t y = rows[row + (r + middle < taken ? middle + r : taken - 1 - r)];
    const std::size_t here = std::min(in_row, count - sites.size());
    const std::size_t column = first_of(columns.size(), in_row) + (in_row - here) / 2;
    for (std::size_t i = 0; i < here; ++i) {
      sites.push_back(
          fmt::format("X{}/Y{}/MULT18_{}", columns[column + i].x, y, columns[column + i].z));
    }
  }
  return sites;
}

void place_multipliers(const Part& part, const Hardware& hardware, nlohmann::ordered_json& top) {
  nlohmann::ordered_json& cells = top.at("cells");
  const OrderedMultipliers order = multipliers_in_order(*part.family, hardware, cells);
  const std::vector<std::string> sites = multiplier_sites(part, order.names.size(), order.together);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    cells.at(order.names[i])["attributes"]["BEL"] = sites[i];
  }
}

}  // namespace tessera::fpga

// Strategies as names and numbers.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tessera/schedule.hpp"

namespace tessera {
namespace {

template <class... Alternatives>
struct Overloaded : Alternatives... {
  using Alternatives::operator()...;
};
template <class... Alternatives>
Overloaded(Alternatives...) -> Overloaded<Alternatives...>;

std::set<Mode> modes_of(const Strategy& strategy) {
  const auto all = [](const auto& tiles) {
    return std::set<Mode>(tiles.modes.begin(), tiles.modes.end());
  };
  return std::visit(Overloaded{[&](const SpatialTiles& tiles) { return all(tiles); },
                               [&](const ChannelSplit& split) { return all(split); },
                               [](const SumBlocks& blocks) { return std::set<Mode>{blocks.mode}; },
                               [](const ResidentIfmap&) { return std::set<Mode>{Mode::Wait}; },
                               [](const auto&) { return std::set<Mode>{Mode::Direct}; }},
                    strategy);
}

bool has_line_buffer(const Strategy& strategy) {
  return std::visit(Overloaded{[](const SpatialTiles& tiles) { return tiles.line_buffer; },
                               [](const ResidentIfmap& ifmap) { return ifmap.line_buffer; },
                               [](const auto&) { return false; }},
                    strategy);
}

/// A group of several layers.
bool is_fused(const Strategy& strategy) {
  const auto* rows = std::get_if<DepthFirst>(&strategy);
  return rows != nullptr && !rows->is_alone;
}

}  // namespace

const std::vector<std::string>& policy_names() {
  static const std::vector<std::string> names = {"first-fit", "best"};
  return names;
}

const std::vector<std::string>& objective_names() {
  static const std::vector<std::string> names = {"cycles", "traffic", "energy"};
  return names;
}

const char* name_of(Mode mode) {
  switch (mode) {
    case Mode::Direct:
      return "direct";
    case Mode::PingPong:
      return "ping-pong";
    case Mode::Wait:
      return "wait";
  }
  return "";
}

TileGrid grid_of(const Strategy& strategy) {
  return std::visit(Overloaded{[](const KernelSplit& split) {
                                 return TileGrid{1, split.strips};
                               },
                               [](const DepthFirst&) { return TileGrid{}; },
                               [](const auto& tiled) { return tiled.grid; }},
                    strategy);
}

std::uint32_t channel_parts(const Strategy& strategy) {
  return std::visit(
      Overloaded{[](const SpatialTiles&) { return 1U; }, [](const KernelSplit&) { return 1U; },
                 [](const DepthFirst&) { return 1U; },
                 [](const auto& split) { return split.parts; }},
      strategy);
}

std::uint32_t kernel_parts(const Strategy& strategy) {
  const auto* split = std::get_if<KernelSplit>(&strategy);
  return split == nullptr ? 1 : split->parts;
}

std::uint32_t rows_at_once(const Strategy& strategy) {
  return std::visit(Overloaded{[](const KernelSplit& split) { return split.rows; },
                               [](const DepthFirst& group) { return group.rows; },
                               [](const auto&) { return 0U; }},
                    strategy);
}

bool is_split(const Strategy& strategy) {
  return channel_parts(strategy) * grid_of(strategy).tiles() > 1;
}

std::string mode_name(const Strategy& strategy) {
  return is_fused(strategy)                                 ? "row-by-row"
         : rows_at_once(strategy) > 0 || is_split(strategy) ? "split"
                                                            : name_of(*modes_of(strategy).begin());
}

std::string long_name(const Strategy& strategy) {
  const TileGrid grid = grid_of(strategy);
  if (const std::uint32_t rows = rows_at_once(strategy); rows > 0) {
    const std::uint32_t parts = kernel_parts(strategy);
    const std::string kernels = parts > 1 ? fmt::format(" k{}", parts) : "";
    const std::string columns = grid.cols > 1 ? fmt::format(" 1x{}", grid.cols) : "";
    return fmt::format("{}{}{}, {} row{} at once", is_fused(strategy) ? "row by row" : "split",
                       kernels, columns, rows, rows > 1 ? "s" : "");
  }
  if (!is_split(strategy)) {
    return mode_name(strategy);
  }
  std::string text = "split";
  if (const std::uint32_t parts = channel_parts(strategy); parts > 1) {
    text += fmt::format(" c{}", parts);
  }
  if (grid.tiles() > 1) {
    text += fmt::format(" {}x{}", grid.rows, grid.cols);
  }
  text += " (";
  std::string separator;
  for (const Mode mode : modes_of(strategy)) {
    text += separator + name_of(mode);
    separator = "+";
  }
  return text + (has_line_buffer(strategy) ? ", rolling)" : ")");
}

std::string PassRecord::long_name() const {
  const std::string columns =
      output_columns > 1 ? fmt::format(", {} columns at once", output_columns) : "";
  return tessera::long_name(strategy) + columns +
         (ifmap_kept && ofmap_kept ? ", in and out kept"
          : ifmap_kept             ? ", in kept"
          : ofmap_kept             ? ", out kept"
                                   : "");
}

}  // namespace tessera

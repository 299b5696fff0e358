#include "fpga/placer_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "console/text_table.hpp"

namespace tessera::fpga {
namespace {

// The number behind a mark, such as "iter=".
std::optional<std::uint64_t> number_behind(const std::string& line, const std::string& mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string::npos) {
    return std::nullopt;
  }
  const std::size_t digit = line.find_first_not_of(' ', at + mark.size());
  std::uint64_t number = 0;
  if (digit == std::string::npos ||
      std::from_chars(line.data() + digit, line.data() + line.size(), number).ec != std::errc()) {
    return std::nullopt;
  }
  return number;
}

// Of a line of the router's table, which has four columns before: `Info: 5000 | 1 2 | 3 4| 97|
// ...`.
std::optional<std::uint64_t> remaining_in(const std::string& line) {
  std::size_t at = 0;
  for (int bar = 0; bar < 3; ++bar) {
    at = line.find('|', at);
    if (at == std::string::npos) {
      return std::nullopt;
    }
    ++at;
  }
  return number_behind(line.substr(at - 1), "|");
}

}  // namespace

PlacerProgress progress_in(const std::filesystem::path& log) {
  PlacerProgress progress{"packing", 0, 1};
  std::ifstream in(log);
  bool routes = false;
  // A line without its end is still being written.
  for (std::string line; std::getline(in, line) && !in.eof();) {
    const auto round = number_behind(line, "at iteration #");
    const auto arcs =
        line.find(" arcs.") == std::string::npos ? std::nullopt : number_behind(line, "Routing ");
    if (!routes && round) {
      const bool moves = line.find("temp = ") != std::string::npos;
      progress.what =
          fmt::format("{}, round {}", moves ? "improving the placement" : "placing", *round);
    } else if (arcs) {
      routes = true;
      progress = {"routing", 0, std::max<std::uint64_t>(*arcs, 1)};
    } else if (const auto left = routes ? remaining_in(line) : std::nullopt) {
      progress.done = progress.whole - std::min(progress.whole, *left);
      progress.what = fmt::format("routing, {} of {} connections to go", grouped(*left),
                                  grouped(progress.whole));
    } else if (const auto used_twice = number_behind(line, "overused=")) {
      progress.what = fmt::format("routing, {} wires used twice", grouped(*used_twice));
    }
  }
  return progress;
}

}  // namespace tessera::fpga

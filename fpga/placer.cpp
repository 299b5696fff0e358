#include "fpga/placer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>

#include "fpga/longest_path.hpp"
#include "fpga/netlist.hpp"
#include "fpga/parts/estimate.hpp"
#include "sim/tools/shell.hpp"
#include "tessera/config.hpp"

namespace tessera::fpga {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDelays = "delays.sdf";
constexpr const char* kPromisedPath = "promised-path.json";
constexpr double kNsPerMhz = 1000;  // a period's nanoseconds times its MHz

// Those that fit by their estimates: of hardware with the control that there are estimates of.
std::string smaller_presets(const Part& part, const Hardware& hardware) {
  std::vector<std::string> names;
  if (!has_estimates(part)) {
    return "";
  }
  for (const std::string& file : preset_files()) {
    const fs::path path(file);
    if (path.parent_path().filename() != "hardware") {
      continue;
    }
    const Hardware preset = hardware_preset(path.stem().string());
    const bool fits =
        preset.control == estimated_control(part) && estimate(part, preset).fits(part);
    const bool smaller =
        preset.macs_per_cycle() < hardware.macs_per_cycle() ||
        (preset.control == Control::Microcode && hardware.control == Control::Units);
    if (fits && smaller) {
      names.push_back(path.stem().string());
    }
  }
  return names.empty() ? ""
                       : fmt::format("; smaller presets that fit by their estimates: {}",
                                     fmt::join(names, ", "));
}

}  // namespace

std::uint32_t Utilisation::used(const Resource& resource) const {
  std::uint32_t sum = 0;
  for (const char* cell : resource.cells) {
    const auto found = cells.find(cell);
    sum += found == cells.end() ? 0 : found->second.first;
  }
  return sum;
}

Utilisation utilisation_in(const fs::path& log) {
  Utilisation found;
  const std::regex line(R"(Info:\s+(\w+):\s+(\d+)/\s*(\d+)\s+\d+%)");
  std::ifstream in(log);
  for (std::string text; std::getline(in, text);) {
    std::smatch match;
    // The last one counts: packing changes them.
    if (std::regex_search(text, match, line)) {
      found.cells[match[1]] = {static_cast<std::uint32_t>(std::stoul(match[2])),
                               static_cast<std::uint32_t>(std::stoul(match[3]))};
    }
  }
  return found;
}

std::string what_is_missing(const Part& part, const Utilisation& utilisation,
                            const Hardware& hardware) {
  struct Kind {
    const Resource* resource;
    std::uint32_t Part::*available;
    const char* help;
  };
  const Family& family = *part.family;
  const std::vector<Kind> kinds = {
      {&family.luts, &Part::luts, "hardware.array, hardware.post_lanes and hardware.bus_bytes"},
      {&family.brams, &Part::brams,
       "hardware.cbuf, hardware.accumulators, hardware.param_groups and hardware.post_lanes"},
      {&family.dsps, &Part::dsps, "hardware.array and hardware.post_lanes"}};
  std::vector<std::string> missing;
  std::vector<std::string> help;
  for (const Kind& kind : kinds) {
    const std::uint32_t used = utilisation.used(*kind.resource);
    if (used > part.*kind.available) {
      missing.push_back(fmt::format("{} {}, of which it has {}", used, kind.resource->name,
                                    part.*kind.available));
      help.push_back(fmt::format("{} need fewer {}", kind.help, kind.resource->name));
    }
  }
  const auto is_of_a_kind = [&](const std::string& cell) {
    return std::any_of(kinds.begin(), kinds.end(), [&](const Kind& kind) {
      const std::vector<const char*>& cells = kind.resource->cells;
      return std::find(cells.begin(), cells.end(), cell) != cells.end();
    });
  };
  for (const auto& [cell, counts] : utilisation.cells) {
    if (counts.first > counts.second && !is_of_a_kind(cell)) {
      missing.push_back(
          fmt::format("{} {}, of which it has {}", counts.first, cell, counts.second));
    }
  }
  if (missing.empty()) {
    return "";
  }
  std::vector<std::string> larger;
  for (const Part& other : parts()) {
    const auto holds = [&](const Kind& kind) {
      return utilisation.used(*kind.resource) <= other.*kind.available;
    };
    if (other.family == part.family && std::all_of(kinds.begin(), kinds.end(), holds)) {
      larger.push_back(other.name);
    }
  }
  return fmt::format("{} x {} MACs do not fit {}: they need {}{}{}{}", hardware.atomic_c,
                     hardware.atomic_k, part.title, fmt::join(missing, "; "),
                     larger.empty() ? "; no part of this family has them"
                                    : fmt::format("; {} has them", fmt::join(larger, ", ")),
                     help.empty() ? "" : fmt::format("; smaller {}", fmt::join(help, "; smaller ")),
                     smaller_presets(part, hardware));
}

std::string packing_command(const Part& part, const std::string& tool, const std::string& netlist,
                            const fs::path& folder) {
  const Family& family = *part.family;
  std::string pins = family.without_pins;
  if (!part.pins.empty()) {
    std::ofstream(folder / family.pins_file) << part.pins;
    pins = fmt::format(fmt::runtime(family.pins_option), family.pins_file);
  }
  return fmt::format("{} {} {} {} --json {}", tool, part.options, family.placer_options, pins,
                     shell_quoted(netlist));
}

std::string placer_command(const Part& part, const std::string& tool, const std::string& netlist,
                           const PlacerOrder& order, const fs::path& folder) {
  const Family& family = *part.family;
  // Timing that misses the aim is a result, not a failure.
  const std::string command =
      fmt::format("{} --freq {} --seed {} --timing-allow-fail",
                  packing_command(part, tool, netlist, folder), order.mhz, order.seed);
  if (!order.route) {
    return fmt::format("{} --no-route --sdf {}", command, kDelays);
  }
  return fmt::format("{} --report report.json {} {}", command, family.placed_option,
                     family.placed_file);
}

void keep_longest_path(const fs::path& folder) {
  constexpr double kRounded = 0.01;  // of MHz, as the log has them
  const fs::path delays = folder / kDelays;
  const std::vector<PathStep> path = longest_path_in(delays);
  fs::remove(delays);  // as large as the netlist
  double ns = 0;
  for (const PathStep& step : path) {
    ns += step.ns;
  }
  const double promised = promised_in(folder / "placer.log");
  // With several clocks the longest path may be none that the promise is of.
  if (path.empty() || std::abs(kNsPerMhz / ns - promised) > kRounded) {
    return;
  }
  nlohmann::json json;
  for (const PathStep& step : path) {
    json.push_back({{"module", step.module}, {"what", step.what}, {"ns", step.ns}});
  }
  std::ofstream(folder / kPromisedPath) << json.dump(1) << "\n";
}

double promised_in(const fs::path& log) {
  std::map<std::string, double> clocks;
  const std::regex line(R"(Max frequency for clock\s+'([^']*)':\s+([0-9.]+) MHz)");
  std::ifstream in(log);
  for (std::string text; std::getline(in, text);) {
    std::smatch match;
    // The first one of each clock: there is another one behind the routing.
    if (std::regex_search(text, match, line)) {
      clocks.emplace(match[1], std::stod(match[2]));
    }
  }
  if (clocks.empty()) {
    throw std::runtime_error(log.string() + ": no clock");
  }
  return std::min_element(clocks.begin(), clocks.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->second;
}

Placement read_placement(const fs::path& folder, std::uint32_t seed) {
  Placement placement;
  placement.seed = seed;
  placement.promised_mhz = promised_in(folder / "placer.log");
  const fs::path report = folder / "report.json";
  if (!fs::exists(report)) {
    std::ifstream in(folder / kPromisedPath);
    for (const nlohmann::json& step : in ? nlohmann::json::parse(in) : nlohmann::json::array()) {
      placement.critical_path.push_back({step.at("module"), step.at("what"), step.at("ns")});
    }
    return placement;
  }
  std::ifstream in(report);
  const nlohmann::json json = nlohmann::json::parse(in);
  for (const auto& [clock, fmax] : json.at("fmax").items()) {
    const double mhz = fmax.at("achieved").get<double>();
    placement.mhz = placement.mhz == 0 ? mhz : std::min(placement.mhz, mhz);
  }
  if (placement.mhz == 0) {
    throw std::runtime_error(report.string() + ": no clock");
  }
  double longest = 0;
  for (const nlohmann::json& path : json.at("critical_paths")) {
    const auto edge = [&](const char* end) { return path.at(end).get<std::string>(); };
    if (edge("from").rfind("posedge", 0) != 0 || edge("to").rfind("posedge", 0) != 0) {
      continue;
    }
    double total = 0;
    std::vector<PathStep> steps;
    for (const nlohmann::json& step : path.at("path")) {
      const double ns = step.at("delay").get<double>();
      total += ns;
      steps.push_back({module_of(step.at("to").at("cell").get<std::string>()),
                       step.at("type").get<std::string>(), ns});
    }
    if (total > longest) {
      longest = total;
      placement.critical_path = steps;
    }
  }
  return placement;
}

}  // namespace tessera::fpga

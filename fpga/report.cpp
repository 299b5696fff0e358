#include "fpga/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "console/text_table.hpp"

namespace tessera::fpga {
namespace {

using Json = nlohmann::ordered_json;

// To so many parts of one.
double rounded(double value, double parts) {
  return std::round(value * parts) / parts;
}

double inferences_per_second(const Design& design, const Speed& speed) {
  const double mhz = design.clock_mhz > 0 ? design.clock_mhz : design.fastest().mhz;
  return mhz * 1e6 / static_cast<double>(std::max<std::uint64_t>(speed.cycles, 1));
}

Json area_of(const Usage& usage) {
  return {{"luts", usage.luts}, {"ffs", usage.ffs}, {"brams", usage.brams}, {"dsps", usage.dsps}};
}

Json hardware_of(const Design& design) {
  const Hardware& hardware = design.hardware;
  Json json = {{"name", hardware.name}};
  for (const auto& [name, value] : hardware.rtl_parameters()) {
    json[name] = value;
  }
  json["LutMultipliers"] = design.lut_multipliers;
  return json;
}

std::string name_of(const std::string& module) {
  return module.empty() ? "(top)" : module;
}

// Steps of one module that follow each other are one line.
std::vector<PathStep> by_module(const std::vector<PathStep>& path) {
  std::vector<PathStep> joined;
  for (const PathStep& step : path) {
    if (joined.empty() || joined.back().module != step.module) {
      joined.push_back({step.module, "", 0});
    }
    joined.back().ns += step.ns;
  }
  return joined;
}

}  // namespace

std::string to_json(const Design& design, const std::optional<Speed>& speed) {
  const Part& part = *design.part;
  Json json;
  json["schema"] = "tessera.fpga/1";
  json["part"] = part.name;
  json["board"] = design.board.empty() ? Json() : Json(design.board);
  json["clock_mhz"] = design.clock_mhz > 0 ? Json(design.clock_mhz) : Json();
  json["hardware"] = hardware_of(design);
  json["luts"] = design.usage.luts;
  json["luts_available"] = part.luts;
  json["ffs"] = design.usage.ffs;
  json["ffs_available"] = part.ffs;
  json["brams"] = design.usage.brams;
  json["brams_available"] = part.brams;
  json["dsps"] = design.usage.dsps;
  json["dsps_available"] = part.dsps;
  json["missing"] = design.missing.empty() ? Json() : Json(design.missing);
  json["fmax_mhz"] = design.is_routed() ? Json(rounded(design.fastest().mhz, 100)) : Json();
  json["promised_mhz"] =
      design.is_placed() ? Json(rounded(design.fastest().promised_mhz, 100)) : Json();
  json["placements"] = Json::array();
  for (const Placement& placement : design.placements) {
    json["placements"].push_back(
        {{"seed", placement.seed},
         {"fmax_mhz", placement.mhz > 0 ? Json(rounded(placement.mhz, 100)) : Json()},
         {"promised_mhz", rounded(placement.promised_mhz, 100)}});
  }
  json["critical_path"] = Json::array();
  for (const PathStep& step :
       design.is_placed() ? design.fastest().critical_path : std::vector<PathStep>{}) {
    json["critical_path"].push_back(
        {{"module", step.module}, {"what", step.what}, {"ns", rounded(step.ns, 1000)}});
  }
  json["modules"] = Json::array();
  for (const ModuleArea& area : design.modules) {
    Json entry = {{"module", area.module}};
    entry.update(area_of(area.usage));
    json["modules"].push_back(entry);
  }
  json["bitstream"] = design.bitstream.empty() ? Json() : Json(design.bitstream);
  json["tools"] = Json::object();
  for (const auto& [tool, version] : design.tools) {
    json["tools"][tool] = version;
  }
  json["seconds"] = rounded(design.seconds, 10);
  if (speed) {
    json["network"] = speed->network;
    json["cycles"] = speed->cycles;
    json["inferences_per_second"] =
        design.is_routed() ? Json(rounded(inferences_per_second(design, *speed), 1000)) : Json();
  }
  return json.dump(2) + "\n";
}

std::string to_text(const Design& design, const std::optional<Speed>& speed) {
  const Part& part = *design.part;
  const Family& family = *part.family;
  const auto line = [](const char* name, std::uint32_t used, std::uint32_t has) {
    return Row{name, grouped(used), grouped(has),
               has == 0 ? "" : fmt::format("{:.0f} %", 100.0 * used / has)};
  };
  std::string text = fmt::format("{} on {}\n", design.hardware.name, part.title);
  text += aligned({{"resource", "used", "there are", "share"},
                   line(family.luts.name, design.usage.luts, part.luts),
                   line(family.ffs.name, design.usage.ffs, part.ffs),
                   line(family.brams.name, design.usage.brams, part.brams),
                   line(family.dsps.name, design.usage.dsps, part.dsps)},
                  1);
  std::vector<Row> modules = {{"module", "LUT", "FF", "RAM", "DSP"}};
  for (const ModuleArea& area : design.modules) {
    modules.push_back({name_of(area.module), grouped(area.usage.luts), grouped(area.usage.ffs),
                       grouped(area.usage.brams), grouped(area.usage.dsps)});
  }
  text += "\ncells after synthesis, by module\n" + aligned(modules, 1);
  if (!design.is_placed()) {
    return text;
  }
  std::vector<Row> path = {
      {design.is_routed() ? "critical path" : "longest path before routing", "ns"}};
  for (const PathStep& step : by_module(design.fastest().critical_path)) {
    path.push_back({name_of(step.module), fmt::format("{:.2f}", step.ns)});
  }
  if (path.size() > 1) {
    text += "\n" + aligned(path, 1);
  }
  if (!design.is_routed()) {
    return text + fmt::format("\nnot routed; the placer promises {:.1f} MHz\n",
                              design.fastest().promised_mhz);
  }
  double slowest = design.fastest().mhz;
  for (const Placement& placement : design.placements) {
    slowest = std::min(slowest, placement.mhz);
  }
  text += fmt::format("\n{:.1f} MHz", design.fastest().mhz);
  if (design.placements.size() > 1) {
    text += fmt::format(" with seed {}, the slowest of {} has {:.1f}", design.fastest().seed,
                        design.placements.size(), slowest);
  }
  if (design.clock_mhz > 0) {
    text += fmt::format("; the board's clock has {}", design.clock_mhz);
  }
  if (speed) {
    text += fmt::format("; {}: {} cycles, {:.1f} inferences per second", speed->network,
                        grouped(speed->cycles), inferences_per_second(design, *speed));
  }
  return text + "\n";
}

}  // namespace tessera::fpga

#include "fpga/netlist.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace tessera::fpga {
namespace {

struct Size {
  const char* prefix;
  Usage usage;
};

// Cell types by the beginning of their names, the longer ones first; all families have names of
// their own.
constexpr std::uint32_t kLutRam = 6;  // four LUTs that hold 16 x 4 bits and two that address them
const std::vector<Size>& sizes() {
  static const std::vector<Size> all = {
      {"LUT", {1, 0, 0, 0}},
      {"CCU2", {2, 0, 0, 0}},
      {"TRELLIS_DPR16X4", {kLutRam, 0, 0, 0}},
      {"TRELLIS_FF", {0, 1, 0, 0}},
      {"DPR16X4", {4, 0, 0, 0}},
      {"FD1P3", {0, 1, 0, 0}},
      {"DP16K", {0, 0, 1, 0}},
      {"PDPSC16K", {0, 0, 1, 0}},
      {"PDP16K", {0, 0, 1, 0}},
      {"PDPW16KD", {0, 0, 1, 0}},
      {"MULT", {0, 0, 0, 1}},
      {"SB_LUT4", {1, 0, 0, 0}},
      {"SB_DFF", {0, 1, 0, 0}},
      {"SB_RAM40", {0, 0, 1, 0}},
      {"SB_MAC16", {0, 0, 0, 1}},
      {"ALU54", {0, 0, 0, 1}},
      {"ALU", {1, 0, 0, 0}},
      {"RAM16S", {4, 0, 0, 0}},
      {"DFF", {0, 1, 0, 0}},
      {"SDP", {0, 0, 1, 0}},
      {"DPX9", {0, 0, 1, 0}},
      {"DPB", {0, 0, 1, 0}},
      {"SP", {0, 0, 1, 0}},
  };
  return all;
}

Usage size_of(const std::string& type) {
  for (const Size& size : sizes()) {
    if (type.rfind(size.prefix, 0) == 0) {
      return size.usage;
    }
  }
  return {};
}

}  // namespace

std::string module_of(const std::string& cell) {
  std::string path;
  std::size_t begin = 0;
  for (std::size_t dot = cell.find('.'); dot != std::string::npos; dot = cell.find('.', begin)) {
    const std::string part = cell.substr(begin, dot - begin);
    begin = dot + 1;
    if (part.rfind("u_", 0) == 0 && part != "u_npu" && part != "u_system") {
      path += (path.empty() ? "" : "/") + part;
    }
  }
  return path;
}

std::vector<ModuleArea> area_by_module(const std::filesystem::path& netlist, const std::string& top,
                                       std::size_t depth) {
  std::ifstream in(netlist);
  const nlohmann::json design = nlohmann::json::parse(in);
  std::map<std::string, Usage> areas;
  for (const auto& [name, cell] : design.at("modules").at(top).at("cells").items()) {
    std::string module = module_of(name);
    std::size_t end = 0;
    for (std::size_t level = 0; level < depth && end != std::string::npos; ++level) {
      end = module.find('/', end == 0 ? 0 : end + 1);
    }
    module = module.substr(0, end);
    const Usage size = size_of(cell.at("type").get<std::string>());
    Usage& area = areas[module];
    area.luts += size.luts;
    area.ffs += size.ffs;
    area.brams += size.brams;
    area.dsps += size.dsps;
  }
  std::vector<ModuleArea> sorted;
  sorted.reserve(areas.size());
  for (const auto& [module, usage] : areas) {
    sorted.push_back({module, usage});
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const ModuleArea& a, const ModuleArea& b) {
    return a.usage.luts > b.usage.luts;
  });
  return sorted;
}

}  // namespace tessera::fpga

#include "fpga/parts/area_dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "input/read_file.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera::fpga {
namespace {

Hardware hardware_from(const nlohmann::json& parameters) {
  const auto value = [&](const char* name) { return parameters.at(name).get<std::uint32_t>(); };
  Hardware hw;
  hw.atomic_c = value("AtomicC");
  hw.atomic_k = value("AtomicK");
  hw.cbuf_capacity = hw.cbuf_size = value("CbufBytes");
  hw.cbuf_banks = value("CbufBanks");
  hw.acc_words = value("AccWords");
  hw.param_groups = value("ParamGroups");
  hw.bus_bytes = value("BusBytes");
  hw.post_lanes = value("PostLanes");
  hw.read_outstanding = value("ReadOutstanding");
  hw.queue_depth = value("QueueDepth");
  hw.line_atoms = value("LineAtoms");
  hw.features = value("Features");
  return hw;
}

// Steps of the sequencer that are pitches' products: said apart where they are of logic though
// products of the array are not.
LogicMultipliers logic_of(const nlohmann::json& parameters, const Hardware& hardware) {
  const auto all = parameters.at("LutMultipliers").get<std::uint32_t>();
  const auto array = std::min(all, static_cast<std::uint32_t>(hardware.macs_per_cycle()));
  const std::uint32_t pitches = parameters.value("LogicSteps", all - array);
  return {all - pitches, pitches};
}

struct FamilyData {
  const char* family;
  Control control;                 ///< of all its designs
  std::vector<const char*> files;  ///< of configs/area
};

std::filesystem::path area_file(const char* name) {
  return data_dir() / "configs" / "area" / name;
}

const std::vector<FamilyData>& families() {
  static const std::vector<FamilyData> all = {
      {"ecp5", Control::Units, {"ecp5.json", "ecp5-25f.json"}},
      {"gowin", Control::Units, {"gw2a-18.json"}},
      {"ice40", Control::Microcode, {"ice40-up5k.json"}}};
  return all;
}

const FamilyData* data_of(const std::string& family) {
  const auto found = std::find_if(families().begin(), families().end(),
                                  [&](const FamilyData& data) { return data.family == family; });
  return found == families().end() ? nullptr : &*found;
}

}  // namespace

std::vector<CountedDesign> read_designs(const std::string& path) {
  const std::vector<std::uint8_t> text = read_file(path);
  try {
    std::vector<CountedDesign> designs;
    const nlohmann::json json = nlohmann::json::parse(text.begin(), text.end());
    for (const nlohmann::json& entry : json.at("designs")) {
      CountedDesign design;
      design.hardware = hardware_from(entry.at("parameters"));
      design.logic = logic_of(entry.at("parameters"), design.hardware);
      entry.at("luts").get_to(design.made.luts);
      entry.at("ffs").get_to(design.made.ffs);
      entry.at("brams").get_to(design.made.brams);
      entry.at("dsps").get_to(design.made.dsps);
      for (const auto& [module, cells] : entry.at("modules").items()) {
        design.modules[module] = {cells.at(0).get<double>(), cells.at(1).get<double>()};
      }
      design.made.mhz = entry.at("fmax_mhz").is_null() ? 0 : entry.at("fmax_mhz").get<double>();
      design.promised_mhz = entry.value("promised_mhz", 0.0);
      designs.push_back(std::move(design));
    }
    if (designs.empty()) {
      throw InputError(path + ": no designs to estimate from");
    }
    return designs;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

std::vector<CountedDesign> area_dataset(const std::string& family) {
  std::vector<CountedDesign> all;
  const FamilyData* data = data_of(family);
  if (data == nullptr) {
    return all;
  }
  for (const char* file : data->files) {
    std::vector<CountedDesign> some = read_designs(area_file(file).string());
    for (CountedDesign& design : some) {
      design.hardware.control = data->control;
    }
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

double routed_over_promised(const std::string& family) {
  double sum = 0;
  std::size_t count = 0;
  for (const CountedDesign& design : area_dataset(family)) {
    if (design.made.mhz > 0 && design.promised_mhz > 0) {
      sum += std::log(design.made.mhz / design.promised_mhz);
      ++count;
    }
  }
  return count == 0 ? 1 : std::exp(sum / static_cast<double>(count));
}

bool has_estimates(const Part& part) {
  return data_of(part.family->name) != nullptr;
}

Control estimated_control(const Part& part) {
  if (!has_estimates(part)) {
    throw InputError(fmt::format(
        "for {} there are no estimates; `cosim fpga` counts and places what is put on it",
        part.name));
  }
  return data_of(part.family->name)->control;
}

}  // namespace tessera::fpga

#include "fpga/parts/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "fpga/parts/least_squares.hpp"
#include "fpga/parts/memories.hpp"
#include "input/read_file.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera::fpga {
namespace {

double flag(const Hardware& hw, isa::Feature feature) {
  return hw.has(feature) ? 1 : 0;
}

// Lanes of a ring of so many bytes, by the levels of its rotators.
double rotated(std::uint32_t bytes) {
  const double levels = std::ceil(std::log2(bytes));
  return std::exp2(levels) * levels;
}

MemoryCells memory_cells(const Hardware& hw) {
  MemoryCells all;
  for (const Memory& memory : memories_of(hw)) {
    const MemoryCells cells = ecp5_cells(memory);
    all.brams += cells.brams;
    all.distributed += cells.distributed;
  }
  return all;
}

// What lookup tables and flip-flops grow with.
std::vector<double> area_terms(const Hardware& hw, std::uint32_t soft) {
  const double c = hw.atomic_c;
  const double k = hw.atomic_k;
  const double bus = hw.bus_bytes;
  const double lanes = hw.post_lanes;
  const double folding = flag(hw, isa::Feature::Folding);
  const double depthwise = flag(hw, isa::Feature::Depthwise);
  const double operands = flag(hw, isa::Feature::Operands);
  const double keep = flag(hw, isa::Feature::Keep);
  const double zeros = flag(hw, isa::Feature::ZeroPoints);
  const double checks = flag(hw, isa::Feature::Checksums);
  const Hardware::Window window = hw.depthwise_window();
  return {1,
          c,
          k,
          c * k,
          static_cast<double>(soft),
          lanes,
          rotated(hw.bus_bytes),
          rotated(std::max({hw.atomic_c, hw.atomic_k, 8U})),
          static_cast<double>(memory_cells(hw).distributed),
          hw.cbuf_banks * c,
          k * std::log2(std::max(2.0, k / lanes)),
          static_cast<double>(hw.read_outstanding),
          folding,
          folding * rotated(std::max(hw.atomic_c, hw.bus_bytes)),
          depthwise,
          depthwise * c * k,
          k * window.rows * window.cols,
          depthwise * (hw.atomic_c == hw.atomic_k ? 0 : k),
          flag(hw, isa::Feature::Tables) * lanes,
          operands,
          operands * lanes,
          keep,
          keep * c * std::log2(c),
          zeros,
          zeros * c,
          checks,
          checks * bus,
          flag(hw, isa::Feature::Counters)};
}

std::vector<double> clock_terms(const Hardware& hw, std::uint32_t soft) {
  return {1, std::log2(hw.atomic_c), std::log2(hw.bus_bytes), soft > 0 ? 1.0 : 0.0,
          flag(hw, isa::Feature::Folding)};
}

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

// Of the part's families only ECP5 has designs so far.
const AreaModel& ecp5_model() {
  static const AreaModel model(
      AreaModel::read_designs((data_dir() / "configs" / "area" / "ecp5.json").string()));
  return model;
}

}  // namespace

std::vector<MadeDesign> AreaModel::read_designs(const std::string& path) {
  const std::vector<std::uint8_t> text = read_file(path);
  try {
    std::vector<MadeDesign> designs;
    const nlohmann::json json = nlohmann::json::parse(text.begin(), text.end());
    for (const nlohmann::json& entry : json.at("designs")) {
      MadeDesign design;
      design.hardware = hardware_from(entry.at("parameters"));
      design.lut_multipliers = entry.at("parameters").at("LutMultipliers").get<std::uint32_t>();
      entry.at("luts").get_to(design.made.luts);
      entry.at("ffs").get_to(design.made.ffs);
      entry.at("brams").get_to(design.made.brams);
      entry.at("dsps").get_to(design.made.dsps);
      design.made.mhz = entry.at("fmax_mhz").is_null() ? 0 : entry.at("fmax_mhz").get<double>();
      designs.push_back(std::move(design));
    }
    return designs;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
}

AreaModel::AreaModel(const std::vector<MadeDesign>& designs) {
  std::vector<Observation> luts, ffs, ns;
  for (const MadeDesign& design : designs) {
    const std::vector<double> terms = area_terms(design.hardware, design.lut_multipliers);
    luts.push_back({terms, static_cast<double>(design.made.luts)});
    ffs.push_back({terms, static_cast<double>(design.made.ffs)});
    if (design.made.mhz > 0) {
      ns.push_back({clock_terms(design.hardware, design.lut_multipliers), 1000 / design.made.mhz});
    }
  }
  luts_ = least_squares(luts);
  ffs_ = least_squares(ffs);
  ns_ = least_squares(ns);
}

Estimate AreaModel::estimate(const Hardware& hardware, std::uint32_t soft) const {
  const auto rounded = [](double value) {
    return static_cast<std::uint32_t>(std::lround(std::max(value, 0.0)));
  };
  Estimate result;
  const std::vector<double> terms = area_terms(hardware, soft);
  result.luts = rounded(weighted_sum(terms, luts_));
  result.ffs = rounded(weighted_sum(terms, ffs_));
  result.brams = static_cast<std::uint32_t>(memory_cells(hardware).brams);
  result.dsps =
      static_cast<std::uint32_t>(hardware.macs_per_cycle()) - soft + other_multipliers(hardware);
  result.mhz =
      ns_.empty() ? 0 : 1000 / std::max(weighted_sum(clock_terms(hardware, soft), ns_), 1.0);
  return result;
}

bool has_estimates(const Part& part) {
  return part.family->name == "ecp5";
}

Estimate estimate(const Part& part, const Hardware& hardware) {
  return ecp5_model().estimate(hardware, lut_multipliers(part, hardware));
}

}  // namespace tessera::fpga

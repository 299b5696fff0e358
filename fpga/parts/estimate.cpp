#include "fpga/parts/estimate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
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
    const MemoryCells cells = cells_of(memory);
    all.brams += cells.brams;
    all.distributed += cells.distributed;
  }
  return all;
}

double distributed(const Memory& memory) {
  return static_cast<double>(cells_of(memory).distributed);
}

/// What modules grow with.
struct Sizes {
  explicit Sizes(const Hardware& hw, std::uint32_t soft_multipliers)
      : hardware(hw),
        c(hw.atomic_c),
        k(hw.atomic_k),
        bus(hw.bus_bytes),
        lanes(hw.post_lanes),
        soft(soft_multipliers),
        folding(flag(hw, isa::Feature::Folding)),
        depthwise(flag(hw, isa::Feature::Depthwise)),
        tables(flag(hw, isa::Feature::Tables)),
        operands(flag(hw, isa::Feature::Operands)),
        keep(flag(hw, isa::Feature::Keep)),
        zeros(flag(hw, isa::Feature::ZeroPoints)),
        checks(flag(hw, isa::Feature::Checksums)),
        counters(flag(hw, isa::Feature::Counters)),
        pieces(hw.atomic_c == hw.atomic_k ? 0 : 1) {}

  const Hardware& hardware;
  double c, k, bus, lanes, soft;
  double folding, depthwise, tables, operands, keep, zeros, checks, counters;
  double pieces;  ///< atoms and kernel groups are of other sizes
};

/// Modules by the beginning of their path, and what they grow with; the first that fits.
struct ModuleTerms {
  const char* prefix;
  std::vector<double> (*terms)(const Sizes& s);
};

const std::vector<ModuleTerms>& module_terms() {
  static const std::vector<ModuleTerms> all = {
      {"u_compute/u_array",
       [](const Sizes& s) {
         return std::vector<double>{s.k, s.c * s.k - s.soft, s.soft, s.depthwise * s.c * s.k};
       }},
      {"u_compute/u_accumulator",
       [](const Sizes& s) {
         return std::vector<double>{
             1, s.k, distributed({s.hardware.atomic_k * std::uint64_t{32}, s.hardware.acc_half()}),
             s.pieces * s.k, s.depthwise * s.k};
       }},
      {"u_compute/u_sequencer",
       [](const Sizes& s) {
         return std::vector<double>{1, s.depthwise, s.depthwise * s.pieces, std::log2(s.c)};
       }},
      {"u_compute/u_weight_loader",
       [](const Sizes& s) {
         return std::vector<double>{
             1, s.c, s.c * s.k, s.zeros * s.c, s.depthwise, s.depthwise * s.pieces * s.c};
       }},
      {"u_compute/u_window",
       [](const Sizes& s) {
         const Hardware::Window window = s.hardware.depthwise_window();
         return std::vector<double>{s.depthwise * s.k, s.depthwise * s.pieces * s.k,
                                    s.k * window.rows * window.cols,
                                    window.rows > 1 ? s.k * (window.rows - 1) : 0.0};
       }},
      {"u_compute",
       [](const Sizes& s) {
         return std::vector<double>{1, s.depthwise, s.c, s.zeros};
       }},
      {"u_store/u_drain",
       [](const Sizes& s) {
         return std::vector<double>{1,
                                    s.lanes,
                                    s.tables * s.lanes,
                                    s.operands,
                                    s.operands * s.lanes,
                                    s.k * std::log2(std::max(2.0, s.k / s.lanes)),
                                    s.operands * s.k};
       }},
      {"u_store/u_keeper",
       [](const Sizes& s) {
         return std::vector<double>{s.keep, s.keep * s.c * std::log2(s.c), s.keep * s.lanes};
       }},
      {"u_store/u_params",
       [](const Sizes& s) {
         const Memory memory = memories_of(s.hardware)[2];
         return std::vector<double>{1, s.lanes,
                                    distributed(memory) * static_cast<double>(memory.count)};
       }},
      {"u_store/u_operands",
       [](const Sizes& s) {
         return std::vector<double>{
             s.operands *
             distributed({s.hardware.atomic_k * std::uint64_t{8}, s.hardware.acc_words})};
       }},
      {"u_store/u_writer",
       [](const Sizes& s) {
         return std::vector<double>{1, rotated(s.hardware.bus_bytes), s.lanes};
       }},
      {"u_store/u_splitter",
       [](const Sizes& s) {
         return std::vector<double>{1, std::log2(s.bus)};
       }},
      {"u_store",
       [](const Sizes& s) {
         return std::vector<double>{1, s.operands, s.keep, s.c};
       }},
      {"u_load/u_folder",
       [](const Sizes& s) {
         const std::uint32_t bytes = std::max(s.hardware.atomic_c, s.hardware.bus_bytes);
         return std::vector<double>{s.folding, s.folding * rotated(bytes),
                                    s.folding * rotated(s.hardware.bus_bytes)};
       }},
      {"u_load/u_packer",
       [](const Sizes& s) {
         const std::uint32_t out = std::max({s.hardware.atomic_c, s.hardware.atomic_k, 8U});
         const std::uint32_t in = s.folding > 0
                                      ? std::max(s.hardware.atomic_c, s.hardware.bus_bytes)
                                      : s.hardware.bus_bytes;
         return std::vector<double>{1, rotated(out), rotated(in), rotated(std::max(in, out))};
       }},
      {"u_load/u_transfers",
       [](const Sizes& s) {
         return std::vector<double>{1, s.folding, s.checks};
       }},
      {"u_load/u_reader",
       [](const Sizes& s) {
         return std::vector<double>{1, static_cast<double>(s.hardware.read_outstanding),
                                    std::log2(s.bus)};
       }},
      {"u_load/u_splitter",
       [](const Sizes& s) {
         return std::vector<double>{1, std::log2(s.bus)};
       }},
      {"u_load/u_checksum",
       [](const Sizes& s) {
         return std::vector<double>{s.checks, s.checks * s.bus};
       }},
      {"u_load",
       [](const Sizes& s) {
         return std::vector<double>{1, s.c, s.k, s.folding, s.folding * s.c};
       }},
      {"u_front/u_fetch",
       [](const Sizes& s) {
         return std::vector<double>{1, s.bus, rotated(s.hardware.bus_bytes), s.checks,
                                    s.checks * (s.bus > 4 ? 1 : 0)};
       }},
      {"u_front",
       [](const Sizes& s) {
         return std::vector<double>{1, distributed({64, s.hardware.queue_depth})};
       }},
      {"u_cbuf",
       [](const Sizes& s) {
         return std::vector<double>{s.c, s.hardware.cbuf_banks * s.c,
                                    static_cast<double>(s.hardware.cbuf_banks), s.keep * s.c};
       }},
      {"u_control",
       [](const Sizes& s) {
         return std::vector<double>{1, s.counters, s.checks};
       }},
      {"", [](const Sizes& s) {
         return std::vector<double>{1, s.bus, s.c};
       }}};
  return all;
}

// Large designs have longer ways.
std::vector<double> clock_terms(double luts) {
  return {1, luts};
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

struct FamilyData {
  const char* family;
  std::vector<const char*> files;  ///< of configs/area
};

std::filesystem::path area_file(const char* name) {
  return data_dir() / "configs" / "area" / name;
}

const std::vector<FamilyData>& families() {
  static const std::vector<FamilyData> all = {{"ecp5", {"ecp5.json", "ecp5-25f.json"}},
                                              {"gowin", {"gw2a-18.json"}}};
  return all;
}

const FamilyData* data_of(const std::string& family) {
  const auto found = std::find_if(families().begin(), families().end(),
                                  [&](const FamilyData& data) { return data.family == family; });
  return found == families().end() ? nullptr : &*found;
}

const Family& find_family(const std::string& name) {
  return *std::find_if(parts().begin(), parts().end(), [&](const Part& part) {
            return part.family->name == name;
          })->family;
}

const AreaModel& model_of(const std::string& family) {
  static std::map<std::string, AreaModel> made;
  static std::mutex making;
  const std::lock_guard<std::mutex> lock(making);
  const auto found = made.find(family);
  return found != made.end()
             ? found->second
             : made.emplace(family, AreaModel(family, made_designs(family))).first->second;
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

std::vector<MadeDesign> made_designs(const std::string& family) {
  std::vector<MadeDesign> all;
  for (const char* file : data_of(family)->files) {
    const std::vector<MadeDesign> some = AreaModel::read_designs(area_file(file).string());
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

double routed_over_promised(const std::string& family) {
  double sum = 0;
  std::size_t count = 0;
  for (const MadeDesign& design : made_designs(family)) {
    if (design.made.mhz > 0 && design.promised_mhz > 0) {
      sum += std::log(design.made.mhz / design.promised_mhz);
      ++count;
    }
  }
  return count == 0 ? 1 : std::exp(sum / static_cast<double>(count));
}

AreaModel::AreaModel(const std::string& family, const std::vector<MadeDesign>& designs)
    : family_(&find_family(family)) {
  // What modules take that have the same terms.
  const std::vector<ModuleTerms>& kinds = module_terms();
  std::vector<std::vector<Observation>> luts(kinds.size()), ffs(kinds.size());
  for (const MadeDesign& design : designs) {
    std::vector<MadeDesign::Cells> sums(kinds.size());
    for (const auto& [module, cells] : design.modules) {
      const auto kind = std::find_if(kinds.begin(), kinds.end(), [&module = module](const auto& k) {
        return module.rfind(k.prefix, 0) == 0;
      });
      MadeDesign::Cells& sum = sums[static_cast<std::size_t>(kind - kinds.begin())];
      sum.luts += cells.luts;
      sum.ffs += cells.ffs;
    }
    const Sizes sizes(design.hardware, design.lut_multipliers);
    for (std::size_t m = 0; m < kinds.size(); ++m) {
      luts[m].push_back({kinds[m].terms(sizes), sums[m].luts});
      ffs[m].push_back({kinds[m].terms(sizes), sums[m].ffs});
    }
  }
  for (std::size_t m = 0; m < kinds.size(); ++m) {
    modules_.push_back({least_squares(luts[m]), least_squares(ffs[m])});
  }
  std::vector<Observation> all_luts, all_ffs, ns;
  for (const MadeDesign& design : designs) {
    const MadeDesign::Cells cells = module_cells(design.hardware, design.lut_multipliers);
    const PackedTerms terms = packed_terms(design.hardware, cells);
    all_luts.push_back({terms.luts, static_cast<double>(design.made.luts)});
    all_ffs.push_back({terms.ffs, static_cast<double>(design.made.ffs)});
    if (design.made.mhz > 0) {
      ns.push_back({clock_terms(design.made.luts), 1000 / design.made.mhz});
    }
  }
  luts_ = least_squares(all_luts);
  ffs_ = least_squares(all_ffs);
  ns_ = least_squares(ns);
}

AreaModel::PackedTerms AreaModel::packed_terms(const Hardware& hardware,
                                               const MadeDesign::Cells& cells) const {
  if (family_->name != "gowin") {
    return {{cells.luts}, {cells.ffs}};
  }
  const auto distributed = static_cast<double>(memory_cells(hardware).distributed);
  return {{cells.luts, cells.ffs, distributed}, {cells.ffs, distributed}};
}

MadeDesign::Cells AreaModel::module_cells(const Hardware& hardware, std::uint32_t soft) const {
  const Sizes sizes(hardware, soft);
  MadeDesign::Cells cells;
  for (std::size_t m = 0; m < modules_.size(); ++m) {
    const std::vector<double> terms = module_terms()[m].terms(sizes);
    cells.luts += std::max(weighted_sum(terms, modules_[m].luts), 0.0);
    cells.ffs += std::max(weighted_sum(terms, modules_[m].ffs), 0.0);
  }
  return cells;
}

Estimate AreaModel::estimate(const Hardware& hardware, std::uint32_t soft) const {
  const auto rounded = [](double value) {
    return static_cast<std::uint32_t>(std::lround(std::max(value, 0.0)));
  };
  Estimate result;
  const MadeDesign::Cells cells = module_cells(hardware, soft);
  const PackedTerms terms = packed_terms(hardware, cells);
  result.luts = rounded(weighted_sum(terms.luts, luts_));
  result.ffs = rounded(weighted_sum(terms.ffs, ffs_));
  result.brams = static_cast<std::uint32_t>(memory_cells(hardware).brams);
  result.dsps = static_cast<std::uint32_t>(hardware.macs_per_cycle()) - soft +
                other_multipliers(*family_, hardware);
  if (!ns_.empty()) {
    const double ns = weighted_sum(clock_terms(result.luts), ns_);
    result.mhz = 1000 / std::max(ns, 1.0);
  }
  return result;
}

bool has_estimates(const Part& part) {
  const FamilyData* data = data_of(part.family->name);
  return data != nullptr && std::filesystem::exists(area_file(data->files.front()));
}

const Part& find_estimated_part(const std::string& name) {
  const Part& part = find_part(name);
  if (!has_estimates(part)) {
    std::vector<std::string> names;
    for (const Part& other : parts()) {
      if (has_estimates(other)) {
        names.push_back(other.name);
      }
    }
    throw InputError(fmt::format(
        "--part {}: there are estimates for {} only; `cosim fpga --no-place` counts what others "
        "would need",
        name, fmt::join(names, ", ")));
  }
  return part;
}

Estimate estimate(const Part& part, const Hardware& hardware) {
  if (hardware.control == Control::Microcode) {
    throw InputError(
        "hardware.control is `microcode`: there are estimates for `units` only; `cosim fpga` "
        "places "
        "it in a minute");
  }
  return model_of(part.family->name).estimate(hardware, lut_multipliers(part, hardware));
}

}  // namespace tessera::fpga

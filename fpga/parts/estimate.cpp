#include "fpga/parts/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "fpga/parts/least_squares.hpp"
#include "tessera/error.hpp"

namespace tessera::fpga {
namespace {

// Large designs have longer ways.
std::vector<double> clock_terms(double luts) {
  return {1, luts};
}

// An iCE40's take two products each; one is of the microcontroller's multiplier.
std::uint32_t microcode_multipliers(const Hardware& hardware) {
  return static_cast<std::uint32_t>(hardware.macs_per_cycle()) / 2 + 1;
}

const char* name_of(Control control) {
  return control == Control::Microcode ? "microcode" : "units";
}

const Family& find_family(const std::string& name) {
  return *std::find_if(parts().begin(), parts().end(), [&](const Part& part) {
            return part.family->name == name;
          })->family;
}

const AreaModel& model_of(const std::string& family) {
  static std::map<std::string, AreaModel> made;
  static std::mutex making;
  const std::scoped_lock lock(making);
  const auto found = made.find(family);
  return found != made.end()
             ? found->second
             : made.emplace(family, AreaModel(family, area_dataset(family))).first->second;
}

}  // namespace

AreaModel::AreaModel(const std::string& family, const std::vector<CountedDesign>& designs)
    : family_(&find_family(family)), control_(designs.front().hardware.control) {
  // What modules take that have the same terms.
  const std::size_t count = terms_of(designs.front().hardware, designs.front().logic).size();
  std::vector<std::vector<Observation>> luts(count), ffs(count);
  for (const CountedDesign& design : designs) {
    const std::vector<ModuleTerms> kinds = terms_of(design.hardware, design.logic);
    std::vector<CountedDesign::Cells> sums(count);
    for (const auto& [module, cells] : design.modules) {
      const auto kind = std::find_if(kinds.begin(), kinds.end(), [&module = module](const auto& k) {
        return module.rfind(k.prefix, 0) == 0;
      });
      CountedDesign::Cells& sum = sums[static_cast<std::size_t>(kind - kinds.begin())];
      sum.luts += cells.luts;
      sum.ffs += cells.ffs;
    }
    for (std::size_t m = 0; m < count; ++m) {
      luts[m].push_back({kinds[m].terms, sums[m].luts});
      ffs[m].push_back({kinds[m].terms, sums[m].ffs});
    }
  }
  for (std::size_t m = 0; m < count; ++m) {
    modules_.push_back({least_squares(luts[m]), least_squares(ffs[m])});
  }
  std::vector<Observation> all_luts, all_ffs, ns;
  for (const CountedDesign& design : designs) {
    const CountedDesign::Cells cells = module_cells(design.hardware, design.logic);
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

std::vector<ModuleTerms> AreaModel::terms_of(const Hardware& hardware,
                                             const LogicMultipliers& logic) const {
  return control_ == Control::Microcode ? microcode_terms(hardware) : unit_terms(hardware, logic);
}

MemoryCells AreaModel::memory_cells(const Hardware& hardware) const {
  const MemoryTechnology technology = family_->name == "ice40"
                                          ? MemoryTechnology::Blocks4Kbit
                                          : MemoryTechnology::Blocks18KbitAndDistributed;
  MemoryCells all;
  for (const Memory& memory : memories_of(hardware)) {
    const MemoryCells cells = cells_of(memory, technology);
    all.brams += cells.brams;
    all.distributed += cells.distributed;
  }
  return all;
}

AreaModel::PackedTerms AreaModel::packed_terms(const Hardware& hardware,
                                               const CountedDesign::Cells& cells) const {
  if (family_->name == "ice40") {
    return {{cells.luts, cells.ffs}, {cells.ffs}};
  }
  if (family_->name != "gowin") {
    return {{cells.luts}, {cells.ffs}};
  }
  const auto distributed = static_cast<double>(memory_cells(hardware).distributed);
  return {{cells.luts, cells.ffs, distributed}, {cells.ffs, distributed}};
}

CountedDesign::Cells AreaModel::module_cells(const Hardware& hardware,
                                             const LogicMultipliers& logic) const {
  const std::vector<ModuleTerms> kinds = terms_of(hardware, logic);
  CountedDesign::Cells cells;
  for (std::size_t m = 0; m < modules_.size(); ++m) {
    cells.luts += std::max(weighted_sum(kinds[m].terms, modules_[m].luts), 0.0);
    cells.ffs += std::max(weighted_sum(kinds[m].terms, modules_[m].ffs), 0.0);
  }
  return cells;
}

Estimate AreaModel::estimate(const Hardware& hardware, const LogicMultipliers& logic) const {
  const auto rounded = [](double value) {
    return static_cast<std::uint32_t>(std::lround(std::max(value, 0.0)));
  };
  Estimate result;
  const CountedDesign::Cells cells = module_cells(hardware, logic);
  const PackedTerms terms = packed_terms(hardware, cells);
  result.luts = rounded(weighted_sum(terms.luts, luts_));
  result.ffs = rounded(weighted_sum(terms.ffs, ffs_));
  result.brams = static_cast<std::uint32_t>(memory_cells(hardware).brams);
  result.dsps = control_ == Control::Microcode ? microcode_multipliers(hardware)
                                               : hardware.shared_multipliers() - logic.all() +
                                                     other_multipliers(*family_, hardware);
  if (!ns_.empty()) {
    const double ns = weighted_sum(clock_terms(result.luts), ns_);
    result.mhz = 1000 / std::max(ns, 1.0);
  }
  return result;
}

Estimate estimate(const Part& part, const Hardware& hardware) {
  if (const Control there = estimated_control(part); there != hardware.control) {
    throw InputError(fmt::format(
        "hardware.control is `{}`: for {} there are estimates of `{}` only; `cosim fpga` counts "
        "and places others",
        name_of(hardware.control), part.name, name_of(there)));
  }
  return model_of(part.family->name).estimate(hardware, logic_multipliers(part, hardware));
}

}  // namespace tessera::fpga

// What hardware will take of a part, without synthesis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fpga/parts/area_dataset.hpp"
#include "fpga/parts/memories.hpp"
#include "fpga/parts/module_regressors.hpp"

namespace tessera::fpga {

/// Memories and multipliers are counted. Lookup tables and flip-flops are sums over the modules,
/// each by a regression over designs that were made on what that module grows with; the placer's
/// figures are in proportion to these sums. The clock is a regression as well.
class AreaModel {
 public:
  /// Of designs of that family's parts, all with the same control.
  AreaModel(const std::string& family, const std::vector<CountedDesign>& designs);

  [[nodiscard]] Estimate estimate(const Hardware& hardware, const LogicMultipliers& logic) const;

 private:
  struct Coefficients {
    std::vector<double> luts, ffs;  ///< of a module
  };
  [[nodiscard]] CountedDesign::Cells module_cells(const Hardware& hardware,
                                                  const LogicMultipliers& logic) const;
  /// What the placer's figures are sums of. A Gowin flip-flop gets its data through the lookup
  /// table beside it, and distributed memory takes flip-flops; an iCE40's cell has both.
  struct PackedTerms {
    std::vector<double> luts, ffs;
  };
  [[nodiscard]] PackedTerms packed_terms(const Hardware& hardware,
                                         const CountedDesign::Cells& cells) const;

  [[nodiscard]] MemoryCells memory_cells(const Hardware& hardware) const;
  [[nodiscard]] std::vector<ModuleTerms> terms_of(const Hardware& hardware,
                                                  const LogicMultipliers& logic) const;

  const Family* family_;
  Control control_;
  std::vector<Coefficients> modules_;
  std::vector<double> luts_, ffs_, ns_;
};

/// Throws InputError where the part's family has no estimates of hardware with that control.
Estimate estimate(const Part& part, const Hardware& hardware);

}  // namespace tessera::fpga

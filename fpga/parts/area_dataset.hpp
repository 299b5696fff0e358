// Designs that were made, which estimates are made from.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fpga/parts/parts.hpp"

namespace tessera::fpga {

struct Estimate {
  std::uint32_t luts = 0;  ///< as the placer counts them
  std::uint32_t ffs = 0;
  std::uint32_t brams = 0;
  std::uint32_t dsps = 0;
  double mhz = 0;  ///< 0: no design of the family was placed
  [[nodiscard]] bool fits(const Part& part) const {
    return luts <= part.luts && ffs <= part.ffs && brams <= part.brams && dsps <= part.dsps;
  }
};

/// A design that was made, of configs/area.
struct CountedDesign {
  struct Cells {
    double luts = 0, ffs = 0;
  };
  Hardware hardware;
  LogicMultipliers logic;
  Estimate made;                         ///< what it took; mhz 0: it was not routed
  double promised_mhz = 0;               ///< by the placer before routing; 0: not known
  std::map<std::string, Cells> modules;  ///< cells of each module after synthesis, before packing
};

/// Of one file. Throws InputError when it cannot be read.
std::vector<CountedDesign> read_designs(const std::string& path);

/// All of configs/area for a family: random hardware, and hardware that nearly fills its part.
/// Empty where the family has none.
std::vector<CountedDesign> area_dataset(const std::string& family);

/// Whether there are designs of the part's family to estimate from.
bool has_estimates(const Part& part);

/// The control that these designs have. Throws InputError where there are none.
Control estimated_control(const Part& part);

/// How much more a routed design reaches than its placement promised, of the designs whose both
/// figures are known: their geometric mean. 1 where there are none.
double routed_over_promised(const std::string& family);

}  // namespace tessera::fpga

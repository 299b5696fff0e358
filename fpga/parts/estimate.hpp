// What hardware will take of a part, without synthesis.
#pragma once

#include <cstdint>
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
struct MadeDesign {
  struct Cells {
    double luts = 0, ffs = 0;
  };
  Hardware hardware;
  std::uint32_t lut_multipliers = 0;
  Estimate made;                         ///< what it took; mhz 0: it was not routed
  double promised_mhz = 0;               ///< by the placer before routing; 0: not known
  std::map<std::string, Cells> modules;  ///< cells of each module after synthesis, before packing
};

/// Memories and multipliers are counted. Lookup tables and flip-flops are sums over the modules,
/// each by a regression over designs that were made on what that module grows with; the placer's
/// figures are in proportion to these sums. The clock is a regression as well.
class AreaModel {
 public:
  /// Throws InputError when the data cannot be read.
  static std::vector<MadeDesign> read_designs(const std::string& path);
  /// Of designs of that family's parts.
  AreaModel(const std::string& family, const std::vector<MadeDesign>& designs);

  [[nodiscard]] Estimate estimate(const Hardware& hardware, std::uint32_t lut_multipliers) const;

 private:
  struct Coefficients {
    std::vector<double> luts, ffs;  ///< of a module
  };
  [[nodiscard]] MadeDesign::Cells module_cells(const Hardware& hardware, std::uint32_t soft) const;
  /// What the placer's figures are sums of. A Gowin flip-flop gets its data through the lookup
  /// table beside it, and distributed memory takes flip-flops.
  struct PackedTerms {
    std::vector<double> luts, ffs;
  };
  [[nodiscard]] PackedTerms packed_terms(const Hardware& hardware,
                                         const MadeDesign::Cells& cells) const;

  const Family* family_;
  std::vector<Coefficients> modules_;
  std::vector<double> luts_, ffs_, ns_;
};

/// All of configs/area for a family that has estimates: random hardware, and hardware that nearly
/// fills its part.
std::vector<MadeDesign> made_designs(const std::string& family);

/// Whether there are designs of the part's family to estimate from.
bool has_estimates(const Part& part);

/// find_part(), and InputError where there are no estimates of it.
const Part& find_estimated_part(const std::string& name);

/// How much more a routed design reaches than its placement promised, of the designs whose both
/// figures are known: their geometric mean. 1 where there are none.
double routed_over_promised(const std::string& family);

/// Of a part that has estimates.
Estimate estimate(const Part& part, const Hardware& hardware);

}  // namespace tessera::fpga

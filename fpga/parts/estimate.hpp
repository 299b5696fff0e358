// What hardware will take of a part, without synthesis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fpga/parts/parts.hpp"

namespace tessera::fpga {

struct Estimate {
  std::uint32_t luts = 0;  ///< as the placer counts them
  std::uint32_t ffs = 0;
  std::uint32_t brams = 0;
  std::uint32_t dsps = 0;
  double mhz = 0;
  [[nodiscard]] bool fits(const Part& part) const {
    return luts <= part.luts && ffs <= part.ffs && brams <= part.brams && dsps <= part.dsps;
  }
};

/// A design that was made, of configs/area.
struct MadeDesign {
  Hardware hardware;
  std::uint32_t lut_multipliers = 0;
  Estimate made;  ///< what it took; mhz 0: it was not placed
};

/// Lookup tables, flip-flops and the clock by regression over designs that were made; memories and
/// multipliers are counted.
class AreaModel {
 public:
  /// Throws InputError when the data cannot be read.
  static std::vector<MadeDesign> read_designs(const std::string& path);
  explicit AreaModel(const std::vector<MadeDesign>& designs);

  [[nodiscard]] Estimate estimate(const Hardware& hardware, std::uint32_t lut_multipliers) const;

 private:
  std::vector<double> luts_, ffs_, ns_;
};

/// Whether there are designs of the part's family to estimate from.
bool has_estimates(const Part& part);

/// Of a part that has estimates.
Estimate estimate(const Part& part, const Hardware& hardware);

}  // namespace tessera::fpga

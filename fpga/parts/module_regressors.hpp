// What the modules of an accelerator grow with.
#pragma once

#include <cstdint>
#include <vector>

#include "fpga/parts/parts.hpp"
#include "tessera/hardware.hpp"

namespace tessera::fpga {

/// Of the modules whose path begins so; a module is of the first that fits.
struct ModuleTerms {
  const char* prefix;
  std::vector<double> terms;  ///< as many for any hardware
};

std::vector<ModuleTerms> unit_terms(const Hardware& hardware, const LogicMultipliers& logic);

/// With microcode.
std::vector<ModuleTerms> microcode_terms(const Hardware& hardware);

}  // namespace tessera::fpga

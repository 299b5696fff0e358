// What the modules of an accelerator grow with.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/hardware.hpp"

namespace tessera::fpga {

/// Of the modules whose path begins so; a module is of the first that fits.
struct ModuleTerms {
  const char* prefix;
  std::vector<double> terms;  ///< as many for any hardware
};

/// `soft_multipliers` of the array are made of logic.
std::vector<ModuleTerms> unit_terms(const Hardware& hardware, std::uint32_t soft_multipliers);

/// With microcode.
std::vector<ModuleTerms> microcode_terms(const Hardware& hardware);

}  // namespace tessera::fpga

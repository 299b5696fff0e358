// Hardware variants as shared libraries, Verilated on demand and kept in a cache.
#pragma once

#include <functional>
#include <string>

#include "tessera/hardware.hpp"

namespace tessera::rtl {

struct VariantOptions {
  bool waves = false;    ///< with tracing compiled in
  bool netlist = false;  ///< what synthesis makes of the RTL, for an iCE40, in its place
};

/// Path of the variant's library. Builds it unless the cache has one for the same sources,
/// parameters and compiler options. `announce` is told before a build, which takes a while.
/// Throws MissingTool when Verilator or the compiler is missing, std::runtime_error when the build
/// fails.
std::string build_variant(const Hardware& hardware, const VariantOptions& options,
                          const std::function<void(const std::string&)>& announce = {});

}  // namespace tessera::rtl

// The host's part of a network as C.
#pragma once

#include <string>
#include <vector>

#include "rom/image.hpp"

namespace tessera::rom {

/// tessera_host.h and tessera_host.c: inputs, runs, the host's operators and outputs in their
/// order, on top of tessera_program.h.
struct HostRuntime {
  std::string header;
  std::string source;
  std::vector<std::string>
      missing;  ///< layers without C, and why; the source does not compile then
};

/// Throws MissingTool when the kernels' sources are not there.
HostRuntime host_runtime(const Image& image);

}  // namespace tessera::rom

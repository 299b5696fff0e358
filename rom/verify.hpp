// A ROM on the hardware it is for, against the reference kernels.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rom/image.hpp"
#include "tessera/network.hpp"

namespace tessera::rom {

struct Verification {
  std::uint64_t cycles = 0;  ///< while something ran
  std::string problem;       ///< empty: all outputs equal the reference
};

/// Boots the files in `folder` and compares all outputs of all steps. Throws MissingTool,
/// InputError.
Verification verify(const std::string& folder, const Image& image, const Network& network,
                    const std::vector<std::vector<std::vector<std::uint8_t>>>& steps,
                    const std::function<void(const std::string&)>& announce);

}  // namespace tessera::rom

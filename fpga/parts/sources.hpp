// What a family's synthesis reads beside the RTL as it is.
#pragma once

#include <filesystem>
#include <vector>

#include "fpga/parts/parts.hpp"

namespace tessera::fpga {

/// The sources, with the family's own forms of cells (rtl/fpga) in their places.
std::vector<std::filesystem::path> with_own_cells(const Family& family,
                                                  std::vector<std::filesystem::path> sources);

/// Files that the synthesis' commands name, in a fixed order.
std::vector<std::filesystem::path> synthesis_maps(const Family& family);

}  // namespace tessera::fpga

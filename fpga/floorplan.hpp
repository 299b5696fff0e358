// Places of multipliers, which are known before the placer runs.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "fpga/parts/parts.hpp"
#include "tessera/hardware.hpp"

namespace tessera::fpga {

struct OrderedMultipliers {
  std::vector<std::string> names;  ///< cells of the netlist
  std::size_t together =
      1;  ///< so many from the first on are of one kernel, then as many of the next
};

/// Kernel by kernel, each lane of the requantiser beside the kernels whose sums it takes.
OrderedMultipliers multipliers_in_order(const Family& family, const Hardware& hardware,
                                        const nlohmann::ordered_json& cells);

/// As many sites, as nextpnr names them: the least extent around the chip's middle, row after row,
/// each beside the one before, the middle row and what is above it first; the last row's are in its
/// middle. Rows end behind a multiple of `together` where they are that long. Empty: the part has
/// not as many or they are not known.
std::vector<std::string> multiplier_sites(const Part& part, std::size_t count,
                                          std::size_t together = 1);

/// Gives each multiplier of the top module its site. Left to the placer, which knows no order
/// among them, those of one kernel end up anywhere in the rows.
void place_multipliers(const Part& part, const Hardware& hardware, nlohmann::ordered_json& top);

}  // namespace tessera::fpga

// A design on a part: what is asked for and what comes out.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fpga/parts/parts.hpp"
#include "tessera/hardware.hpp"

namespace tessera::fpga {

/// What a part of the design takes, of each of the part's resources.
struct Usage {
  std::uint32_t luts = 0;  ///< as the placer counts them: carries and distributed memory included
  std::uint32_t ffs = 0;
  std::uint32_t brams = 0;
  std::uint32_t dsps = 0;
};

/// Cells after synthesis of one module instance without those inside it that are listed themselves.
struct ModuleArea {
  std::string module;  ///< path of instances, "" for what belongs to none
  Usage usage;         ///< LUTs by the cells' own size, before the placer packs them
};

/// One step of the critical path.
struct PathStep {
  std::string module;  ///< path of instances in which the cell or the driver of the wire is
  std::string what;    ///< "logic", "routing", "clk-to-q", "setup"
  double ns = 0;
};

/// One placement.
struct Placement {
  std::uint32_t seed = 1;
  double promised_mhz = 0;  ///< that the placer promised before routing, which is less
  double mhz = 0;           ///< that the routed design reaches; 0: not routed
  std::vector<PathStep> critical_path;
};

struct Design {
  const Part* part = nullptr;
  std::string board;     ///< name; empty: the accelerator alone
  double clock_mhz = 0;  ///< that a board's clock is made for; 0: as fast as it gets
  Hardware hardware;
  std::uint32_t lut_multipliers = 0;  ///< of the array's, then of those of pitches
  Usage usage;
  std::string missing;  ///< what the part has too little of, and what would help; only when counted
  std::vector<ModuleArea> modules;    ///< largest first
  std::vector<Placement> placements;  ///< in the order of their seeds; none when only counted
  std::size_t best = 0;               ///< the fastest of them, by promise when none is routed
  std::string bitstream;              ///< file's name, "" when the family has no packer here
  std::vector<std::pair<std::string, std::string>> tools;  ///< names and versions
  double seconds = 0;  ///< that synthesis and placement took when they were done

  [[nodiscard]] bool is_placed() const { return !placements.empty(); }
  [[nodiscard]] bool is_routed() const { return is_placed() && fastest().mhz > 0; }
  [[nodiscard]] const Placement& fastest() const { return placements[best]; }
};

}  // namespace tessera::fpga

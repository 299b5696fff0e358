// Placement and routing by nextpnr: its command, what it logs, what it reports.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "fpga/design.hpp"

namespace tessera::fpga {

/// Used and available cells by the placer's names.
struct Utilisation {
  std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> cells;

  [[nodiscard]] std::uint32_t used(const Resource& resource) const;
};

/// From a log, which has it even when placement fails.
Utilisation utilisation_in(const std::filesystem::path& log);

/// "" when everything fits, else what is missing and what would help.
std::string what_is_missing(const Part& part, const Utilisation& utilisation,
                            const Hardware& hardware);

/// The command without what makes it place; pins are written to `folder`.
std::string packing_command(const Part& part, const std::string& tool, const std::string& netlist,
                            const std::filesystem::path& folder);

/// How a design is placed and routed.
struct PlacerOrder {
  double mhz = 0;          ///< that the placer aims at
  std::uint32_t seed = 1;  ///< of its chance
  bool route = true;       ///< false: only placed
};

/// The command, to be run in `folder`, to which `netlist` is relative; it writes `report.json` and
/// the family's placed file where it routes, and all delays where it does not.
std::string placer_command(const Part& part, const std::string& tool, const std::string& netlist,
                           const PlacerOrder& order, const std::filesystem::path& folder);

/// Of what was placed and not routed: the longest path, in the place of all delays. None is kept
/// that does not explain what the placer promised, to its last digit.
void keep_longest_path(const std::filesystem::path& folder);

/// MHz of the slowest clock as the placer thinks before routing, from its log. Throws
/// std::runtime_error for one that says nothing of a clock.
double promised_in(const std::filesystem::path& log);

/// The clock and its critical path from the log and the report in a folder; of a design that was
/// not routed the promise and, where it is kept, its path. Throws std::runtime_error for one
/// without a clock.
Placement read_placement(const std::filesystem::path& folder, std::uint32_t seed);

}  // namespace tessera::fpga

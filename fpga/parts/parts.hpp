// Parts that designs can be placed on, and what the tools want to know of their families.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/hardware.hpp"

namespace tessera::fpga {

/// What a figure of the placer's utilisation counts.
struct Resource {
  const char* name;                ///< for people
  std::vector<const char*> cells;  ///< names in the placer's utilisation, added up
};

/// Where a part has its multipliers: in rows across the whole chip, four in nine columns.
struct MultiplierSites {
  std::vector<std::uint32_t> rows;                  ///< from the bottom on
  std::uint32_t left_blocks = 0, right_blocks = 0;  ///< of the middle, which is two columns wide
};

struct Family {
  std::string name;
  std::string synthesis;       ///< commands of Yosys; {top} stands for the top module
  std::string finish;          ///< further ones, for the placer's netlist
  std::string placer;          ///< program, without the prefix that PyPI's build has
  std::string placer_options;  ///< of every part
  std::string pins_option;     ///< that names the file of pins, with {} for it
  std::string pins_file;       ///< which is called so
  std::string without_pins;    ///< option where there is none
  std::string placed_option;   ///< that names what it writes for the packer
  std::string placed_file;     ///< which is called so
  std::string packer;          ///< program that makes the bitstream; empty: there is none
  std::string packer_options;  ///< {in} and {out} stand for its files
  std::string bitstream;       ///< file
  /// Multipliers that a lane's requantiser takes, 32 by 32 bits, and what its second operand adds.
  std::uint32_t lane_multipliers, operand_multipliers;
  /// Without cells: the placer does not count them, the netlist's are.
  Resource luts, ffs, brams, dsps;
};

struct Part {
  std::string name;
  std::string title;  ///< the maker's name, package and speed grade
  const Family* family;
  std::string options;  ///< of the placer
  std::string packer_options;
  std::string
      pins;  ///< constraints: of the harness' pins, where the placer insists on them, or a board's
  std::uint32_t luts, ffs, brams, dsps;  ///< that it has
  MultiplierSites multipliers = {};      ///< none: the placer finds their places
};

/// In the order of their size within a family.
const std::vector<Part>& parts();
std::vector<std::string> part_names();

/// Multipliers of the family's parts that hardware takes in any case.
std::uint32_t other_multipliers(const Family& family, const Hardware& hardware);

/// Of the multipliers that logic can stand for (Hardware::shared_multipliers) those that are made
/// of it: the array's because it is asked for or the part has too few of its own, those of pitches
/// where it has none left.
struct LogicMultipliers {
  std::uint32_t array = 0, pitches = 0;
  [[nodiscard]] std::uint32_t all() const { return array + pitches; }
};
LogicMultipliers logic_multipliers(const Part& part, const Hardware& hardware);

/// Throws InputError that lists all.
const Part& find_part(const std::string& name);

}  // namespace tessera::fpga

#include "fpga/parts/parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tessera/error.hpp"

namespace tessera::fpga {
namespace {

// Sums of three words and more: see rtl/fpga/maps/sums.v.
constexpr const char* kChainedSums = "maccmap -unmap\ntechmap -map sums.v\nopt\n";

// Sums of several words become one, whose words are then added one after the other; not in modules
// that say that they mean trees.
constexpr const char* kSumsAsWritten =
    "hierarchy -top {top}\nproc\nopt_expr A:sums_as_written\nopt_clean A:sums_as_written\n"
    "wreduce A:sums_as_written\ntechmap -map sums.v A:sums_as_written t:$add %i\n";

// As synth_lattice does it, with the time that ways to and from lookup tables take here: see
// rtl/fpga/ecp5/maps/routed_carries.v. What takes less than 7.5 ns by that count need not be
// faster: distance adds about half as much again.
constexpr const char* kRoutedLuts =
    "check -latchonly -assert\ntechmap -map +/lattice/latches_map.v\n"
    "read_verilog -overwrite -lib -specify routed_carries.v\nabc9 -W 650 -D 7500\nclean\n";

// Multiplexers of four and of eight that select as a whole, apart from all other logic: see
// rtl/fpga/ecp5/maps/multiplexers.v.
constexpr const char* kMultiplexers =
    "muxcover -nodecode -nopartial -mux4=200 -mux8=400\n"
    "chtype -set ECP5_MUX4 t:$_MUX4_\nchtype -set ECP5_MUX8 t:$_MUX8_\n"
    "read_verilog -lib -specify multiplexers.v\n";
constexpr const char* kMultiplexerCells =
    "techmap -map multiplexer_cells.v t:ECP5_MUX8\n"
    "techmap -map multiplexer_cells.v t:ECP5_MUX4\n";

// Wide multiplexers of LUT pairs made of any logic cost more LUTs than they save levels here:
// -nowidelut.
Family ecp5() {
  Family f;
  f.name = "ecp5";
  f.lane_multipliers = 4;
  f.operand_multipliers = 1;
  const std::string synthesis = "synth_lattice -family ecp5 -nowidelut -cmp2softlogic -top {top}";
  f.synthesis = kSumsAsWritten + synthesis + " -run begin:map_gates\n" + kChainedSums +
                "techmap -map +/techmap.v -map adders.v\n" + synthesis +
                " -run map_gates:map_luts\n" + kMultiplexers + kRoutedLuts + kMultiplexerCells +
                synthesis + " -run map_cells:json";
  f.finish = "script open_chains.ys\n";
  f.placer = "nextpnr-ecp5";
  // Three times nextpnr's own. With ten times ways are longer than the router is fast with.
  f.placer_options = "--placer-heap-timingweight 30";
  f.pins_option = "--lpf {}";
  f.pins_file = "pins.lpf";
  f.without_pins = "--lpf-allow-unconstrained";
  f.placed_option = "--textcfg";
  f.placed_file = "placed.config";
  f.packer = "ecppack";
  f.packer_options = "--compress {in} {out}";
  f.bitstream = "design.bit";
  f.luts = {"LUT4", {"TRELLIS_COMB"}};
  f.ffs = {"flip-flops", {"TRELLIS_FF"}};
  f.brams = {"18 Kbit block RAMs", {"DP16KD"}};
  f.dsps = {"18x18 multipliers", {"MULT18X18D"}};
  return f;
}

Family ice40() {
  Family f;
  f.name = "ice40";
  f.lane_multipliers = 6;
  f.operand_multipliers = 1;
  // Multipliers that are named stay what they are: the mapping of the others would change them.
  f.synthesis =
      std::string(kSumsAsWritten) + "synth_ice40 -dsp -top {top}\ntechmap -map byte_products.v";
  f.placer = "nextpnr-ice40";
  f.pins_option = "--pcf {}";
  f.pins_file = "pins.pcf";
  f.without_pins = "--pcf-allow-unconstrained";
  f.placed_option = "--asc";
  f.placed_file = "placed.asc";
  f.packer = "icepack";
  f.packer_options = "{in} {out}";
  f.bitstream = "design.bin";
  f.luts = {"logic cells", {"ICESTORM_LC"}};
  f.ffs = {"flip-flops", {}};
  f.brams = {"4 Kbit block RAMs", {"ICESTORM_RAM"}};
  f.dsps = {"16x16 multipliers", {"ICESTORM_DSP"}};
  return f;
}

Family gowin() {
  Family f;
  f.name = "gowin";
  f.lane_multipliers = 4;
  f.operand_multipliers = 1;
  const std::string synthesis = "synth_gowin -nowidelut -top {top}";
  // Comparisons with constants are lookup tables, as synth_lattice makes them by itself.
  f.synthesis = std::string(kSumsAsWritten) +
                "flatten\nopt\nwreduce\nopt_clean\n"
                "techmap -map +/cmp2lut.v -D LUT_WIDTH=4\ntechmap -map "
                "+/cmp2softlogic.v\nopt_expr\nopt_clean\n" +
                synthesis + " -run begin:map_ram\n" + kChainedSums + synthesis +
                " -run map_ram:vout";
  f.placer = "nextpnr-himbaechel-gowin";
  f.pins_option = "--vopt cst={}";
  f.pins_file = "pins.cst";
  f.placed_option = "--write";
  f.placed_file = "placed.json";
  f.packer = "gowin_pack";
  f.packer_options = "-o {out} {in}";
  f.bitstream = "design.fs";
  f.luts = {"LUT4", {"LUT1", "LUT2", "LUT3", "LUT4", "ALU", "RAM16SDP4"}};
  f.ffs = {"flip-flops", {"DFF"}};
  f.brams = {"18 Kbit block RAMs", {"BSRAM"}};
  f.dsps = {"18x18 multipliers", {"MULT18X18", "MULT36X36", "MULT9X9"}};
  return f;
}

// What begins a chain is opened for the placer: see rtl/fpga/nexus/maps.
Family nexus() {
  Family f;
  f.name = "nexus";
  f.lane_multipliers = 4;
  f.operand_multipliers = 1;
  const std::string synthesis = "synth_nexus -family lifcl -nowidelut -cmp2softlogic -top {top}";
  f.synthesis = kSumsAsWritten + synthesis + " -run begin:map_gates\n" + kChainedSums + synthesis +
                " -run map_gates:json";
  f.finish = "script open_chains.ys\n";
  f.placer = "nextpnr-nexus";
  f.placer_options = "--router router1";  // the other one finds no way from a pin to a clock's net
  f.pins_option = "--pdc {}";
  f.pins_file = "pins.pdc";
  f.placed_option = "--fasm";
  f.placed_file = "placed.fasm";
  f.packer = "prjoxide";
  f.packer_options = "pack {in} {out}";
  f.bitstream = "design.bit";
  f.luts = {"LUT4", {"OXIDE_COMB"}};
  f.ffs = {"flip-flops", {"OXIDE_FF"}};
  f.brams = {"18 Kbit block RAMs", {"OXIDE_EBR"}};
  f.dsps = {"18x18 multipliers", {"MULT18_CORE"}};
  return f;
}

}  // namespace

const std::vector<Part>& parts() {
  static const Family lattice_ecp5 = ecp5();
  static const Family lattice_ice40 = ice40();
  static const Family gowin_family = gowin();
  static const Family lattice_nexus = nexus();
  // What Gowin's and Nexus' placers need: a pin for each port.
  constexpr const char* kNano9k =
      "IO_LOC \"clk_i\" 52;\nIO_LOC \"rst_ni\" 4;\nIO_LOC \"serial_i\" 3;\nIO_LOC \"serial_o\" "
      "10;\n";
  constexpr const char* kNano20k =
      "IO_LOC \"clk_i\" 4;\nIO_LOC \"rst_ni\" 88;\nIO_LOC \"serial_i\" 87;\nIO_LOC \"serial_o\" "
      "15;\n";
  constexpr const char* kCrossLinkNx =
      "ldc_set_location -site {L13} [get_ports clk_i]\n"
      "ldc_set_location -site {G19} [get_ports rst_ni]\n"
      "ldc_set_location -site {F14} [get_ports serial_i]\n"
      "ldc_set_location -site {F16} [get_ports serial_o]\n";
  static const std::vector<Part> all = {
      {"ice40-up5k", "Lattice iCE40 UP5K, SG48", &lattice_ice40, "--up5k --package sg48", "", "",
       5280, 5280, 30, 8},
      {"ice40-hx8k", "Lattice iCE40 HX8K, CT256", &lattice_ice40, "--hx8k --package ct256", "", "",
       7680, 7680, 32, 0},
      {"ecp5-12f",
       "Lattice LFE5U-12F, CABGA256, speed grade 6",
       &lattice_ecp5,
       "--12k --package CABGA256 --speed 6",
       "",
       "",
       24288,
       24288,
       56,
       28,
       {{13}, 3, 4}},
      {"ecp5-25f",
       "Lattice LFE5U-25F, CABGA256, speed grade 6",
       &lattice_ecp5,
       "--25k --package CABGA256 --speed 6",
       "",
       "",
       24288,
       24288,
       56,
       28,
       {{13}, 3, 4}},
      {"ecp5-45f",
       "Lattice LFE5U-45F, CABGA381, speed grade 6",
       &lattice_ecp5,
       "--45k --package CABGA381 --speed 6",
       "",
       "",
       43848,
       43848,
       108,
       72,
       {{22, 46}, 4, 5}},
      {"ecp5-85f",
       "Lattice LFE5U-85F, CABGA381, speed grade 6",
       &lattice_ecp5,
       "--85k --package CABGA381 --speed 6",
       "",
       "",
       83640,
       83640,
       208,
       156,
       {{10, 34, 58}, 7, 6}},
      {"gw1nr-9", "Gowin GW1NR-LV9QN88PC6/I5", &gowin_family,
       "--device GW1NR-LV9QN88PC6/I5 --vopt family=GW1N-9C", "-d GW1N-9C", kNano9k, 8640, 6480, 26,
       20},
      {"gw2a-18", "Gowin GW2AR-LV18QN88C8/I7", &gowin_family,
       "--device GW2AR-LV18QN88C8/I7 --vopt family=GW2A-18C", "-d GW2A-18C", kNano20k, 20736, 15552,
       46, 48},
      {"lifcl-40", "Lattice LIFCL-40 (CrossLink-NX), CABGA400, speed grade 7", &lattice_nexus,
       "--device LIFCL-40-7BG400C", "", kCrossLinkNx, 32256, 32256, 84, 56},
  };
  return all;
}

// One for a tile's pixels; a softmax's reciprocals take a lane's.
std::uint32_t other_multipliers(const Family& family, const Hardware& hardware) {
  const bool operands = hardware.has(isa::Feature::Operands);
  const bool softmax = hardware.has(isa::Feature::Softmax) && hardware.has(isa::Feature::Tables);
  return 1 + (softmax ? family.lane_multipliers : 0) +
         hardware.post_lanes *
             (family.lane_multipliers + (operands ? family.operand_multipliers : 0));
}

LogicMultipliers logic_multipliers(const Part& part, const Hardware& hardware) {
  if (hardware.control == Control::Microcode || hardware.multipliers == Multipliers::Dsp) {
    return {};
  }
  const std::uint32_t others = other_multipliers(*part.family, hardware);
  const std::uint32_t left = part.dsps > others ? part.dsps - others : 0;
  const std::uint32_t all = hardware.shared_multipliers();
  const std::uint32_t lacking = all > left ? all - left : 0;
  // Products of pitches have a cycle for all of it, those of the array two.
  const std::uint32_t array = all - Hardware::kPitches;
  if (hardware.multipliers == Multipliers::Luts) {
    return {array, std::max(lacking, array) - array};
  }
  return {std::min(lacking, array), std::max(lacking, array) - array};
}

std::vector<std::string> part_names() {
  std::vector<std::string> names;
  for (const Part& part : parts()) {
    names.push_back(part.name);
  }
  return names;
}

const Part& find_part(const std::string& name) {
  for (const Part& part : parts()) {
    if (part.name == name) {
      return part;
    }
  }
  const std::vector<std::string> names = part_names();
  throw InputError(fmt::format("--part {}: no such part{}; there are {}", name,
                               suggestion(name, names), fmt::join(names, ", ")));
}

}  // namespace tessera::fpga

#include "sim/rtl/variant.hpp"

#include <fmt/format.h>

#include "fpga/parts/sources.hpp"
#include "sim/rtl/verilate.hpp"
#include "sim/tools/build_cache.hpp"
#include "sim/tools/fpga_tools.hpp"
#include "sim/tools/synthesis.hpp"
#include "tessera/resources.hpp"

namespace tessera::rtl {

namespace {

// iCE40: the one family all of whose cells Yosys models, memories and multipliers too. Microcode is
// made as it is placed. Units, which fit no iCE40, are made without the commands that keep sums as
// they are written: behind these Yosys folds some into multipliers that compute something else.
std::vector<std::filesystem::path> netlist_sources(
    const Hardware& hardware, const std::function<void(const std::string&)>& announce) {
  const fpga::Family& ice40 = *fpga::find_part("ice40-up5k").family;
  const bool as_placed = hardware.control == Control::Microcode;
  Synthesis synthesis;
  synthesis.name = "netlist";
  synthesis.command = as_placed ? ice40.synthesis : "synth_ice40 -dsp -top {top}";
  if (as_placed) {
    synthesis.maps = fpga::synthesis_maps(ice40);
  }
  synthesis.output = "write_verilog -noattr netlist.v";
  synthesis.top = "tessera_npu";
  synthesis.sources =
      fpga::with_own_cells(ice40, listed_sources(data_dir() / "rtl" / hardware.rtl_sources()));
  synthesis.parameters = hardware.rtl_parameters();
  synthesis.announcement =
      fmt::format("synthesising {} x {} MACs for an iCE40", hardware.atomic_c, hardware.atomic_k);
  const Netlist netlist = synthesise(synthesis, announce);
  return {netlist.folder / "netlist.v", yosys_data("ice40/cells_sim.v")};
}

}  // namespace

std::string build_variant(const Hardware& hardware, const VariantOptions& options,
                          const std::function<void(const std::string&)>& announce) {
  Verilation v;
  v.top = "tessera_npu";
  v.prefix = "npu";
  if (options.netlist) {
    v.prefix = "netlist";
    v.flags = " -DICE40_HX -DNO_ICE40_DEFAULT_ASSIGNMENTS";
    v.sources = netlist_sources(hardware, announce);
  } else {
    v.sources = listed_sources(data_dir() / "rtl" / hardware.rtl_sources());
    v.parameters = hardware.rtl_parameters();
  }
  v.wrapper = data_dir() / "sim" / "verilated" / "model.cpp";
  v.headers = {data_dir() / "sim" / "verilated" / "ports.hpp",
               data_dir() / "include" / "tessera" / "generated" / "command_set.hpp"};
  v.waves = options.waves;
  v.announcement =
      fmt::format("Verilating {} x {} MACs, {} KiB cbuf{}", hardware.atomic_c, hardware.atomic_k,
                  hardware.cbuf_capacity / 1024, options.waves ? ", with waves" : "");
  return verilate(v, announce);
}

}  // namespace tessera::rtl

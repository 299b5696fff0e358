#include "sim/rtl/variant.hpp"

#include <fmt/format.h>

#include "sim/rtl/verilate.hpp"
#include "sim/tools/fpga_tools.hpp"
#include "sim/tools/made_files.hpp"
#include "sim/tools/synthesis.hpp"
#include "tessera/resources.hpp"

namespace tessera::rtl {

namespace {

// iCE40: the one family all of whose cells Yosys models, memories and multipliers too.
std::vector<std::filesystem::path> netlist_sources(
    const Hardware& hardware, const std::function<void(const std::string&)>& announce) {
  Synthesis synthesis;
  synthesis.name = "netlist";
  synthesis.command = "synth_ice40 -dsp -top {top}";
  synthesis.output = "write_verilog -noattr netlist.v";
  synthesis.top = "tessera_npu";
  synthesis.sources = listed_sources(data_dir() / "rtl" / hardware.rtl_sources());
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
    v.slow = true;
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

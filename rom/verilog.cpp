#include "rom/verilog.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::rom {

std::string memory_module(const std::string& name, const std::string& what, std::uint64_t bytes,
                          std::uint32_t word_bytes) {
  const std::uint64_t words = std::max<std::uint64_t>(2, (bytes + word_bytes - 1) / word_bytes);
  return fmt::format(
      "/// {0}\n"
      "module {1} #(\n"
      "    /// Contents for $readmemh.\n"
      "    parameter File = \"{1}.hex\"\n"
      ") (\n"
      "    input  logic        clk_i,\n"
      "    input  logic        re_i,\n"
      "    /// Word; its data is there a cycle later and holds until the next read.\n"
      "    input  logic [31:0] address_i,\n"
      "    output logic [{2}:0] data_o\n"
      ");\n\n"
      "  localparam int unsigned Words = {3};\n"
      "  localparam int unsigned AddressBits = $clog2(Words);\n\n"
      "  logic [{2}:0] mem[Words];\n"
      "  initial $readmemh(File, mem);\n\n"
      "  always_ff @(posedge clk_i) begin\n"
      "    if (re_i) data_o <= mem[address_i[AddressBits-1:0]];\n"
      "  end\n\n"
      "  logic unused;\n"
      "  assign unused = |address_i[31:AddressBits];\n\n"
      "endmodule\n",
      what, name, 8 * word_bytes - 1, words);
}

std::string rom_module(const Image& image) {
  return memory_module(
      "tessera_rom",
      fmt::format("ROM of `{}`: header, constants, command streams.", image.program.network),
      image.bytes.size(), image.program.hardware.bus_bytes);
}

std::string system_module(const Image& image, std::optional<std::uint32_t> lut_multipliers) {
  const Hardware& hw = image.program.hardware;
  const std::uint32_t bits = 8 * hw.bus_bytes - 1;
  std::string parameters;
  for (const auto& [name, value] : hw.rtl_parameters()) {
    const bool is_given = lut_multipliers && name == "LutMultipliers";
    parameters += fmt::format("      .{}({}),\n", name, is_given ? *lut_multipliers : value);
  }
  const std::pair<const char*, std::uint64_t> memory[] = {
      {"HeaderBytes", image.header_bytes},       {"ConstantsBase", image.constants.address},
      {"ConstantsBytes", image.constants.bytes}, {"CommandsBase", image.commands.address},
      {"CommandsBytes", image.commands.bytes},   {"ArenaBase", image.arena.address},
      {"ArenaBytes", image.arena.bytes}};
  for (const auto& [name, value] : memory) {
    parameters += fmt::format("      .{}(32'd{}),\n", name, value);
  }
  parameters.resize(parameters.size() - 2);
  return fmt::format(
      "/// `{0}` in hardware: needs a clock, a reset and a start pulse. Its ports are\n"
      "/// tessera_boot's.\n"
      "module tessera_system (\n"
      "    input  logic        clk_i,\n"
      "    input  logic        rst_ni,\n"
      "    input  logic        start_i,\n"
      "    input  logic        restart_i,\n"
      "    output logic        busy_o,\n"
      "    output logic        done_o,\n"
      "    output logic [15:0] runs_done_o,\n"
      "    output logic        error_o,\n"
      "    output logic [ 7:0] error_cause_o,\n"
      "    output logic [31:0] error_info_o,\n"
      "    input  logic        host_re_i,\n"
      "    input  logic [31:0] host_address_i,\n"
      "    output logic [{1}:0] host_data_o,\n"
      "    input  logic [{2}:0] host_we_i,\n"
      "    input  logic [{1}:0] host_data_i\n"
      ");\n\n"
      "  logic rom_re;\n"
      "  logic [31:0] rom_address;\n"
      "  logic [{1}:0] rom_data;\n\n"
      "  tessera_rom u_rom (\n"
      "      .clk_i,\n"
      "      .re_i(rom_re),\n"
      "      .address_i(rom_address),\n"
      "      .data_o(rom_data)\n"
      "  );\n\n"
      "  tessera_boot #(\n"
      "{3}\n"
      "  ) u_boot (\n"
      "      .clk_i,\n"
      "      .rst_ni,\n"
      "      .start_i,\n"
      "      .restart_i,\n"
      "      .busy_o,\n"
      "      .done_o,\n"
      "      .runs_done_o,\n"
      "      .error_o,\n"
      "      .error_cause_o,\n"
      "      .error_info_o,\n"
      "      .rom_re_o(rom_re),\n"
      "      .rom_address_o(rom_address),\n"
      "      .rom_data_i(rom_data),\n"
      "      .host_re_i,\n"
      "      .host_address_i,\n"
      "      .host_data_o,\n"
      "      .host_we_i,\n"
      "      .host_data_i\n"
      "  );\n\n"
      "endmodule\n",
      image.program.network, bits, hw.bus_bytes - 1, parameters);
}

}  // namespace tessera::rom

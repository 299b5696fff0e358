// Hardware presets for build scripts:
//   variant parameters PRESET   the RTL's parameters, NAME=VALUE, one a line; also of hardware as a
//                               configuration has it, {...}
//   variant sources PRESET      the list of the RTL's sources, in the folder rtl
//   variant build PRESET...     Verilates the presets that are not in the cache yet
//   variant waves PRESET...     the same with tracing compiled in
//   variant board BOARD...      the sources of a board's design with models of the chip's cells
//   variant standalone BOARD... the same of its design without a host, with a small network
//   variant synthesis PART...   Yosys' commands for the part's family; {top} is the top module
#include <fmt/format.h>

#include <exception>

#include "board/simulation.hpp"
#include "board/spec.hpp"
#include "board/standalone.hpp"
#include "fpga/parts/parts.hpp"
#include "sim/rtl/variant.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "tessera/resources.hpp"

namespace {

tessera::Hardware described(const std::string& text) {
  return text.front() == '{'
             ? tessera::load_config((tessera::data_dir() / "configs" / "npu.yaml").string(),
                                    {"hardware=" + text})
                   .hardware
             : tessera::hardware_preset(text);
}

void print_parameters(const std::string& text) {
  for (const auto& [name, value] : described(text).rtl_parameters()) {
    fmt::print("{}={}\n", name, value);
  }
}

void build(const std::string& preset, bool waves) {
  tessera::rtl::VariantOptions options;
  options.waves = waves;
  tessera::rtl::build_variant(tessera::hardware_preset(preset), options,
                              [](const std::string& text) { fmt::print("{}\n", text); });
}

// The last one.
void print_without_bench(const std::vector<std::filesystem::path>& sources) {
  for (std::size_t i = 0; i + 1 < sources.size(); ++i) {
    fmt::print("{}\n", sources[i].string());
  }
}

void print_board(const std::string& name) {
  const tessera::board::Board board = tessera::board::find_board(name);
  const tessera::Config config = tessera::load_config((board.folder / "npu.yaml").string(), {});
  print_without_bench(board_sources(board, config.hardware, board.mhz, true));
}

// Nothing for a board that has none.
void print_standalone(const std::string& name) {
  const tessera::board::Board board = tessera::board::find_board(name);
  if (board.lights == 0) {
    return;
  }
  const tessera::Hardware hardware = tessera::hardware_preset(board.hardware);
  const tessera::Network network = tessera::import_yaml(
      "layers: [{conv2d: {in: [4, 4, 3], out_channels: 5, kernel: 4}}]", "five classes", 1);
  const tessera::board::Standalone what =
      make_standalone(board, network, compile(network, hardware, {}),
                      {std::vector<std::uint8_t>(network.tensors[0].bytes())});
  print_without_bench(standalone_files(board, what, board.mhz, true).sources);
}

void print_synthesis(const std::string& part) {
  const tessera::fpga::Family& family = *tessera::fpga::find_part(part).family;
  fmt::print("{}\n{}", family.synthesis, family.finish);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string action = argc > 2 ? argv[1] : "";
  if (action != "parameters" && action != "sources" && action != "build" && action != "waves" &&
      action != "board" && action != "standalone" && action != "synthesis") {
    fmt::print(stderr,
               "usage: variant parameters|sources|build|waves PRESET... | board|standalone "
               "BOARD... | synthesis "
               "PART...\n");
    return 2;
  }
  try {
    for (int i = 2; i < argc; ++i) {
      action == "build"        ? build(argv[i], false)
      : action == "waves"      ? build(argv[i], true)
      : action == "sources"    ? fmt::print("{}\n", tessera::hardware_preset(argv[i]).rtl_sources())
      : action == "board"      ? print_board(argv[i])
      : action == "standalone" ? print_standalone(argv[i])
      : action == "synthesis"  ? print_synthesis(argv[i])
                               : print_parameters(argv[i]);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "variant: {}\n", error.what());
    return 1;
  }
  return 0;
}

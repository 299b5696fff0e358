// Hardware presets for build scripts:
//   variant parameters PRESET   the RTL's parameters, NAME=VALUE, one a line
//   variant build PRESET...     Verilates the presets that are not in the cache yet
//   variant board BOARD...      the package with the parameters of a board
#include <fmt/format.h>

#include <exception>

#include "board/config_package.hpp"
#include "board/description.hpp"
#include "sim/rtl/variant.hpp"
#include "tessera/config.hpp"

namespace {

void print_parameters(const std::string& preset) {
  for (const auto& [name, value] : tessera::hardware_preset(preset).rtl_parameters()) {
    fmt::print("{}={}\n", name, value);
  }
}

void build(const std::string& preset) {
  tessera::rtl::build_variant(tessera::hardware_preset(preset), {},
                              [](const std::string& text) { fmt::print("{}\n", text); });
}

void print_board(const std::string& name) {
  const tessera::board::Board board = tessera::board::find_board(name);
  const tessera::Config config = tessera::load_config((board.folder / "npu.yaml").string(), {});
  fmt::print("{}", tessera::board::config_package(board, config.hardware, board.mhz));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string action = argc > 2 ? argv[1] : "";
  if (action != "parameters" && action != "build" && action != "board") {
    fmt::print(stderr, "usage: variant parameters|build PRESET... | board BOARD...\n");
    return 2;
  }
  try {
    for (int i = 2; i < argc; ++i) {
      action == "build"   ? build(argv[i])
      : action == "board" ? print_board(argv[i])
                          : print_parameters(argv[i]);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "variant: {}\n", error.what());
    return 1;
  }
  return 0;
}

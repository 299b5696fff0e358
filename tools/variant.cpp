// Hardware presets for build scripts:
//   variant parameters PRESET   the RTL's parameters, NAME=VALUE, one a line
//   variant build PRESET...     Verilates the presets that are not in the cache yet
#include <fmt/format.h>

#include <exception>

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

}  // namespace

int main(int argc, char** argv) {
  const std::string action = argc > 2 ? argv[1] : "";
  if (action != "parameters" && action != "build") {
    fmt::print(stderr, "usage: variant parameters|build PRESET...\n");
    return 2;
  }
  try {
    for (int i = 2; i < argc; ++i) {
      action == "build" ? build(argv[i]) : print_parameters(argv[i]);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "variant: {}\n", error.what());
    return 1;
  }
  return 0;
}

// isagen DEFINITION ROOT [--check]: writes (or compares) the files generated from the command set.
#include <fmt/format.h>

#include <exception>
#include <fstream>
#include <iterator>
#include <utility>

#include "definition.hpp"
#include "microcode.hpp"

namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) try {
  using namespace tessera::isagen;
  if (argc < 3) {
    fmt::print(stderr, "usage: isagen DEFINITION ROOT [--check]\n");
    return 2;
  }
  const bool check = argc > 3 && std::string(argv[3]) == "--check";
  const Definition definition = read_definition(argv[1]);
  const std::string root = argv[2];
  const Microcode microcode = assemble(root + "/isa/microcode.asm", definition);
  const std::pair<std::string, std::string> files[] = {
      {root + "/rtl/generated/tessera_isa_pkg.sv", emit_systemverilog(definition)},
      {root + "/include/tessera/generated/command_set.hpp", emit_cpp(definition)},
      {root + "/docs/reference/command-set.md", emit_markdown(definition)},
      {root + "/rtl/generated/microcode_pkg.sv", emit_microcode_systemverilog(microcode)},
      {root + "/include/tessera/generated/microcode.hpp", emit_microcode_cpp(microcode)},
  };
  int stale = 0;
  for (const auto& [path, text] : files) {
    if (!check) {
      std::ofstream(path, std::ios::binary) << text;
    } else if (read_file(path) != text) {
      fmt::print(stderr, "{} differs from what the definitions give; run the target `regenerate`\n",
                 path);
      stale = 1;
    }
  }
  return stale;
} catch (const std::exception& error) {
  fmt::print(stderr, "isagen: {}\n", error.what());
  return 2;
}

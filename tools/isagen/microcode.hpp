// Translates isa/microcode.asm, the program of accelerators with `control: microcode`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "definition.hpp"

namespace tessera::isagen {

struct Microcode {
  std::vector<std::uint16_t> rom;
  std::vector<std::string> ports, ins, waits;
  std::map<std::string, std::uint32_t> registers;  ///< data word of each name
};

/// Throws std::runtime_error naming file and line of what is wrong.
Microcode assemble(const std::string& path, const Definition& definition);

std::string emit_microcode_systemverilog(const Microcode& microcode);
std::string emit_microcode_cpp(const Microcode& microcode);

}  // namespace tessera::isagen

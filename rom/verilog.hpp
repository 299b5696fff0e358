// The ROM and the system around it, in SystemVerilog.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rom/image.hpp"

namespace tessera::rom {

/// A module that holds `bytes` bytes in words of `word_bytes`, filled from NAME.hex. `what` is told
/// in a comment.
std::string memory_module(const std::string& name, const std::string& what, std::uint64_t bytes,
                          std::uint32_t word_bytes);

/// Module tessera_rom: the ROM, filled from tessera_rom.hex.
std::string rom_module(const Image& image);

/// Module tessera_system: accelerator, ROM and RAM for the activations. `lut_multipliers`: as many
/// of the array's are made of logic, whatever the hardware says.
std::string system_module(const Image& image,
                          std::optional<std::uint32_t> lut_multipliers = std::nullopt);

}  // namespace tessera::rom

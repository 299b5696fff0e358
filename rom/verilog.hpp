// The ROM and the system around it, in SystemVerilog.
#pragma once

#include <string>

#include "rom/image.hpp"

namespace tessera::rom {

/// Module tessera_rom: the ROM, filled from tessera_rom.hex.
std::string rom_module(const Image& image);

/// Module tessera_system: accelerator, ROM and RAM for the activations.
std::string system_module(const Image& image);

}  // namespace tessera::rom

// Checksums in the loads of constants.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/hardware.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// Gives each LOAD that reads nothing but `constants` the checksum of what it reads from `image`.
void add_load_checksums(std::vector<std::uint64_t>& words, const std::vector<std::uint8_t>& image,
                        const Slot& constants, const Hardware& hardware);

}  // namespace tessera

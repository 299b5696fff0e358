// The memories of the accelerator's RTL, and what a family makes of them.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/hardware.hpp"

namespace tessera::fpga {

struct Memory {
  std::uint64_t width = 0;  ///< bits
  std::uint64_t depth = 0;
  bool by_bytes = false;  ///< bytes are written by themselves
  std::uint64_t count = 1;
};

/// Those that may be block RAM or distributed memory; queues of two words are registers.
std::vector<Memory> memories_of(const Hardware& hardware);

struct MemoryCells {
  std::uint64_t brams = 0;        ///< 18 Kbit
  std::uint64_t distributed = 0;  ///< 16 words of 4 bits
};

/// What Yosys takes, which is what costs less by its own table: the same on ECP5 and Gowin.
MemoryCells cells_of(const Memory& memory);

}  // namespace tessera::fpga

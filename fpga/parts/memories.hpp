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

/// Two halves, or two copies of both where a block RAM holds all words: see
/// rtl/compute/accumulator.sv.
Memory accumulators_of(const Hardware& hardware);

/// Those of an accelerator with microcode.
struct MicrocodeMemories {
  Memory rom, data, cbuf, accumulators;
};
MicrocodeMemories microcode_memories(const Hardware& hardware);

/// What parts have: ECP5 and Gowin the same, iCE40 small blocks only.
enum class MemoryTechnology : std::uint8_t { Blocks18KbitAndDistributed, Blocks4Kbit };

struct MemoryCells {
  std::uint64_t brams = 0;        ///< blocks
  std::uint64_t distributed = 0;  ///< 16 words of 4 bits
  std::uint64_t multiplexed = 0;  ///< bits that are chosen from blocks behind each other, times
                                  ///< how many more than one there are
};

/// What Yosys takes, which is what costs less by its own table.
MemoryCells cells_of(const Memory& memory,
                     MemoryTechnology technology = MemoryTechnology::Blocks18KbitAndDistributed);

}  // namespace tessera::fpga

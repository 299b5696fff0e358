// Bytes of a memory in the formats that tools read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::rom {

using Bytes = std::vector<std::uint8_t>;

/// Verilog $readmemh: a word of `word_bytes` per line, the highest byte first.
std::string to_readmemh(const Bytes& bytes, std::uint32_t word_bytes);

/// Intel HEX with 32-bit addresses from `address` on.
std::string to_intel_hex(const Bytes& bytes, std::uint64_t address = 0);

/// Xilinx COE, words of `word_bytes`.
std::string to_coe(const Bytes& bytes, std::uint32_t word_bytes);

/// Altera/Intel MIF, words of `word_bytes`.
std::string to_mif(const Bytes& bytes, std::uint32_t word_bytes);

}  // namespace tessera::rom

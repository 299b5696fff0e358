// Streams of commands drawn at random, as another compiler might write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tessera/hardware.hpp"

namespace tessera::test {

// Where a stream's memory has what.
constexpr std::uint32_t kSources = 0x8000;  ///< bytes that loads read
constexpr std::uint32_t kOutputs = 0xA000;
constexpr std::uint32_t kStreamAt = 0xE000;
// Tables of parameter records of 12, 8 and 4 bytes.
constexpr std::uint32_t kRecords12 = kSources;
constexpr std::uint32_t kRecords8 = 0x8804;
constexpr std::uint32_t kRecords4 = 0x9004;

/// Any bytes; a record's multiplier and shift are what the command set allows.
std::vector<std::uint8_t> stream_memory(std::uint32_t seed);

/// The stream's words. Weights with zeros where there are no taps are written to `memory`.
std::vector<std::uint64_t> drawn_stream(const Hardware& hardware, std::uint32_t seed,
                                        std::vector<std::uint8_t>& memory);

}  // namespace tessera::test

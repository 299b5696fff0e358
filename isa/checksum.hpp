// Checksums of command streams and of what loads read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tessera/isa.hpp"

namespace tessera::isa {

/// CRC-32 of IEEE 802.3, as of command streams.
std::uint32_t crc32(const std::uint8_t* data, std::size_t bytes);

/// CRC-24 over the beats of a read, as LOAD's `checksum` has it.
class BeatChecksum {
 public:
  explicit BeatChecksum(std::uint32_t bus_bytes) : bus_bytes_(bus_bytes) {}

  /// One segment of the read: its beats are those that hold a byte of it.
  void add(std::uint64_t address, const std::uint8_t* data, std::size_t bytes);

  [[nodiscard]] std::uint32_t value() const { return crc_; }

 private:
  std::uint32_t bus_bytes_;
  std::uint32_t crc_ = 0xFFFFFF;
};

/// Of a whole LOAD. `data` holds what it reads, segment after segment.
std::uint32_t load_checksum(const LdSource& source, const LdShape& shape, const LdStride& stride,
                            const std::uint8_t* data, std::uint32_t bus_bytes);

}  // namespace tessera::isa

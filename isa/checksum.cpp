#include "isa/checksum.hpp"

#include <array>

namespace tessera::isa {
namespace {

constexpr std::uint32_t kPolynomial32 = 0xEDB88320;  // 0x04C11DB7, lowest bit first
constexpr std::uint32_t kPolynomial24 = 0xDF3261;    // 0x864CFB, lowest bit first

using Table = std::array<std::uint32_t, 256>;

constexpr Table make_table(std::uint32_t polynomial) {
  Table table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1U) != 0 ? polynomial : 0U);
    }
    table[byte] = crc;
  }
  return table;
}

constexpr Table kTable32 = make_table(kPolynomial32);
constexpr Table kTable24 = make_table(kPolynomial24);

std::uint32_t next(const Table& table, std::uint32_t crc, std::uint8_t byte) {
  return (crc >> 8) ^ table[(crc ^ byte) & 0xFFU];
}

}  // namespace

std::uint32_t crc32(const std::uint8_t* data, std::size_t bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (std::size_t i = 0; i < bytes; ++i) {
    crc = next(kTable32, crc, data[i]);
  }
  return ~crc;
}

void BeatChecksum::add(std::uint64_t address, const std::uint8_t* data, std::size_t bytes) {
  for (std::uint64_t i = 0; i < address % bus_bytes_; ++i) {
    crc_ = next(kTable24, crc_, 0);
  }
  for (std::size_t i = 0; i < bytes; ++i) {
    crc_ = next(kTable24, crc_, data[i]);
  }
  for (std::uint64_t i = address + bytes; i % bus_bytes_ != 0; ++i) {
    crc_ = next(kTable24, crc_, 0);
  }
}

std::uint32_t load_checksum(const LdSource& source, const LdShape& shape, const LdStride& stride,
                            const std::uint8_t* data, std::uint32_t bus_bytes) {
  BeatChecksum checksum(bus_bytes);
  for (std::uint64_t outer = 0; outer < shape.outer; ++outer) {
    for (std::uint64_t inner = 0; inner < shape.inner; ++inner) {
      checksum.add(source.address + outer * stride.outer_stride + inner * stride.inner_stride, data,
                   shape.segment_bytes);
      data += shape.segment_bytes;
    }
  }
  return checksum.value();
}

}  // namespace tessera::isa

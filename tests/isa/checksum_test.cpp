// Checksums against their definitions, bit by bit.
#include "isa/checksum.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::isa {
namespace {

TEST(Checksum, Crc32HasTheStandardsCheckValue) {
  const std::string digits = "123456789";
  const std::vector<std::uint8_t> bytes(digits.begin(), digits.end());
  EXPECT_EQ(crc32(bytes.data(), bytes.size()), 0xCBF43926U);
  EXPECT_EQ(crc32(bytes.data(), 0), 0U);
}

// Polynomial division, a bit at a time, over the beats with what is not read as zero.
std::uint32_t by_bits(const std::vector<std::uint8_t>& beats) {
  std::uint32_t crc = 0xFFFFFF;
  for (const std::uint8_t byte : beats) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const bool one = ((crc ^ (byte >> bit)) & 1U) != 0;
      crc >>= 1;
      for (unsigned power = 0; one && power < 24; ++power) {
        // The coefficient of x^power stands at bit 23 - power.
        if ((0x864CFBU >> power & 1U) != 0) {
          crc ^= 1U << (23 - power);
        }
      }
    }
  }
  return crc;
}

TEST(Checksum, LoadsSumWholeBeats) {
  LdSource source;
  source.address = 0x105;
  LdShape shape;
  shape.segment_bytes = 6;
  shape.inner = 1;
  shape.outer = 2;
  LdStride stride;
  stride.outer_stride = 9;
  const std::vector<std::uint8_t> data = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  // 0x105 .. 0x10A and 0x10E .. 0x113, in beats of 4.
  EXPECT_EQ(load_checksum(source, shape, stride, data.data(), 4),
            by_bits({0, 1, 2, 3, 4, 5, 6, 0, 0, 0, 7, 8, 9, 10, 11, 12}));
  // In beats of 8.
  EXPECT_EQ(load_checksum(source, shape, stride, data.data(), 8),
            by_bits({0, 0, 0, 0, 0, 1, 2, 3, 4, 5,  6,  0,  0, 0, 0, 0,
                     0, 0, 0, 0, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0, 0, 0}));
}

TEST(Checksum, EveryFlippedBitShows) {
  std::vector<std::uint8_t> data(96);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<std::uint8_t>(37 * i + 11);
  }
  const auto sum = [&] {
    BeatChecksum checksum(8);
    checksum.add(0x43, data.data(), data.size());
    return checksum.value();
  };
  const std::uint32_t good = sum();
  const std::uint32_t stream = crc32(data.data(), data.size());
  for (std::size_t bit = 0; bit < 8 * data.size(); ++bit) {
    const auto mask = static_cast<std::uint8_t>(1U << (bit % 8));
    data[bit / 8] ^= mask;
    EXPECT_NE(sum(), good) << bit;
    EXPECT_NE(crc32(data.data(), data.size()), stream) << bit;
    data[bit / 8] ^= mask;
  }
}

}  // namespace
}  // namespace tessera::isa

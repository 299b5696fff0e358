#include "rom/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tessera::rom {
namespace {

constexpr std::size_t kRecordBytes = 16;
constexpr std::uint32_t kSegment = 0x10000;

// Bytes beyond the end are zero.
void append_word(std::string& text, const Bytes& bytes, std::size_t word, std::uint32_t size) {
  for (std::uint32_t b = size; b-- > 0;) {
    const std::size_t at = word * size + b;
    fmt::format_to(std::back_inserter(text), "{:02x}", at < bytes.size() ? bytes[at] : 0);
  }
}

std::size_t words_of(const Bytes& bytes, std::uint32_t size) {
  return (bytes.size() + size - 1) / size;
}

void append_record(std::string& text, std::uint32_t address, std::uint8_t type,
                   const std::uint8_t* data, std::size_t count) {
  const std::uint8_t head[] = {static_cast<std::uint8_t>(count),
                               static_cast<std::uint8_t>(address >> 8),
                               static_cast<std::uint8_t>(address), type};
  std::uint8_t sum = 0;
  text += ':';
  const auto put = [&](std::uint8_t byte) {
    sum = static_cast<std::uint8_t>(sum + byte);
    fmt::format_to(std::back_inserter(text), "{:02X}", byte);
  };
  std::for_each(std::begin(head), std::end(head), put);
  std::for_each(data, data + count, put);
  fmt::format_to(std::back_inserter(text), "{:02X}\n", static_cast<std::uint8_t>(-sum));
}

}  // namespace

std::string to_readmemh(const Bytes& bytes, std::uint32_t word_bytes) {
  std::string text;
  for (std::size_t w = 0; w < words_of(bytes, word_bytes); ++w) {
    append_word(text, bytes, w, word_bytes);
    text += '\n';
  }
  return text;
}

std::string to_intel_hex(const Bytes& bytes, std::uint64_t address) {
  std::string text;
  std::uint64_t upper = 0;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::uint64_t at = address + i;
    if (at / kSegment != upper || i == 0) {
      upper = at / kSegment;
      const std::uint8_t high[] = {static_cast<std::uint8_t>(upper >> 8),
                                   static_cast<std::uint8_t>(upper)};
      append_record(text, 0, 4, high, sizeof(high));  // extended linear address
    }
    const auto to_border = static_cast<std::size_t>(kSegment - at % kSegment);
    const std::size_t count = std::min({kRecordBytes, bytes.size() - i, to_border});
    append_record(text, static_cast<std::uint32_t>(at % kSegment), 0, bytes.data() + i, count);
    i += count;
  }
  append_record(text, 0, 1, nullptr, 0);
  return text;
}

std::string to_coe(const Bytes& bytes, std::uint32_t word_bytes) {
  std::string text = "memory_initialization_radix=16;\nmemory_initialization_vector=\n";
  const std::size_t words = words_of(bytes, word_bytes);
  for (std::size_t w = 0; w < words; ++w) {
    append_word(text, bytes, w, word_bytes);
    text += w + 1 == words ? ";\n" : ",\n";
  }
  return text;
}

std::string to_mif(const Bytes& bytes, std::uint32_t word_bytes) {
  const std::size_t words = words_of(bytes, word_bytes);
  std::string text =
      fmt::format("WIDTH={};\nDEPTH={};\nADDRESS_RADIX=HEX;\nDATA_RADIX=HEX;\nCONTENT BEGIN\n",
                  8 * word_bytes, words);
  for (std::size_t w = 0; w < words; ++w) {
    fmt::format_to(std::back_inserter(text), "{:x} : ", w);
    append_word(text, bytes, w, word_bytes);
    text += ";\n";
  }
  return text + "END;\n";
}

}  // namespace tessera::rom

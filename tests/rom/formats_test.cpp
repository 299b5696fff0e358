// ROM formats, read back by readers written here from their definitions.
#include "rom/formats.hpp"
#include "tests/files.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <sstream>

namespace tessera::rom {
namespace {

std::vector<std::uint8_t> from_hex(const std::string& digits) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// Words with the highest byte first.
Bytes from_words(const std::vector<std::string>& words) {
  Bytes bytes;
  for (const std::string& word : words) {
    auto of_word = from_hex(word);
    bytes.insert(bytes.end(), of_word.rbegin(), of_word.rend());
  }
  return bytes;
}

Bytes from_intel_hex(const std::string& text, std::uint64_t& first) {
  Bytes bytes;
  std::uint64_t upper = 0;
  bool ended = false;
  for (const std::string& line : test::lines_of(text)) {
    RC_ASSERT(!ended && line[0] == ':');
    const auto record = from_hex(line.substr(1));
    std::uint8_t sum = 0;
    for (const std::uint8_t byte : record) {
      sum = static_cast<std::uint8_t>(sum + byte);
    }
    RC_ASSERT(sum == 0);
    RC_ASSERT(record.size() == 5U + record[0]);
    const std::uint64_t address = upper | std::uint64_t{record[1]} << 8 | record[2];
    if (record[3] == 4) {
      upper = std::uint64_t{record[4]} << 24 | std::uint64_t{record[5]} << 16;
    } else if (record[3] == 1) {
      ended = true;
    } else {
      first = bytes.empty() ? address : first;
      RC_ASSERT(address == first + bytes.size());
      bytes.insert(bytes.end(), record.begin() + 4, record.end() - 1);
    }
  }
  RC_ASSERT(ended);
  return bytes;
}

Bytes padded(Bytes bytes, std::size_t word) {
  bytes.resize((bytes.size() + word - 1) / word * word, 0);
  return bytes;
}

RC_GTEST_PROP(RomFormats, AllHoldTheSameBytes, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 2000);
  const Bytes bytes = *rc::gen::container<Bytes>(size, rc::gen::arbitrary<std::uint8_t>());
  const auto word = *rc::gen::element<std::uint32_t>(4, 8, 16, 32);
  RC_ASSERT(from_words(test::lines_of(to_readmemh(bytes, word))) == padded(bytes, word));

  const std::uint64_t address = *rc::gen::inRange<std::uint64_t>(0, 0xFFFFF000);
  std::uint64_t first = 0;
  RC_ASSERT(from_intel_hex(to_intel_hex(bytes, address), first) == bytes);
  RC_ASSERT(first == address);

  auto coe = test::lines_of(to_coe(bytes, word));
  RC_ASSERT(coe[0] == "memory_initialization_radix=16;");
  RC_ASSERT(coe[1] == "memory_initialization_vector=");
  RC_ASSERT(coe.back().back() == ';');
  std::vector<std::string> words;
  for (std::size_t i = 2; i < coe.size(); ++i) {
    RC_ASSERT(coe[i].back() == (i + 1 == coe.size() ? ';' : ','));
    words.push_back(coe[i].substr(0, coe[i].size() - 1));
  }
  RC_ASSERT(from_words(words) == padded(bytes, word));

  const auto mif = test::lines_of(to_mif(bytes, word));
  RC_ASSERT(mif[0] == fmt::format("WIDTH={};", 8 * word));
  RC_ASSERT(mif[1] == fmt::format("DEPTH={};", padded(bytes, word).size() / word));
  RC_ASSERT(mif.back() == "END;");
  words.clear();
  for (std::size_t i = 5; i + 1 < mif.size(); ++i) {
    const std::string prefix = fmt::format("{:x} : ", i - 5);
    RC_ASSERT(mif[i].rfind(prefix, 0) == 0);
    words.push_back(mif[i].substr(prefix.size(), std::size_t{2} * word));
  }
  RC_ASSERT(from_words(words) == padded(bytes, word));
}

}  // namespace
}  // namespace tessera::rom

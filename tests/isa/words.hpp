// Command words that probe the border between legal and illegal.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/isa.hpp"
#include "tessera/rng.hpp"

namespace tessera::isa::test {

/// A legal word of the command: every field at its least value.
inline std::uint64_t least_word(const CommandInfo& info) {
  std::uint64_t word = static_cast<std::uint64_t>(info.opcode) << 58;
  for (std::size_t f = 0; f < info.num_fields; ++f) {
    const FieldInfo& field = info.fields[f];
    const std::uint64_t mask = (std::uint64_t{1} << field.bits) - 1;
    word |= (static_cast<std::uint64_t>(field.min) & mask) << field.lsb;
  }
  return word;
}

/// Per command: each field at and beside its limits, each other bit flipped; every unknown opcode.
inline std::vector<std::uint64_t> boundary_words() {
  std::vector<std::uint64_t> words;
  for (const CommandInfo& info : kCommands) {
    const std::uint64_t base = least_word(info);
    words.push_back(base);
    for (std::size_t f = 0; f < info.num_fields; ++f) {
      const FieldInfo& field = info.fields[f];
      const std::uint64_t mask = (std::uint64_t{1} << field.bits) - 1;
      for (const std::int64_t value : {field.min - 1, field.min + 1, field.max - 1, field.max,
                                       field.max + 1, std::int64_t{0}}) {
        words.push_back((base & ~(mask << field.lsb)) | (static_cast<std::uint64_t>(value) & mask)
                                                            << field.lsb);
      }
    }
    for (unsigned bit = 0; bit < 58; ++bit) {
      words.push_back(base ^ std::uint64_t{1} << bit);
    }
  }
  for (std::uint64_t opcode = 0; opcode < 64; ++opcode) {
    words.push_back(opcode << 58);
    words.push_back(opcode << 58 | 1);
  }
  return words;
}

/// Random words; most carry a known opcode and clear upper bits, so that many are legal.
inline std::vector<std::uint64_t> random_words(std::size_t count, std::uint64_t seed) {
  SplitMix64 rng(seed);
  std::vector<std::uint64_t> words;
  for (std::size_t i = 0; i < count; ++i) {
    const CommandInfo& info = kCommands[rng.below(kCommands.size())];
    unsigned used = 0;
    for (std::size_t f = 0; f < info.num_fields; ++f) {
      used += info.fields[f].bits;
    }
    const std::uint64_t mask = (std::uint64_t{1} << used) - 1;
    const bool wild = rng.below(8) == 0;
    words.push_back(wild ? rng.next()
                         : static_cast<std::uint64_t>(info.opcode) << 58 | (rng.next() & mask));
  }
  return words;
}

}  // namespace tessera::isa::test

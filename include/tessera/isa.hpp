// Encoding, decoding and disassembly of command words.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tessera/generated/command_set.hpp"

namespace tessera::isa {

/// A field that does not fit its command. what() names command, field, value and range.
class EncodeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws EncodeError.
std::uint64_t encode(const Command& command);

struct Decoded {
  std::optional<Command> command;
  std::string problem;  ///< why the word is illegal, when `command` is empty
};

/// Accepts exactly the words that encode() produces.
Decoded decode(std::uint64_t word);

/// The features that a legal word needs, a bit each.
std::uint32_t features_of(std::uint64_t word);

/// The names of features, a bit each: "`folding`, `tables`".
std::string feature_names(std::uint32_t features);

/// "LOAD kind=1 dest=64 post_compute=1"; flags and checksums that are zero are left out.
std::string disassemble(const Command& command);

const CommandInfo& info_of(const Command& command);

/// Little-endian words.
std::vector<std::uint64_t> words_of(const std::uint8_t* bytes, std::size_t size);

}  // namespace tessera::isa

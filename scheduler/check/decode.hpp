// Words to commands, and commands to operations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/check/op.hpp"

namespace tessera::checker {

struct DecodedStream {
  std::vector<isa::Command> commands;
  std::vector<std::string> problems;  ///< illegal words, missing END
};
DecodedStream decode(const std::vector<std::uint64_t>& words);

/// Applies a command to its unit's configuration; true when it is an operation.
bool apply(const isa::Command& command, Op& state);

}  // namespace tessera::checker

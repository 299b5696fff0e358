// Tokens: in which order operations can run, and what each knows to be finished.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/check/op.hpp"
#include "tessera/hardware.hpp"

namespace tessera::checker {

struct Replay {
  std::vector<Op> ops;                ///< in an order in which they can run
  std::vector<std::string> problems;  ///< illegal words, missing END, deadlock
};

/// Decodes the stream and runs its tokens: with queues of the hardware's depth, or, with microcode,
/// one command after the other.
Replay replay(const std::vector<std::uint64_t>& words, const Hardware& hardware);

}  // namespace tessera::checker

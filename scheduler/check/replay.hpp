// Tokens: in which order operations can run, and what each knows to be finished.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scheduler/check/op.hpp"

namespace tessera::checker {

struct Replay {
  std::vector<Op> ops;                ///< in an order in which they can run
  std::vector<std::string> problems;  ///< illegal words, missing END, deadlock
};

/// Decodes the stream and runs its tokens with queues of `queue_depth` words.
Replay replay(const std::vector<std::uint64_t>& words, std::uint32_t queue_depth);

}  // namespace tessera::checker

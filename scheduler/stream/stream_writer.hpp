// Orders actions into one stream and encodes them.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/actions/actions.hpp"

namespace tessera {

/// The stream as words, END included. Loads move forward as far as tokens allow, up to what the
/// load queue holds, so that they overlap earlier convolutions. Every action follows those it waits
/// for, which keeps any queue depth free of deadlock.
std::vector<std::uint64_t> write_stream(const std::vector<Action>& actions,
                                        std::uint32_t queue_depth);

}  // namespace tessera

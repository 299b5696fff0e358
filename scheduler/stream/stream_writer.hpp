// Orders operations into one stream and encodes them.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/operations/operations.hpp"

namespace tessera {

/// The stream as words, END included. Loads move forward as far as tokens allow, up to what the
/// load queue holds, so that they overlap earlier convolutions. Every operation follows those it
/// waits for, which keeps any queue depth free of deadlock.
std::vector<std::uint64_t> write_stream(const std::vector<Operation>& operations,
                                        std::uint32_t queue_depth);

}  // namespace tessera

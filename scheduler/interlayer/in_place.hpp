// How far an output may reach into the input that it is computed from.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/operations/operations.hpp"

namespace tessera {

/// Least safe distances in bytes; 0: anywhere.
struct Distances {
  std::uint64_t output_below = 0;  ///< from the output's start up to the input's
  std::uint64_t output_above = 0;  ///< from the input's start up to the output's
};

/// From the order in which the operations read the input's bytes (from address `input` on) and
/// write the output's. A load counts as done for a store when the convolution that the store
/// drains, or one before it, has waited for it: that is what tokens can say.
Distances safe_distances(const std::vector<Operation>& operations, std::uint64_t input,
                         std::uint64_t output);

/// Whether operations that read and write one buffer (on virtual addresses, from `buffer` on) write
/// bytes there that a load is still to read.
bool overwrites_unread(const std::vector<Operation>& operations, std::uint64_t buffer);

}  // namespace tessera

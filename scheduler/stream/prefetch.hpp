// The order in which loads are asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/operations/operations.hpp"

namespace tessera {

/// How far weights and parameters move.
struct Prefetch {
  /// Before loads that have to wait for convolutions or stores (operands, features that are
  /// computed in the same run), at most so many bytes before each: the bus works while those wait.
  std::uint64_t bytes = 0;
  /// Before so many convolutions and stores: commands are fetched in their order, and queues are
  /// short.
  std::uint32_t work = 0;
};

/// As long as the order stays a valid execution.
void prefetch(std::vector<Operation>& operations, const Prefetch& ahead);

}  // namespace tessera

// The stream that gives states the values that they begin with.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/operations/operations.hpp"
#include "scheduler/program/bind_passes.hpp"
#include "scheduler/program/memory_map.hpp"

namespace tessera {

struct ResetWork {
  std::vector<std::uint64_t> initial;  ///< by state: addresses of the values, among the constants
  /// Of copies through the array, on virtual addresses of a network of their own.
  std::vector<Operation> operations;
  std::vector<std::int32_t> states;  ///< by virtual buffer
  std::vector<bool> is_initial;      ///< by virtual buffer: the values, not the state
};

/// Adds the values and what copying them takes to the constants; nothing without states.
ResetWork plan_reset(const Prepared& prepared, Constants& constants);

/// The same on real addresses.
std::vector<Operation> linked_reset(ResetWork reset, const Prepared& prepared,
                                    const MemoryMap& map);

}  // namespace tessera

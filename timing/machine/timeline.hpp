// What every unit does when: the cost model with its eyes open.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/engine.hpp"
#include "timing/memory/memory_port.hpp"

namespace tessera::timing {

/// Consecutive cbuf banks.
struct BankRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;  ///< 0: none
};

/// A command of the load, compute or store unit. Times are cycles from the first start on, those of
/// the host's register accesses between runs included.
struct Slice {
  unsigned unit = 0;  ///< 0: load, 1: compute, 2: store
  std::size_t layer = 0;
  std::size_t number = 0;       ///< of the unit's work on the layer, from 1
  Cycle begin = 0;              ///< the command is taken
  Cycle end = 0;                ///< its last byte, or sum, is in place
  std::uint64_t bytes = 0;      ///< on the bus; compute: 0
  std::string what;             ///< feature, weight, ... ; convolution, depthwise; store
  BankRange writes;             ///< banks that it fills
  BankRange features, weights;  ///< banks that it reads
};

/// A stretch in which the bus moves data without a longer pause.
struct BusSlice {
  bool write = false;
  Cycle begin = 0;
  Cycle end = 0;
  std::uint64_t beats = 0;
};

struct Timeline {
  RunResult result;           ///< counters
  std::vector<Slice> slices;  ///< by begin
  std::vector<BusSlice> bus;  ///< by begin
  Cycle end = 0;
};

/// As `estimate`, without other masters.
Timeline record(const Program& program, const ExternalMemory& memory);

}  // namespace tessera::timing

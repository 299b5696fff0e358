// Other masters' bursts on the bus.
#pragma once

#include "tessera/engine.hpp"
#include "tessera/rng.hpp"
#include "timing/memory/memory_port.hpp"

namespace tessera::timing {

/// Bursts at an even pace: each one begins when the bytes before it are due.
class TrafficSource {
 public:
  TrafficSource(const TrafficPattern& pattern, std::uint32_t bus_bytes);

  [[nodiscard]] bool writes() const { return pattern_.writes; }
  /// Cycle in which the next burst's address is given.
  [[nodiscard]] Cycle due() const { return due_; }
  Burst take();

 private:
  TrafficPattern pattern_;
  std::uint32_t bus_bytes_;
  SplitMix64 rng_;
  std::uint64_t given_ = 0;  ///< bytes
  Cycle due_ = 0;
};

}  // namespace tessera::timing

// Small fingerprints of states.
#pragma once

#include <cstdint>

namespace tessera::timing {

/// Order matters. Never 0.
class Digest {
 public:
  Digest& add(std::uint64_t value) {
    state_ = (state_ ^ value) * 0x9E3779B97F4A7C15ULL;
    state_ ^= state_ >> 29;
    return *this;
  }
  [[nodiscard]] std::uint64_t value() const { return state_ | 1; }

 private:
  std::uint64_t state_ = 0x100000001B3ULL;
};

}  // namespace tessera::timing

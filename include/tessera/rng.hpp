// Deterministic pseudo-random numbers, the same on every machine.
#pragma once

#include <cstdint>

namespace tessera {

/// SplitMix64.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  /// 0 to bound - 1; bound > 0.
  std::uint64_t below(std::uint64_t bound) { return (next() >> 11) % bound; }

  /// The top byte of the next number, as int8.
  std::int8_t int8() { return static_cast<std::int8_t>(next() >> 56); }

 private:
  std::uint64_t state_;
};

}  // namespace tessera

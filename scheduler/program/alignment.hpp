// External memory: where things begin, and how much there can be.
#pragma once

#include <cstdint>

namespace tessera {

inline constexpr std::uint64_t kAlignment = 64;  ///< bytes, of whatever has an address of its own
inline constexpr std::uint64_t kAddressSpace = std::uint64_t{1} << 32;

constexpr std::uint64_t align(std::uint64_t value) {
  return (value + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace tessera

// What searches remember states by.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera {

/// Two independent hashes: that both are equal for different states is not to be expected.
struct SearchKey {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  bool operator==(const SearchKey& other) const { return a == other.a && b == other.b; }
};

struct SearchKeyHash {
  std::size_t operator()(const SearchKey& key) const { return key.a; }
};

}  // namespace tessera

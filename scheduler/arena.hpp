// Offsets of the activations in external memory.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// A buffer that is alive in the half-open interval [first, last) of operator numbers.
struct Lifetime {
  std::uint64_t bytes = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

struct ArenaPlan {
  std::vector<std::uint64_t> offsets;  ///< by buffer
  std::uint64_t bytes = 0;
};

/// Greedy by size: the largest buffer first (a tie: the earlier one), each at the lowest offset at
/// which it overlaps none that is alive at the same time.
ArenaPlan plan_arena(const std::vector<Lifetime>& buffers, std::uint64_t alignment);

}  // namespace tessera

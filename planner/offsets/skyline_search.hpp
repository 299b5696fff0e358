// Exact search for offsets below a given height.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tessera/allocation.hpp"

namespace tessera {

/// A buffer in units of the greatest common step, alive in the moments [begin, end).
struct Block {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint64_t size = 0;
};

enum class SearchEnd : std::uint8_t { Found, None, Budget };

struct SearchResult {
  SearchEnd end = SearchEnd::Budget;
  std::vector<std::uint64_t> offsets;
  std::uint64_t steps = 0;
};

/// Offsets with all blocks below `height`, or the proof that there are none, or the budget's end.
SearchResult search_skyline(const std::vector<Block>& blocks, std::uint32_t moments,
                            std::uint64_t height, std::uint64_t steps,
                            const ExactTechniques& techniques);

}  // namespace tessera

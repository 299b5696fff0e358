// How far apart two buffers that are alive together must lie.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/allocation.hpp"

namespace tessera {

/// Offsets of one buffer that another one's place forbids: those between `low` and `high`, both
/// excluded.
struct Forbidden {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Buffers by who is alive with whom.
class Clearances {
 public:
  explicit Clearances(const AllocationProblem& problem);

  /// Buffers alive together with one.
  [[nodiscard]] const std::vector<std::size_t>& neighbours(std::size_t buffer) const {
    return neighbours_[buffer];
  }
  /// Bytes from the start of `below` to the least start of `above`, when that lies above it.
  [[nodiscard]] std::uint64_t distance(std::size_t below, std::size_t above) const;

  [[nodiscard]] Forbidden forbidden(std::size_t buffer, std::size_t placed,
                                    std::uint64_t offset) const;

 private:
  const AllocationProblem& problem_;
  std::vector<std::vector<std::size_t>> neighbours_;
  std::vector<std::vector<std::size_t>> overlaps_;  // by buffer below
};

}  // namespace tessera

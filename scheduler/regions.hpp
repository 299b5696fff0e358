// Where in the buffer the next features and weights go.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

/// Half-open range of atoms.
struct Region {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  [[nodiscard]] std::uint32_t size() const { return end - begin; }
};

struct Placement {
  Region feature;
  Region weight;
};

/// Chooses regions that keep clear of the ones last in use as far as possible, so that loads need
/// not wait for convolutions that still read. Correctness does not depend on the choice: tokens
/// follow from what overlaps.
class RegionChooser {
 public:
  explicit RegionChooser(std::uint32_t atoms) : atoms_(atoms) {}

  /// Both regions, disjoint. feature + weight <= atoms.
  Placement place(std::uint32_t feature, std::uint32_t weight);
  /// A feature region that keeps `resident`.
  Region place_feature(std::uint32_t feature, Region resident);

 private:
  [[nodiscard]] std::vector<std::uint32_t> starts(std::uint32_t size) const;
  [[nodiscard]] std::uint64_t overlap_with_recent(Region region) const;

  std::uint32_t atoms_;
  std::vector<Region> recent_;
};

}  // namespace tessera

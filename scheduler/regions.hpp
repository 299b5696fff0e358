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
  explicit RegionChooser(std::uint32_t atoms) : window_{0, atoms} {}

  /// From now on only atoms of `window` are given out.
  void set_window(Region window);
  [[nodiscard]] Region window() const { return window_; }
  /// One region after the other, round and round: what was given out longest ago comes first.
  Region next(std::uint32_t size);
  /// Both regions, disjoint. feature + weight <= window.
  Placement place(std::uint32_t feature, std::uint32_t weight);
  /// A feature region that keeps `resident`.
  Region place_feature(std::uint32_t feature, Region resident);

 private:
  [[nodiscard]] std::vector<std::uint32_t> starts(std::uint32_t size) const;
  [[nodiscard]] std::uint64_t overlap_with_recent(Region region) const;

  Region window_;
  std::uint32_t next_ = 0;
  std::vector<Region> recent_;
};

}  // namespace tessera

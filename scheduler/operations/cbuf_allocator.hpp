// Where in the buffer the next features and weights go.
#pragma once

#include <cstdint>
#include <deque>
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
class CbufAllocator {
 public:
  explicit CbufAllocator(Region window) : window_(window), next_(window.begin) {}

  /// From now on only atoms of `window` are given out.
  void set_window(Region window);
  [[nodiscard]] Region window() const { return window_; }
  /// Where what was there was in use longest ago; round and round, when nothing else is.
  Region next(std::uint32_t size);
  /// Something else is in use there at this point.
  void note(Region region);
  /// Both regions, disjoint. feature + weight <= window.
  Placement place(std::uint32_t feature, std::uint32_t weight);
  /// A feature region that keeps `resident`.
  Region place_feature(std::uint32_t feature, Region resident);

 private:
  [[nodiscard]] std::vector<std::uint32_t> starts(std::uint32_t size) const;
  [[nodiscard]] std::uint64_t overlap_with_recent(Region region) const;
  [[nodiscard]] std::uint64_t last_use(Region region) const;

  struct Use {
    Region region;
    std::uint64_t when = 0;
  };

  Region window_;
  std::uint32_t next_;
  std::vector<Region> recent_;
  std::deque<Use> uses_;  // the last ones, the latest first
  std::uint64_t now_ = 1;
};

}  // namespace tessera

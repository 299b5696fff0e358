// Cuts a transfer into bursts, as burst_splitter.sv does.
#pragma once

#include <algorithm>
#include <cstdint>

#include "timing/data_path/operations.hpp"

namespace tessera::timing {

/// Bursts of at most 256 beats and 4 KiB, each inside one segment.
class Splitter {
 public:
  explicit Splitter(std::uint32_t bus_bytes)
      : bus_bytes_(bus_bytes), most_(std::min<std::uint32_t>(256 * bus_bytes, 4096)) {}

  /// The first burst is there from the next cycle on.
  void start(const Segments& segments, Cycle now) {
    segments_ = segments;
    row_ = segment_ = address_ = segments.address;
    left_ = segments.segment_bytes;
    inner_ = segments.inner;
    outer_ = segments.outer;
    from_ = now + 1;
    busy_ = true;
  }
  [[nodiscard]] bool busy() const { return busy_; }
  [[nodiscard]] bool offers(Cycle now) const { return busy_ && now >= from_; }
  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] std::uint32_t bytes() const {
    return std::min(left_, most_ - static_cast<std::uint32_t>(address_ & (most_ - 1)));
  }
  [[nodiscard]] std::uint32_t beats() const {
    return (static_cast<std::uint32_t>(address_ & (bus_bytes_ - 1)) + bytes() + bus_bytes_ - 1) /
           bus_bytes_;
  }
  [[nodiscard]] bool last() const { return left_ == bytes() && inner_ == 1 && outer_ == 1; }

  /// Segments of this row after the current one; 0 unless all are cut alike, whole, in one burst.
  [[nodiscard]] std::uint32_t even_segments() const {
    const std::uint32_t segment = segments_.segment_bytes;
    const bool even = busy_ && left_ == segment && most_ % segment == 0 &&
                      segment_ % segment == 0 && segments_.inner_stride % segment == 0;
    return even ? inner_ - 1 : 0;
  }
  /// Leaves out so many of them.
  void skip(std::uint32_t segments) {
    segment_ = (segment_ + std::uint64_t{segments} * segments_.inner_stride) & kAddressMask;
    address_ = segment_;
    inner_ -= segments;
  }

  void advance() {
    const std::uint32_t taken = bytes();
    if (taken < left_) {
      address_ += taken;
      left_ -= taken;
      return;
    }
    left_ = segments_.segment_bytes;
    if (inner_ > 1) {
      --inner_;
      segment_ = (segment_ + segments_.inner_stride) & kAddressMask;
    } else {
      inner_ = segments_.inner;
      row_ = (row_ + segments_.outer_stride) & kAddressMask;
      segment_ = row_;
      busy_ = --outer_ > 0;
    }
    address_ = segment_;
  }

 private:
  static constexpr std::uint64_t kAddressMask = 0xFFFFFFFF;

  std::uint32_t bus_bytes_;
  std::uint32_t most_;
  Segments segments_;
  std::uint64_t row_ = 0, segment_ = 0, address_ = 0;
  std::uint32_t left_ = 0, inner_ = 0, outer_ = 0;
  Cycle from_ = 0;
  bool busy_ = false;
};

}  // namespace tessera::timing

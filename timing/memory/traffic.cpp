#include "timing/memory/traffic.hpp"

#include <algorithm>

namespace tessera::timing {

TrafficSource::TrafficSource(const TrafficPattern& pattern, std::uint32_t bus_bytes)
    : pattern_(pattern), bus_bytes_(bus_bytes), rng_(pattern.seed) {}

Burst TrafficSource::take() {
  Burst burst;
  burst.beats = std::max(1U, pattern_.burst_bytes / bus_bytes_);
  burst.bytes = burst.beats * bus_bytes_;
  const std::uint64_t places = std::max<std::uint64_t>(1, pattern_.window_bytes / burst.bytes);
  const std::uint64_t place = pattern_.random ? rng_.below(places) : given_ / burst.bytes % places;
  burst.address = pattern_.address + place * burst.bytes;
  burst.id = 1;
  given_ += burst.bytes;
  due_ = static_cast<Cycle>(static_cast<double>(given_) / pattern_.bytes_per_cycle);
  return burst;
}

}  // namespace tessera::timing

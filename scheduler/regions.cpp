#include "scheduler/regions.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace tessera {
namespace {

std::uint32_t overlap(Region a, Region b) {
  const std::uint32_t begin = std::max(a.begin, b.begin);
  const std::uint32_t end = std::min(a.end, b.end);
  return end > begin ? end - begin : 0;
}

}  // namespace

std::vector<std::uint32_t> RegionChooser::starts(std::uint32_t size) const {
  std::vector<std::uint32_t> result = {0, atoms_ - size};
  for (const Region& region : recent_) {
    if (region.end + size <= atoms_) {
      result.push_back(region.end);
    }
    if (region.begin >= size) {
      result.push_back(region.begin - size);
    }
  }
  return result;
}

std::uint64_t RegionChooser::overlap_with_recent(Region region) const {
  std::uint64_t sum = 0;
  for (const Region& recent : recent_) {
    sum += overlap(region, recent);
  }
  return sum;
}

Placement RegionChooser::place(std::uint32_t feature, std::uint32_t weight) {
  // Weights can often be fetched before the layer in front has finished, features seldom.
  constexpr std::uint64_t kWeightCost = 4;
  Placement best;
  std::uint64_t best_cost = std::numeric_limits<std::uint64_t>::max();
  const auto consider = [&](Region f, Region w) {
    if (overlap(f, w) != 0) {
      return;
    }
    const std::uint64_t cost = overlap_with_recent(f) + kWeightCost * overlap_with_recent(w);
    if (cost < best_cost) {
      best_cost = cost;
      best = {f, w};
    }
  };
  for (const std::uint32_t w : starts(weight)) {
    for (const std::uint32_t f : starts(feature)) {
      consider({f, f + feature}, {w, w + weight});
    }
  }
  consider({0, feature}, {atoms_ - weight, atoms_});
  if (best_cost == std::numeric_limits<std::uint64_t>::max()) {
    throw std::logic_error("regions do not fit the buffer");
  }
  recent_ = {best.feature, best.weight};
  return best;
}

Region RegionChooser::place_feature(std::uint32_t feature, Region resident) {
  Region best;
  std::uint64_t best_cost = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint32_t> candidates = starts(feature);
  if (resident.end + feature <= atoms_) {
    candidates.push_back(resident.end);
  }
  if (resident.begin >= feature) {
    candidates.push_back(resident.begin - feature);
  }
  for (const std::uint32_t start : candidates) {
    const Region region{start, start + feature};
    const std::uint64_t cost = overlap_with_recent(region);
    if (overlap(region, resident) == 0 && cost < best_cost) {
      best_cost = cost;
      best = region;
    }
  }
  if (best_cost == std::numeric_limits<std::uint64_t>::max()) {
    throw std::logic_error("feature region does not fit beside the weights");
  }
  recent_ = {best, resident};
  return best;
}

}  // namespace tessera

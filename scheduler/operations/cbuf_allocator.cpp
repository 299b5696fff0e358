#include "scheduler/operations/cbuf_allocator.hpp"

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

void CbufAllocator::set_window(Region window) {
  window_ = window;
  next_ = std::max(next_, window.begin);
}

Region CbufAllocator::next(std::uint32_t size) {
  if (size > window_.size()) {
    throw std::logic_error("a region does not fit the buffer");
  }
  if (next_ + size > window_.end) {
    next_ = window_.begin;
  }
  Region best{next_, next_ + size};
  std::uint64_t oldest = last_use(best);
  const auto consider = [&](std::uint32_t begin) {
    const Region region{begin, begin + size};
    if (begin >= window_.begin && region.end <= window_.end && last_use(region) < oldest) {
      oldest = last_use(region);
      best = region;
    }
  };
  consider(window_.begin);
  for (const Use& use : uses_) {
    consider(use.region.end);
  }
  next_ = best.end;
  recent_ = {best};
  note(best);
  return best;
}

void CbufAllocator::note(Region region) {
  constexpr std::size_t kRemembered = 64;
  uses_.push_front({region, now_++});
  if (uses_.size() > kRemembered) {
    uses_.pop_back();
  }
}

std::uint64_t CbufAllocator::last_use(Region region) const {
  for (const Use& use : uses_) {
    if (overlap(use.region, region) != 0) {
      return use.when;
    }
  }
  return 0;
}

std::vector<std::uint32_t> CbufAllocator::starts(std::uint32_t size) const {
  std::vector<std::uint32_t> result = {window_.begin, window_.end - size};
  for (const Region& region : recent_) {
    if (region.end >= window_.begin && region.end + size <= window_.end) {
      result.push_back(region.end);
    }
    if (region.begin >= window_.begin + size && region.begin <= window_.end) {
      result.push_back(region.begin - size);
    }
  }
  return result;
}

std::uint64_t CbufAllocator::overlap_with_recent(Region region) const {
  std::uint64_t sum = 0;
  for (const Region& recent : recent_) {
    sum += overlap(region, recent);
  }
  return sum;
}

Placement CbufAllocator::place(std::uint32_t feature, std::uint32_t weight) {
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
  consider({window_.begin, window_.begin + feature}, {window_.end - weight, window_.end});
  if (best_cost == std::numeric_limits<std::uint64_t>::max()) {
    throw std::logic_error("regions do not fit the buffer");
  }
  recent_ = {best.feature, best.weight};
  next_ = best.weight.end;
  note(best.feature);
  note(best.weight);
  return best;
}

Region CbufAllocator::place_feature(std::uint32_t feature, Region resident) {
  Region best;
  std::uint64_t best_cost = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint32_t> candidates = starts(feature);
  if (resident.end + feature <= window_.end) {
    candidates.push_back(resident.end);
  }
  if (resident.begin >= window_.begin + feature) {
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
  note(best);
  return best;
}

}  // namespace tessera

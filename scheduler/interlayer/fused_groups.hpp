// Which layers run fused, row by row one behind the other.
#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/interlayer/fused_layout.hpp"
#include "scheduler/interlayer/residency_candidates.hpp"

namespace tessera {

/// Places in the order, both included. A single layer runs in bands of rows, too.
struct FusedGroup {
  std::size_t first = 0;
  std::size_t last = 0;
  [[nodiscard]] bool holds(std::size_t place) const { return first <= place && place <= last; }
};

FusedShapes fused_shapes(const PlannedUnits& units, const FusedGroup& group, bool feature_kept);

/// Chains of layers, each the only reader of the one before it, cut where that costs least by the
/// policy's objective: cycles of array and bus, or bytes. Layers that are better off otherwise are
/// in none.
std::vector<FusedGroup> choose_fused_groups(const PlannedUnits& units);

}  // namespace tessera

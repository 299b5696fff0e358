// The tiling of one layer that moves the fewest bytes.
#pragma once

#include <optional>

#include "scheduler/lower/fold.hpp"
#include "scheduler/tiling/modes.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// Among: tiles of height and width whose weights stay or pass by, in kernel groups or in channel
/// parts of these; blocks of sums whose channel parts pass by. `fold`: the shape is folded. Nothing
/// when none fits, or for depthwise layers.
std::optional<LayerDecision> decide_least_traffic(const ConvShape& shape, const Hardware& hardware,
                                                  CbufBudget budget,
                                                  const std::optional<Fold>& fold);

}  // namespace tessera

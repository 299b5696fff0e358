// Turns a layer's decision into loads, convolutions and stores.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/layer_actions.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// External bytes of the actions from `first` on.
Traffic traffic_of(const std::vector<Action>& actions, std::size_t first);

/// Appends the layer's actions. Their order is a valid execution, one after the other.
void plan_layer(const ConvShape& shape, const Hardware& hardware, const LayerDecision& decision,
                const LayerData& data, StreamState& state, std::vector<Action>& actions);

}  // namespace tessera

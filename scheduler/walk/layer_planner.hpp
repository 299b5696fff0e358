// Turns a scheduled pass into loads, convolutions and stores.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/actions/layer_actions.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// External bytes of the actions.
Traffic traffic_of(const std::vector<Action>& actions);

/// External bytes of a strategy with so many atoms of the cbuf.
Traffic traffic_of(const ConvShape& shape, const Hardware& hardware, const Strategy& strategy,
                   std::uint32_t atoms);

/// Appends the layer's actions. Their order is a valid execution, one after the other.
void plan_layer(const ScheduledPass& pass, const Hardware& hardware, StreamState& state,
                std::vector<Action>& actions);

/// Some rows of a layer whose weights stay in the cbuf from one band to the next.
struct Band {
  Range rows;                           ///< of the output; what they read is kept
  std::uint32_t weights = 0;            ///< cbuf atom of the first
  std::optional<std::uint32_t> params;  ///< first group, when they stay, too
  bool loads_weights = false;           ///< the first band does
};

/// Appends the band's actions, as plan_layer does. `residency`: of its rows.
void plan_band(const ScheduledPass& pass, const PassResidency& residency, const Band& band,
               const Hardware& hardware, StreamState& state, std::vector<Action>& actions);

/// Appends loads of these rows of the layer's feature, to lie packed from an atom on.
void plan_feature_rows(const ScheduledPass& pass, const KeptRows& rows, const Hardware& hardware,
                       StreamState& state, std::vector<Action>& actions);

}  // namespace tessera

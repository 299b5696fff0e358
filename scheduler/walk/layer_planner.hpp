// Turns a layer's decision into loads, convolutions and stores.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/actions/layer_actions.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// External bytes of the actions from `first` on.
Traffic traffic_of(const std::vector<Action>& actions, std::size_t first);

/// Appends the layer's actions. Their order is a valid execution, one after the other.
void plan_layer(const ConvShape& shape, const Hardware& hardware, const LayerDecision& decision,
                const LayerData& data, StreamState& state, std::vector<Action>& actions);

/// Some rows of a layer whose weights stay in the cbuf from one band to the next.
struct Band {
  Range rows;                           ///< of the output; what they read is kept
  std::uint32_t weights = 0;            ///< cbuf atom of the first
  std::optional<std::uint32_t> params;  ///< first group, when they stay, too
  bool loads_weights = false;           ///< the first band does
};

/// Appends the band's actions, as plan_layer does.
void plan_band(const ConvShape& shape, const Hardware& hardware, const LayerDecision& decision,
               const LayerData& data, const Band& band, StreamState& state,
               std::vector<Action>& actions);

/// Appends loads of these rows of the layer's feature, to lie packed from an atom on.
void plan_feature_rows(const ConvShape& shape, const Hardware& hardware, const LayerData& data,
                       const KeptRows& rows, StreamState& state, std::vector<Action>& actions);

}  // namespace tessera

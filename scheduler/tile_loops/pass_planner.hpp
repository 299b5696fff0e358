// Turns a scheduled pass into loads, convolutions and stores.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/operations/pass_operations.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// External bytes of the operations.
Traffic traffic_of(const std::vector<Operation>& operations);

/// External bytes of a strategy with so many atoms of the cbuf.
Traffic traffic_of(const ConvShape& shape, const Hardware& hardware, const Strategy& strategy,
                   std::uint32_t atoms);

/// Appends the layer's operations. Their order is a valid execution, one after the other.
void plan_pass(const ScheduledPass& pass, const Hardware& hardware, StreamState& state,
               std::vector<Operation>& operations);

/// Some rows of a layer whose weights stay in the cbuf from one band to the next.
struct Band {
  Range rows;                           ///< of the output; what they read is kept
  std::uint32_t weights = 0;            ///< cbuf atom of the first
  std::optional<std::uint32_t> params;  ///< first group, when they stay, too
  bool loads_weights = false;           ///< the first band does
};

/// Appends the band's operations, as plan_pass does. `residency`: of its rows.
void plan_band(const ScheduledPass& pass, const PassResidency& residency, const Band& band,
               const Hardware& hardware, StreamState& state, std::vector<Operation>& operations);

/// Appends loads of these rows of the layer's feature, to lie packed from an atom on.
void plan_feature_rows(const ScheduledPass& pass, const KeptRows& rows, const Hardware& hardware,
                       StreamState& state, std::vector<Operation>& operations);

}  // namespace tessera

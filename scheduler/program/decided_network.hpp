// A network whose every pass of the array is decided.
#pragma once

#include <vector>

#include "scheduler/interlayer/residency.hpp"
#include "scheduler/program/prepared.hpp"

namespace tessera {

struct DecidedNetwork {
  std::vector<std::vector<ScheduledPass>> passes;  ///< by unit; none for the host
  Residency residency;
  OrderChoice orders;  ///< a single one when something stays in the cbuf
};

/// Decides each pass by itself and then, as the tuning asks, what stays in the cbuf and how layers
/// run in what is left of it. Depends on no tile_shifts, feature_bands, ahead and rows_last. Throws
/// InputError when a layer fits in no mode.
DecidedNetwork decide_network(const Prepared& prepared, const Tuning& tuning);

/// Sizes of tiles and bands, as the tuning has them.
void set_sizes(const Prepared& prepared, const Tuning& tuning, DecidedNetwork& decided);

}  // namespace tessera

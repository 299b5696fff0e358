// One pass of the array with what was decided for it.
#pragma once

#include <cstdint>

#include "scheduler/actions/layer_actions.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// What `best` tries instead of the published rules, where a pass allows it.
struct Variant {
  bool least_traffic = false;  ///< tiles for the fewest bytes
  bool side_by_side = false;   ///< output columns in the place of kernels
  /// Channel parts of a feature whose sums are all there at once, so that work begins with the
  /// first of them; 1: none.
  std::uint32_t parts = 1;
};

/// A pass of the array, decided but not yet placed.
struct PlannedPiece {
  ConvShape shape;
  LayerDecision decision;
  LayerData data;
  Variant variant;           ///< so far as the pass allows it
  std::int32_t columns = 1;  ///< of the output that are kernels of the shape
  /// The feature is rows and columns of the tensor at these distances: all that a pointwise layer
  /// reads.
  std::int32_t feature_step_h = 1, feature_step_w = 1;
};

}  // namespace tessera

// Activations that could stay in the cbuf: made by one pass of the array, read as they are made.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/activations.hpp"
#include "scheduler/layer_actions.hpp"
#include "scheduler/units.hpp"
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

/// The units of a network in one order, with their passes.
struct PlannedUnits {
  const UnitPlan& plan;
  const std::vector<std::vector<PlannedPiece>>& pieces;  ///< by unit
  const Activations& activations;
  const std::vector<std::uint32_t>& order;
  const Hardware& hardware;
  const Policy& policy;

  [[nodiscard]] const WorkUnit& unit_at(std::size_t place) const {
    return plan.units[order[place]];
  }
  [[nodiscard]] const std::vector<PlannedPiece>& pieces_at(std::size_t place) const {
    return pieces[order[place]];
  }
};

/// One buffer. Places are indices into the order.
struct Keepable {
  std::size_t buffer = 0;
  std::size_t writer = 0;
  std::vector<std::size_t> readers;  ///< that can read it from the cbuf; never empty
  bool external = false;             ///< others need it in memory
  std::uint64_t atoms = 0;
  std::uint64_t saved_bytes = 0;  ///< on the bus, when it is kept
};

/// In the order of their writers.
std::vector<Keepable> find_keepable(const PlannedUnits& units);

}  // namespace tessera

// Which activations stay in the cbuf between the layer that makes them and those that read them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/activations.hpp"
#include "scheduler/layer_actions.hpp"
#include "scheduler/units.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// A pass of the array, decided but not yet placed.
struct PlannedPiece {
  ConvShape shape;
  LayerDecision decision;
  LayerData data;
};

/// Of one unit. Atoms of the cbuf.
struct UnitResidency {
  std::optional<std::uint32_t> feature;  ///< where the feature lies, packed
  std::optional<std::uint32_t> output;   ///< where the output goes, packed
  bool stored = true;                    ///< the output goes to external memory (too)
  std::uint32_t window = 0;              ///< loads have the atoms from here on
};

struct Residency {
  std::vector<UnitResidency> units;
  std::vector<bool> external;  ///< by buffer of the activations: it needs external memory
};

/// Nothing stays.
Residency no_residency(const UnitPlan& plan, const Activations& activations);

/// As much as possible stays, as long as what a layer then has left of the cbuf does not cost it
/// more external bytes than are saved. `pieces` by unit; `order` of units. `part`: the most of the
/// cbuf that a tensor may take.
Residency plan_residency(const UnitPlan& plan, const std::vector<std::vector<PlannedPiece>>& pieces,
                         const Activations& activations, const std::vector<std::uint32_t>& order,
                         const Hardware& hardware, const Policy& policy, double part);

/// The pass's decision with `atoms` of the cbuf for what it loads; none when it does not fit.
std::optional<LayerDecision> decide_within(const PlannedPiece& piece, const Hardware& hardware,
                                           const Policy& policy, std::uint32_t atoms,
                                           bool feature_kept);

}  // namespace tessera

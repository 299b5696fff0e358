// Which activations stay in the cbuf between the layer that makes them and those that read them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/interlayer/fused_groups.hpp"
#include "scheduler/interlayer/fused_layout.hpp"
#include "scheduler/interlayer/residency_candidates.hpp"
#include "scheduler/operations/cbuf_allocator.hpp"

namespace tessera {

/// Of one unit. Atoms of the cbuf.
struct UnitResidency {
  std::optional<std::uint32_t> feature;  ///< where the whole feature lies, packed
  std::optional<std::uint32_t> output;   ///< where the whole output goes, packed
  bool stored = true;                    ///< the output goes to external memory (too)
  Region window;                         ///< atoms that loads have
  std::optional<std::size_t> group;      ///< the fused group that it is in
};

struct Residency {
  std::vector<UnitResidency> units;
  std::vector<bool> external;  ///< by buffer of the activations: it needs external memory
  std::vector<FusedGroup> groups;
  std::vector<FusedLayout> layouts;  ///< of the groups
};

/// Nothing stays.
Residency no_residency(const Partition& plan, const Activations& activations,
                       const Hardware& hardware);

/// As much as possible stays, as long as what a layer then has left of the cbuf does not cost it
/// more than is saved. `part`: the most of the cbuf that a tensor may take. `groups`: in order.
Residency plan_residency(const PlannedUnits& units, const std::vector<FusedGroup>& groups,
                         double part);

}  // namespace tessera

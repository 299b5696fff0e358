// Layers that run row by row, one behind the other: a few rows of what each makes are in the cbuf,
// and nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/lower/tiling.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// What goes into a fused group, by layer; each reads what the one before it makes, as it is.
struct FusedShapes {
  std::vector<const ConvShape*> layers;
  bool feature_kept = false;  ///< the first one's whole feature lies in the cbuf
  Objective objective = Objective::Cycles;
  double bytes_per_cycle = 8;  ///< of external memory
  bool small_bands = false;    ///< nothing else is at work while the first rows are loaded
};

/// Rows that the cbuf holds of what the layers read, in ring buffers: the first one's feature (none
/// when it is kept), then each layer's output but the last one's.
struct FusedLayout {
  std::uint32_t band = 0;  ///< output rows of the last layer at once
  std::vector<std::uint32_t> rows;
  std::uint64_t atoms = 0;        ///< of these rows and all weights
  std::uint64_t cycles = 0;       ///< of the array, an estimate
  std::uint64_t last_cycles = 0;  ///< of these, the last layer's
  std::uint64_t bytes = 0;        ///< of features loaded
};

/// The layout with the fewest cycles or, if that is the objective, bytes in `atoms`; none when not
/// even single rows fit.
std::optional<FusedLayout> fused_layout(const FusedShapes& shapes, const Hardware& hardware,
                                        std::uint32_t atoms);

/// Cycles of the array for some output rows of a layer, about.
std::uint64_t array_cycles(const ConvShape& shape, const Hardware& hardware, Range rows);

}  // namespace tessera

// What programs of a network have in common, and what they differ in.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "scheduler/interlayer/activations.hpp"
#include "scheduler/interlayer/order_choice.hpp"
#include "scheduler/lower/partition.hpp"
#include "scheduler/operations/weight_compression.hpp"
#include "scheduler/pass/scheduled_pass.hpp"
#include "scheduler/stream/prefetch.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// What all programs of a network have in common.
struct Prepared {
  const Network& network;
  const Hardware& hardware;
  const Policy& policy;
  Partition plan;
  Activations activations;
  OrderChoice orders;
  std::shared_ptr<CodeCache> codes = std::make_shared<CodeCache>();
};
Prepared prepare(const Network& network, const Hardware& hardware, const Policy& policy);

/// What a network's program depends on beside that.
struct Tuning {
  /// Activations of at most that part of the cbuf stay there where they can; 0: none.
  double keep = 0;
  bool fuse = true;               ///< with keep: layers run row by row where that pays
  bool small_bands = false;       ///< of those: work begins early rather than with few bands
  std::vector<Variant> variants;  ///< by operator; empty: none
  bool rows_last = false;         ///< of all that the first row by row work loads
  Prefetch ahead;
  std::uint32_t feature_bands = 4;        ///< as TileSizes has it, of all layers
  std::vector<std::int32_t> tile_shifts;  ///< by operator, as TileSizes has it; empty: all 0
};

/// As compile, without choosing. Throws InputError.
Program compile_tuned(const Prepared& prepared, const Tuning& tuning, Contents contents);

}  // namespace tessera

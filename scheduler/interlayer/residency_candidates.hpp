// Activations that could stay in the cbuf: made by one pass of the array, read as they are made.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/interlayer/activations.hpp"
#include "scheduler/lower/partition.hpp"
#include "scheduler/pass/scheduled_pass.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// The units of a network in one order, with their passes.
struct PlannedUnits {
  const Partition& plan;
  const std::vector<std::vector<ScheduledPass>>& passes;  ///< by unit
  const Activations& activations;
  const std::vector<std::uint32_t>& order;
  const Hardware& hardware;
  const Policy& policy;
  bool small_bands = false;  ///< see FusedShapes

  [[nodiscard]] const FusedOperator& unit_at(std::size_t place) const {
    return plan.units[order[place]];
  }
  [[nodiscard]] const std::vector<ScheduledPass>& passes_at(std::size_t place) const {
    return passes[order[place]];
  }
};

/// One buffer. Places are indices into the order.
struct ResidencyCandidate {
  std::size_t buffer = 0;
  std::size_t writer = 0;
  std::vector<std::size_t> readers;  ///< that can read it from the cbuf; never empty
  bool external = false;             ///< others need it in memory
  std::uint64_t atoms = 0;
  std::uint64_t saved_bytes = 0;  ///< on the bus, when it is kept
};

/// In the order of their writers.
std::vector<ResidencyCandidate> find_residency_candidates(const PlannedUnits& units);

}  // namespace tessera

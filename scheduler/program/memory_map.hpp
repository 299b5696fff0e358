// External memory with everything in its place, but for the commands.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scheduler/program/work_plan.hpp"

namespace tessera {

struct MemoryMap {
  Slot arena;                                ///< of the activations
  std::vector<std::uint64_t> buffers;        ///< addresses
  std::vector<std::optional<Slot>> tensors;  ///< activations that external memory holds

  [[nodiscard]] const std::optional<Slot>& slot(std::int32_t tensor) const {
    return tensors[static_cast<std::size_t>(tensor)];
  }
};

/// The arena lies behind the constants. Throws InputError when both together are too large.
MemoryMap map_memory(const Prepared& prepared, const Residency& residency, const WorkPlan& work,
                     std::uint64_t constants_bytes);

/// Where a unit leaves its output; it has a slot.
Slot output_of(const FusedOperator& unit, const Network& network, const MemoryMap& map);

/// The plan of the arena, for reports.
MemoryPlan describe_memory(const Prepared& prepared, const WorkPlan& work);

}  // namespace tessera

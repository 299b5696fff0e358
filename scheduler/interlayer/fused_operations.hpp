// What layers that run row by row do, in one order.
#pragma once

#include <vector>

#include "scheduler/interlayer/fused_layout.hpp"
#include "scheduler/operations/pass_operations.hpp"

namespace tessera {

/// One layer of a group, as it is to be run.
struct FusedLayer {
  const ScheduledPass* pass = nullptr;
  bool others_read = false;  ///< not the last: its output goes to external memory, too

  [[nodiscard]] const ConvShape& shape() const { return pass->shape.conv; }
};

/// Actions of one layer in one band, or loads for it.
struct FusedSegment {
  std::size_t layer = 0;
  bool loads_only = false;
  std::vector<Operation> operations;
};

/// All bands, one after the other. The layout's atoms must fit the window of `state`.
std::vector<FusedSegment> plan_fused(const std::vector<FusedLayer>& layers,
                                     const FusedLayout& layout, const Hardware& hardware,
                                     StreamState& state);

}  // namespace tessera

// Turns a layer's decision into loads, convolutions and stores.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/actions.hpp"
#include "scheduler/regions.hpp"
#include "scheduler/tiling.hpp"
#include "tessera/schedule.hpp"

namespace tessera {

/// External addresses and numbers of a layer's tensors.
struct LayerData {
  std::uint64_t feature = 0;  ///< NHWC int8
  std::uint64_t weights = 0;  ///< as packed by pack_weights for the same decision
  std::uint64_t params = 0;   ///< as packed by pack_params
  std::uint64_t output = 0;   ///< NHWC int8
  std::int32_t input_zero_point = 0;
  isa::StQuant quant;
};

/// What the layers of one stream hand on to each other.
struct StreamState {
  explicit StreamState(const Hardware& hardware) : regions(hardware.cbuf_atoms()) {}
  RegionChooser regions;
  std::uint32_t acc_half = 0;    ///< half that the next tile takes
  std::uint32_t param_next = 0;  ///< group that the next parameters take
};

/// Bytes of one atom of weights in external memory: layers of a single atom are not filled up.
std::uint32_t weight_unit_bytes(const ConvShape& shape, const Hardware& hardware);

/// Appends the layer's actions. Their order is a valid execution, one after the other.
void plan_layer(const ConvShape& shape, const Hardware& hardware, const LayerDecision& decision,
                const LayerData& data, StreamState& state, std::vector<Action>& actions);

}  // namespace tessera

// Every pass gets its addresses: of weights, parameters, tables and constant operands, and virtual
// ones of activations.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/program/decided_network.hpp"

namespace tessera {

struct Constants {
  std::vector<std::uint8_t> image;  ///< external memory from address 0 on
  std::uint64_t saved_bytes = 0;    ///< equal bytes are there once
};

/// Fills ScheduledPass::binding of all passes. `image`: what is there already.
Constants bind_passes(const Prepared& prepared, Contents contents, DecidedNetwork& decided,
                      std::vector<std::uint8_t> image = {});

}  // namespace tessera

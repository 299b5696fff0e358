// Every pass gets its addresses: of weights, parameters, tables and constant operands, and virtual
// ones of activations.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "scheduler/program/decided_network.hpp"

namespace tessera {

struct Constants {
  std::vector<std::uint8_t> image;  ///< external memory from address 0 on
  std::uint64_t saved_bytes = 0;    ///< equal bytes are there once
  /// By address: weights that are compressed.
  std::map<std::uint64_t, std::shared_ptr<const CodedWeights>> coded;
};

/// Fills ScheduledPass::binding of all passes, and adds their constants to what is there already.
void bind_passes(const Prepared& prepared, Contents contents, DecidedNetwork& decided,
                 Constants& constants);

}  // namespace tessera

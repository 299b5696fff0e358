// Weights, parameters, tables and constant operands at their addresses.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "scheduler/program/decided_network.hpp"

namespace tessera {

struct PlacedConstants {
  std::vector<std::uint8_t> image;                 ///< external memory from address 0 on
  std::vector<std::vector<LayerData>> data;        ///< of the pieces, with all that is constant
  std::map<std::int32_t, std::uint64_t> operands;  ///< addresses, by tensor
  std::uint64_t saved_bytes = 0;                   ///< equal bytes are there once
};

PlacedConstants place_constants(const Prepared& prepared, const DecidedNetwork& decided,
                                Contents contents);

}  // namespace tessera

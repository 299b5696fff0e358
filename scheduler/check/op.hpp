// Commands with the configuration in force.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tessera/isa.hpp"

namespace tessera::checker {

/// A LOAD, CONV, STORE or mark with the unit's configuration at that point.
struct Op {
  isa::Unit unit = isa::Unit::Load;
  std::size_t word = 0;  ///< index in the stream
  bool is_mark = false;
  std::uint32_t mark = 0;        ///< its number
  std::uint64_t configured = 0;  ///< bit per opcode whose word came before
  // Configuration, as far as the unit has it.
  isa::LdSource source;
  isa::LdShape load_shape;
  isa::LdStride load_stride;
  isa::LdFold fold;
  isa::LdFactor factor;
  isa::LdCode code;
  isa::Load load;
  isa::CvInput input;
  isa::CvKernel kernel;
  isa::CvTile tile;
  isa::CvWeights weights;
  isa::CvWindow window;
  isa::CvRing ring;
  isa::Conv conv;  ///< DEPTHWISE has the same fields
  bool depthwise = false;
  bool resume = false;
  std::uint32_t first_byte = 0;  ///< of a DEPTHWISE's first channel
  isa::StAddress address;
  isa::StShape store_shape;
  isa::StStride store_stride;
  isa::StQuant quant;
  isa::StTile store_tile;
  isa::StPost post;
  std::optional<isa::StSoftmax> softmax;  ///< in the place of `post`, which is none then
  isa::StResult result;
  isa::StKeep keep;
  isa::Store store;
  // Tokens, by other unit (load, compute, store).
  std::array<bool, 3> waits{};
  std::array<bool, 3> posts{};
  /// Operations known to be finished when this one starts, by unit, and stores acknowledged.
  std::array<std::uint32_t, 3> known{};
  std::uint32_t known_acknowledged = 0;
};

/// Whether the unit's configuration words that the operation needs have come before.
bool is_configured(const Op& op);

/// Parameters of 4 bytes, with one factor for all.
bool is_uniform(const Op& op);
bool takes_operand(const Op& op);
/// Which of the tables.
std::optional<std::uint32_t> table_taken(const Op& op);

}  // namespace tessera::checker

// Commands with the configuration in force, as the program checker replays them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tessera/isa.hpp"

namespace tessera::checker {

/// A LOAD, CONV, STORE or mark with the unit's configuration at that point.
struct Op {
  isa::Unit unit = isa::Unit::Load;
  std::size_t word = 0;  ///< index in the stream
  bool is_mark = false;
  std::uint64_t configured = 0;  ///< bit per opcode whose word came before
  // Configuration, as far as the unit has it.
  isa::LdSource source;
  isa::LdShape load_shape;
  isa::LdStride load_stride;
  isa::LdFold fold;
  isa::LdFactor factor;
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
  isa::StAddress address;
  isa::StShape store_shape;
  isa::StStride store_stride;
  isa::StTile store_tile;
  isa::StPost post;
  isa::StKeep keep;
  isa::Store store;
  // Tokens, by other unit (load, compute, store).
  std::array<bool, 3> waits{};
  std::array<bool, 3> posts{};
  /// Operations known to be finished when this one starts, by unit, and stores acknowledged.
  std::array<std::uint32_t, 3> known{};
  std::uint32_t known_acknowledged = 0;
};

struct Replay {
  std::vector<Op> ops;                ///< in an order in which they can run
  std::vector<std::string> problems;  ///< illegal words, missing END, deadlock
};

/// Decodes the stream and runs its tokens with queues of `queue_depth` words.
Replay replay(const std::vector<std::uint64_t>& words, std::uint32_t queue_depth);

}  // namespace tessera::checker

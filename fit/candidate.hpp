// Hardware as a search draws and changes it.
#pragma once

#include <string>
#include <vector>

#include "tessera/hardware.hpp"
#include "tessera/rng.hpp"

namespace tessera::fit {

/// One line, as a configuration has it: {array: {...}, cbuf: {...}, ...}, also JSON. Two candidates
/// are the same where their texts are.
std::string text_of(const Hardware& hardware);

/// A change of one thing.
struct Move {
  std::string what;  ///< for people: "atomic_k 8 -> 16"
  Hardware hardware;
};

/// All hardware with the same control that is one change away and can be built: array sides, bytes
/// and banks of the cbuf, accumulators, parameter groups, bus, lanes, bursts, line memories, each
/// feature. Two sides of the array, or a side and the buffer, may change together.
std::vector<Move> moves_of(const Hardware& hardware);

/// Something with that control that can be built, from small to large.
Hardware drawn(SplitMix64& random, Control control);

}  // namespace tessera::fit

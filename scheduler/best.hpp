// Policy `best`: programs are tried on the cost model.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/program.hpp"

namespace tessera {

/// What a network's program depends on beside its policy.
struct Tuning {
  bool keep = false;                      ///< activations stay in the cbuf where they can
  std::uint64_t ahead_bytes = 0;          ///< of weights that go before loads which have to wait
  std::uint32_t feature_bands = 4;        ///< as LayerDecision has it, of all layers
  std::vector<std::int32_t> tile_shifts;  ///< by operator, as LayerDecision has it; empty: all 0
};

/// As compile, without choosing. Throws InputError.
Program compile_tuned(const Network& network, const Hardware& hardware, const Policy& policy,
                      const Tuning& tuning, Contents contents);

/// The one with the least of the policy's objective among those tried, that of `first-fit`
/// included. Throws InputError.
Tuning best_tuning(const Network& network, const Hardware& hardware, const Policy& policy);

}  // namespace tessera

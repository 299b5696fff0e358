// The published rules for a part of the cbuf.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tessera/schedule.hpp"

namespace tessera {

/// What a pass may use of the cbuf for its loads: whatever the hardware has, something else may
/// stay there.
struct CbufBudget {
  std::uint32_t atoms = 0;
  [[nodiscard]] std::uint64_t bytes(const Hardware& hardware) const {
    return std::uint64_t{atoms} * hardware.atomic_c;
  }
};
inline CbufBudget whole_cbuf(const Hardware& hardware) {
  return {hardware.cbuf_atoms()};
}

/// A decision, or why there is none.
struct Decided {
  std::optional<LayerDecision> decision;
  std::string problem;  ///< names the layer, the smallest need and the size given
};

/// Policy `first-fit`.
Decided decide_layer_within(const ConvShape& shape, const Hardware& hardware, CbufBudget budget,
                            const Policy& policy);

/// For a pass whose ifmap lies in the cbuf already: the first of direct, ping-pong and wait for its
/// weights; no decision when not even one kernel group fits.
Decided decide_kept(const ConvShape& shape, const Hardware& hardware, CbufBudget budget);

}  // namespace tessera

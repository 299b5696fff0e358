// What keeps a layer from being faster, in a word.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/engine.hpp"
#include "tessera/network.hpp"

namespace tessera {

/// array, weights, read, write or start-up: where most of the layer's cycles went, by the
/// hardware's counters; empty without cycles.
std::string bottleneck_of(const Counters& counters);

/// Each tensor of the operator once: inputs, constants, output. Less than that can move when
/// tensors stay on the chip.
std::uint64_t least_external_bytes(const Network& network, const Operator& op);

}  // namespace tessera

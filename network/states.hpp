// Values that outlive a run: how a state's two tensors share one place in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

/// Whether everything that reads the state, or looks into it, comes before what writes it anew, so
/// that both can be in one place.
bool is_settled(const Network& network, const State& state);

/// Adds a copy in front of each state that could not be written in its place otherwise. What is
/// never written anew, or only with itself, has its input for its output. For readers of networks,
/// once all operators are there.
void settle_states(Network& network);

/// Names a state. With another scale or zero point, the value is requantised on its way. Throws
/// InputError where the two are of different shapes or types.
void add_state(Network& network, const std::string& name, std::int32_t input, std::int32_t output,
               std::vector<std::uint8_t> initial);

/// An input and an output of the network become a state and are neither any more; an output stays
/// one where the network has no other. With another scale, the value is requantised on its way.
/// `initial`: the real value of every element before the first run.
/// Throws InputError where they are of different shapes or types.
void tie_state(Network& network, const std::string& name, std::int32_t input, std::int32_t output,
               double initial);

}  // namespace tessera

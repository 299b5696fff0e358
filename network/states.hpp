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
/// InputError where the two are of different shapes or types; `output_name` is what it calls the
/// output, `name` the input.
void add_state(Network& network, const std::string& name, std::int32_t input, std::int32_t output,
               std::vector<std::uint8_t> initial, const std::string& output_name);

/// The same of an input and an output of the network, of which the input is none any more.
/// `initial`: the real value of every element before the first run. Floats between bytes and bytes
/// become a state of bytes where it is 0.
void tie_state(Network& network, const std::string& name, std::int32_t input, std::int32_t output,
               double initial, const std::string& output_name);

}  // namespace tessera

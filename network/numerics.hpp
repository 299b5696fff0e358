// How each runtime rounds.
#pragma once

#include <string>
#include <vector>

#include "tessera/import.hpp"
#include "tessera/network.hpp"

namespace tessera {

/// As configurations call them, in their order: auto first.
const std::vector<std::string>& numerics_names();

/// Gives every operator the rounding that it has in that runtime; Auto: in TensorFlow Lite Micro.
void round_as(Numerics numerics, Network& network);

/// An operator's rounding where it has something to round: Twice for all others.
Rounding rounding_of(const Network& network, const Operator& op);

}  // namespace tessera

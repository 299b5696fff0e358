// Float models run for their shapes: values become int8, weights come from a seed.
#pragma once

#include <cstdint>

#include "tessera/network.hpp"

namespace tessera {

/// A float tensor becomes int8; what it holds, if anything, is drawn.
void seed_tensor(Tensor& tensor, std::uint64_t seed);

/// Draws the operator's weights and biases and quantises its output as its input is.
void seed_operator(Network& network, const Operator& op, std::uint64_t seed);

}  // namespace tessera

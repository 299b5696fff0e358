// Sums that no 32 bits hold once they are scaled.
#pragma once

#include "tessera/network.hpp"

namespace tessera {

/// A factor of 1 or more shifts sums to the left, within 32 bits; runtimes that multiply in float
/// saturate there. Output channels that saturate whatever the input are made constant. Throws
/// InputError naming the operator where the input decides whether a scaled sum fits: such a result
/// would have the wrong sign. Only of operators that round once (round_as()).
void bound_scaled_sums(Network& network);

}  // namespace tessera

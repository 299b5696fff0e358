// The order of the factors of products.
#pragma once

#include "tessera/network.hpp"

namespace tessera {

/// Gives each BATCH_MATMUL of int8 tensors rows times rows: what it multiplies is adjacent in both
/// factors, as the array reads it. A transposition of its own brings a factor into that order, or
/// the one that the factor comes from changes, or vanishes.
void order_products(Network& network);

}  // namespace tessera

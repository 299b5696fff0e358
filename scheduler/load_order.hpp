// The order in which loads are asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "scheduler/actions.hpp"

namespace tessera {

/// Weights and parameters move before loads that have to wait for convolutions or stores (operands,
/// features that are computed in the same run), as long as the order stays a valid execution: at
/// most `most_bytes` of them before each. So the bus works while those wait.
void load_ahead(std::vector<Action>& actions, std::uint64_t most_bytes);

}  // namespace tessera

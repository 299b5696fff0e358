// What an accelerator's registers say of it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tessera/hardware.hpp"

namespace tessera {

/// Offset and value of each register by which a host knows that hardware; as many as the cost
/// model has time for before a run: FEATURES is not among them.
std::vector<std::pair<std::uint32_t, std::uint64_t>> identity_of(const Hardware& hardware);

}  // namespace tessera

// What actions read and write inside the accelerator.
#pragma once

#include <vector>

#include "scheduler/actions.hpp"
#include "tessera/energy.hpp"
#include "tessera/hardware.hpp"

namespace tessera {

Accesses accesses_of(const std::vector<Action>& actions, const Hardware& hardware);

}  // namespace tessera

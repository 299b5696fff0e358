// The way from a decided network to its program.
#pragma once

#include "scheduler/program/decided_network.hpp"

namespace tessera {

/// Of a network that decide_network and set_sizes have decided with that tuning. Throws InputError.
Program assemble(const Prepared& prepared, const Tuning& tuning, DecidedNetwork decided,
                 Contents contents);

}  // namespace tessera

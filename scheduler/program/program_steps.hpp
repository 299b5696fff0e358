// Command streams, host calls, and what each layer's commands move.
#pragma once

#include <vector>

#include "scheduler/program/memory_map.hpp"

namespace tessera {

/// `segments` and `reset`, the work of Program::reset, have real addresses. Adds the steps in their
/// order to `program`, whose layers, constants and arena are there, the command streams to its
/// image, and to its layers what these do.
void add_steps(std::vector<Segment> segments, std::vector<Operation> reset,
               const Prepared& prepared, const MemoryMap& map, const Prefetch& ahead,
               Contents contents, Program& program);

}  // namespace tessera

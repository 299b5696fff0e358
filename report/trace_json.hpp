// The timeline for trace viewers.
#pragma once

#include <string>

#include "tessera/program.hpp"
#include "timing/machine/timeline.hpp"

namespace tessera {

/// Trace Event format, as Perfetto reads it: lanes for load, compute, store and the bus, a slice
/// per command. A cycle is shown as a microsecond.
std::string trace_json(const Program& program, const timing::Timeline& timeline);

}  // namespace tessera

// Where a layer's cycles go, and what would make them fewer.
#pragma once

#include <string>

#include "tessera/config.hpp"
#include "tessera/engine.hpp"
#include "tessera/network.hpp"
#include "tessera/program.hpp"

namespace tessera {

/// Of each layer on the array, or of that one: its cycles by the counters of `result`; of the
/// array's, those on lanes without work.
std::string explain_time(const Network& network, const Program& program, const RunResult& result,
                         const std::string& layer);

/// The network, or a layer of it, with twice of one thing at a time, by the cost model: cycles
/// before and after. What the hardware cannot have is left out.
std::string what_if(const Config& config, const Network& network, const std::string& layer);

}  // namespace tessera

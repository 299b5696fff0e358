// Results for people and for programs.
#pragma once

#include <string>

#include "app/simulate.hpp"
#include "console/terminal.hpp"
#include "tessera/config.hpp"

namespace tessera {

/// The aligned per-layer table and a summary, as wide as the terminal allows.
std::string report_table(const Config& config, const Simulation& simulation,
                         const Terminal& terminal);

/// One JSON object, schema "tessera.run/1".
std::string report_json(const Config& config, const Simulation& simulation);

/// Every inequality and number behind the layers' modes; `layer` empty: all. Throws InputError when
/// no layer has that name.
std::string explain(const Program& program, const std::string& layer);

}  // namespace tessera

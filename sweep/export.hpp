// A sweep's results for programs and people.
#pragma once

#include <string>

#include "sweep/analysis.hpp"

namespace tessera::sweep {

/// One line per point, RFC 4180.
std::string to_csv(const Results& results);

/// Points and answers, schema "tessera.sweep/1".
std::string to_json(const Results& results);

/// Tables: the curves, the smallest buffers, the front, where layers change their mode.
std::string to_terminal(const Results& results);

}  // namespace tessera::sweep

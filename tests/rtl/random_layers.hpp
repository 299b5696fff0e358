// Random convolutions, pools and chains of them on a preset's array, with a buffer that is scarce.
#pragma once

#include <string>

#include "tests/rtl/random_case.hpp"

namespace tessera::test {

enum class Kind : std::uint8_t { Convolution, Depthwise, AveragePool, MaximumPool };

/// One layer whose decision is forced to `mode` (or `auto`, `least-traffic`, `fewest-cycles`), in a
/// third of the cases with a reader behind it.
RandomCase draw_convolution(const std::string& preset, const std::string& mode, Kind kind);

/// Layers one after the other, with room for some of their rows.
RandomCase draw_chain(const std::string& preset);

}  // namespace tessera::test

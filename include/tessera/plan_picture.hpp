// A memory plan as a picture.
#pragma once

#include <string>
#include <vector>

#include "tessera/allocation.hpp"

namespace tessera {

/// SVG: time to the right, offsets upward, a rectangle per buffer; bytes that two buffers share
/// while both are alive are hatched. `steps` names the units of time; empty: numbers only.
std::string plan_svg(const AllocationProblem& problem, const Allocation& allocation,
                     const std::vector<std::string>& steps, const std::string& title);

}  // namespace tessera

// The longest path of a design that was placed and not routed, from the delays that the placer
// writes (SDF): what it thinks of ways that are not there yet.
#pragma once

#include <filesystem>
#include <vector>

#include "fpga/design.hpp"

namespace tessera::fpga {

/// From a clock to a clock: the delay through cells, between them, and before the next edge. Steps
/// are in modules as those of a routed design's critical path are. None where there is none, or
/// where cells wait for each other. Throws std::runtime_error for a file that cannot be read.
std::vector<PathStep> longest_path_in(const std::filesystem::path& sdf);

}  // namespace tessera::fpga

// A sweep's points one by one, from a file.
#pragma once

#include <string>

#include "sweep/space.hpp"

namespace tessera::sweep {

/// Reads a JSON list of maps, each a point: "path.to.key" to its value, `network` to a file or a
/// built-in name. Keys that a point has not stay as the configuration has them. What `space` varies
/// already must have one value, which all points get. Throws InputError naming the file and the
/// point.
void list_points(const std::string& path, Space& space);

}  // namespace tessera::sweep

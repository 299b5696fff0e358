// --set path.to.key=value
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace tessera {

/// Sets values in a parsed configuration, making the maps on the way: whole sections first, so that
/// `hardware=medium` takes back no `hardware.cbuf.size` that stands before it. A preset name in
/// place of a map (`hardware: medium`) becomes a map with that preset. `models` stands in the place
/// of the configuration's `network`. Throws InputError when a text is not of the form path=value or
/// the path leads through a plain value.
void apply_overrides(YAML::Node& root, const std::vector<std::string>& overrides);

}  // namespace tessera

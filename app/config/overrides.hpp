// --set path.to.key=value
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

namespace tessera {

/// Sets one value in a parsed configuration, making the maps on the way. A preset name in place of
/// a map (`hardware: medium`) becomes a map with that preset. Throws InputError when the text is
/// not of the form path=value or the path leads through a plain value.
void apply_override(YAML::Node& root, const std::string& override);

}  // namespace tessera

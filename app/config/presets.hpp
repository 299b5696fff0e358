// Presets and built-in networks by their names.
#pragma once

#include <string>

#include "input/yaml_fields.hpp"

namespace tessera {

/// The file of a preset of some kind (`hardware`, `memory`, `energy`). Throws InputError, which
/// begins with `where`.
std::string preset_path(const std::string& kind, const std::string& name, const std::string& where);

/// The whole file as YAML.
YAML::Node parse_file(const std::string& path);

}  // namespace tessera

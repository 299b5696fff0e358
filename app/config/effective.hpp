// A run configuration as it stands after the command line's changes.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <vector>

namespace tessera {

/// The file with `overrides` ("path.to.key=value") applied, and the network's file, if it names
/// one, with its whole path. Throws InputError.
YAML::Node effective_config(const std::string& path, const std::vector<std::string>& overrides);

/// As text, under a comment.
std::string config_text(const YAML::Node& config, const std::string& comment);

}  // namespace tessera

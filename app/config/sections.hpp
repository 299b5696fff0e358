// The sections of a run configuration, one reader each.
#pragma once

#include <string>
#include <vector>

#include "input/yaml_fields.hpp"
#include "tessera/config.hpp"

namespace tessera {

inline std::uint32_t u32(std::int64_t value) {
  return static_cast<std::uint32_t>(value);
}

/// All throw InputError with file, line and column.
Hardware read_hardware(const YAML::Node& node, const std::string& file);
Policy read_policy(const YAML::Node& node, const std::string& file);
/// Into `memory` and `jitter`.
void read_memory(const YAML::Node& node, const std::string& file, Config& config);
/// A preset's name, or a map.
HostProcessor read_host(const YAML::Node& node, const std::string& file);
EnergyTable read_energy(const YAML::Node& node, const std::string& file);
/// Other masters, each with addresses of its own.
std::vector<TrafficPattern> read_traffic(const YAML::Node& node, const std::string& file,
                                         const Hardware& hardware);
std::vector<ModelEntry> read_models(const YAML::Node& node, const std::string& file);
/// A list of names, or a file with one per line.
std::vector<std::string> read_labels(const YAML::Node& node, const std::string& file);

Preprocess read_preprocess(const YAML::Node& node, const std::string& file);

}  // namespace tessera

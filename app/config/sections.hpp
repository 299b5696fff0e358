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
/// What read_hardware derived for a preset whose array is made narrower.
void note_lanes(const YAML::Node& node, Config& config);
Policy read_policy(const YAML::Node& node, const std::string& file);
/// Into `memory` and `jitter`; behind the hardware, whose clock makes bytes per second cycles.
void read_memory(const YAML::Node& node, const std::string& file, Config& config);
/// A preset's name, or a map. `mhz`: the accelerator's clock; 0: as the host has it.
HostProcessor read_host(const YAML::Node& node, const std::string& file, double mhz);
EnergyTable read_energy(const YAML::Node& node, const std::string& file);
/// Other masters, each with addresses of its own.
std::vector<TrafficPattern> read_traffic(const YAML::Node& node, const std::string& file,
                                         const Hardware& hardware);
std::vector<ModelEntry> read_models(const YAML::Node& node, const std::string& file);
/// A list of names, or a file with one per line.
std::vector<std::string> read_labels(const YAML::Node& node, const std::string& file);

/// Inputs and outputs that are states. `map`: what errors call the list.
std::vector<StateTie> read_state_ties(const YAML::Node& node, const std::string& file,
                                      const std::string& map);

Preprocess read_preprocess(const YAML::Node& node, const std::string& file);

}  // namespace tessera

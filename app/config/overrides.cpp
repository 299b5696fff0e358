#include "app/config/overrides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "input/yaml_fields.hpp"
#include "tessera/error.hpp"

namespace tessera {

namespace {

// What a plain value of a section stands for: a preset, or a policy's name.
const char* key_of_plain(const std::string& section) {
  for (const char* with_presets : {"hardware", "memory", "energy", "host"}) {
    if (section == with_presets) {
      return "preset";
    }
  }
  return section == "policy" ? "name" : nullptr;
}

}  // namespace

namespace {

void apply_override(YAML::Node& root, const std::string& override) {
  const std::size_t equals = override.find('=');
  std::vector<std::string> keys;
  std::istringstream path(override.substr(0, equals));
  for (std::string key; std::getline(path, key, '.');) {
    keys.push_back(key);
  }
  bool good = equals != std::string::npos && !keys.empty();
  for (const std::string& key : keys) {
    good = good && !key.empty();
  }
  if (!good) {
    throw InputError(fmt::format("--set {}: write path.to.key=value", override));
  }
  if (!root.IsMap()) {
    throw InputError(fmt::format("--set {}: the configuration is not a map", override));
  }
  YAML::Node at;
  at.reset(root);
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    YAML::Node next = at[keys[i]];
    if (next.IsDefined() && next.IsScalar()) {
      const char* const key = i == 0 ? key_of_plain(keys[i]) : nullptr;
      if (key == nullptr) {
        throw InputError(
            fmt::format("--set {}: `{}` is a plain value, it has no keys", override, keys[i]));
      }
      YAML::Node map(YAML::NodeType::Map);
      if (keys[i] != "host" || next.Scalar() != "none") {
        map[key] = next;
      }
      at[keys[i]] = map;
      next.reset(at[keys[i]]);
    }
    if (!next.IsDefined() || next.IsNull()) {
      YAML::Node map(YAML::NodeType::Map);
      set_origin(map, "--set " + override);
      at[keys[i]] = map;
      next.reset(at[keys[i]]);
    }
    at.reset(next);
  }
  YAML::Node value = parse_yaml(override.substr(equals + 1), "--set " + override);
  set_origin(value, "--set " + override);
  at[keys.back()] = value;
}

std::string key_of(const std::string& override) {
  return override.substr(0, override.find('='));
}

}  // namespace

void apply_overrides(YAML::Node& root, const std::vector<std::string>& overrides) {
  std::vector<std::string> ordered = overrides;
  const auto depth = [](const std::string& override) {
    const std::string key = key_of(override);
    return std::count(key.begin(), key.end(), '.');
  };
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](const std::string& a, const std::string& b) { return depth(a) < depth(b); });
  const auto gives = [&](const char* key) {
    return std::any_of(ordered.begin(), ordered.end(),
                       [&](const std::string& override) { return key_of(override) == key; });
  };
  if (root.IsMap() && gives("models") && !gives("network")) {
    root.remove("network");
  }
  for (const std::string& override : ordered) {
    apply_override(root, override);
  }
}

}  // namespace tessera

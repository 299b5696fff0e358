#include "app/config/overrides.hpp"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "input/yaml_fields.hpp"
#include "tessera/error.hpp"

namespace tessera {

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
      if (keys[i] != "hardware" && keys[i] != "policy") {
        throw InputError(
            fmt::format("--set {}: `{}` is a plain value, it has no keys", override, keys[i]));
      }
      YAML::Node map(YAML::NodeType::Map);
      map[keys[i] == "hardware" ? "preset" : "name"] = next.Scalar();
      at[keys[i]] = map;
      next.reset(at[keys[i]]);
    }
    if (!next.IsDefined() || next.IsNull()) {
      at[keys[i]] = YAML::Node(YAML::NodeType::Map);
      next.reset(at[keys[i]]);
    }
    at.reset(next);
  }
  YAML::Node value = parse_yaml(override.substr(equals + 1), "--set " + override);
  set_origin(value, "--set " + override);
  at[keys.back()] = value;
}

}  // namespace tessera

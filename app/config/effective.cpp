#include "app/config/effective.hpp"

#include <filesystem>

#include "app/config/overrides.hpp"
#include "app/config/presets.hpp"

namespace tessera {
namespace {

// Where values came from is kept in tags, which the text is not to have.
void clear_tags(YAML::Node node) {
  if (node.IsDefined() && !node.IsNull()) {
    node.SetTag("");
  }
  if (node.IsSequence() || node.IsMap()) {
    for (const auto& entry : node) {
      clear_tags(node.IsMap() ? entry.second : static_cast<YAML::Node>(entry));
    }
  }
}

}  // namespace

YAML::Node effective_config(const std::string& path, const std::vector<std::string>& overrides) {
  namespace fs = std::filesystem;
  YAML::Node config = parse_file(path);
  apply_overrides(config, overrides);
  if (config["network"] && config["network"].IsScalar()) {
    const std::string named = config["network"].Scalar();
    for (const fs::path& file : {fs::path(named), fs::path(path).parent_path() / named}) {
      std::error_code error;
      if (fs::is_regular_file(file, error)) {
        config["network"] = fs::absolute(file).lexically_normal().string();
        break;
      }
    }
  }
  clear_tags(config);
  return config;
}

std::string config_text(const YAML::Node& config, const std::string& comment) {
  YAML::Emitter out;
  out << config;
  return "# " + comment + "\n" + out.c_str() + "\n";
}

}  // namespace tessera

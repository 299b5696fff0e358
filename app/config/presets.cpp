#include "app/config/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "input/read_file.hpp"
#include "input/yaml_fields.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& dir) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(dir, error)) {
    if (entry.path().extension() == ".yaml") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::string preset_path(const std::string& kind, const std::string& name,
                        const std::string& where) {
  const fs::path dir = data_dir() / "configs" / kind;
  const std::vector<std::string> names = names_in(dir);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw InputError(fmt::format("{}unknown {} preset `{}`{}; allowed are {}", where, kind, name,
                                 suggestion(name, names), fmt::join(names, ", ")));
  }
  return (dir / (name + ".yaml")).string();
}

YAML::Node parse_file(const std::string& path) {
  const std::vector<std::uint8_t> data = read_file(path);
  return parse_yaml({data.begin(), data.end()}, path);
}

std::vector<std::string> preset_files() {
  std::vector<std::string> files;
  for (const char* kind : {"hardware", "memory", "energy", "host"}) {
    for (const std::string& name : names_in(data_dir() / "configs" / kind)) {
      files.push_back((data_dir() / "configs" / kind / (name + ".yaml")).string());
    }
  }
  return files;
}

std::vector<std::string> network_names() {
  return names_in(data_dir() / "configs" / "networks");
}

std::string find_network(const std::string& name, const std::string& base) {
  const fs::path dir = data_dir() / "configs" / "networks";
  for (const fs::path& candidate :
       {fs::path(name), fs::path(base) / name, dir / (name + ".yaml")}) {
    std::error_code error;
    if (fs::is_regular_file(candidate, error)) {
      return candidate.string();
    }
  }
  const std::vector<std::string> names = names_in(dir);
  throw InputError(
      fmt::format("network `{}`: no such file, and none of the built-in networks{} ({})", name,
                  suggestion(name, names), fmt::join(names, ", ")));
}

}  // namespace tessera

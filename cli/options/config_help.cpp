#include "cli/options/config_help.hpp"

#include <fmt/format.h>

#include <vector>

#include "tessera/config_keys.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

bool is_within(const std::string& path, const std::string& about) {
  return about.empty() || path == about ||
         (path.rfind(about, 0) == 0 && (path[about.size()] == '.' || path[about.size()] == '['));
}

std::string described(const ConfigKey& key) {
  std::string line = fmt::format("{}  ({}", key.path, key.type);
  line += key.allowed.empty() ? "" : ": " + key.allowed;
  line += key.unit.empty() ? "" : "; " + key.unit;
  line += key.is_needed ? "; needed" : "";
  line += key.fallback.empty() ? "" : fmt::format("; without it {}", key.fallback);
  return fmt::format("{})\n    {}\n", line, key.text);
}

}  // namespace

std::string config_help(const std::string& about) {
  std::string text;
  std::vector<std::string> paths;
  for (const ConfigKey& key : config_keys()) {
    paths.push_back(key.path);
    if (is_within(key.path, about)) {
      text += described(key);
    }
  }
  if (text.empty()) {
    throw InputError(fmt::format("help config: no key `{}`{}", about, suggestion(about, paths)));
  }
  return text;
}

}  // namespace tessera

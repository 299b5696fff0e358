#include "fpga/tools.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>

#include "sim/rtl/shell.hpp"
#include "tessera/error.hpp"
#include "tessera/resources.hpp"

namespace tessera::fpga {
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

std::string version_of(const std::string& tool) {
  static std::map<std::string, std::string> known;
  const auto found = known.find(tool);
  if (found != known.end()) {
    return found->second;
  }
  std::string text;
  const std::unique_ptr<FILE, int (*)(FILE*)> out(
      ::popen((tool + " --version 2>&1 </dev/null").c_str(), "r"), ::pclose);
  std::array<char, 256> line{};
  while (out && std::fgets(line.data(), line.size(), out.get()) != nullptr) {
    text = line.data();  // the first start prints a remark before it
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  return known[tool] = text;
}

}  // namespace tessera::fpga

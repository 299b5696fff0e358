#include "tessera/resources.hpp"

#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <sstream>

#include "tessera/error.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;

fs::path& given_dir() {
  static fs::path dir;
  return dir;
}

fs::path& given_program() {
  static fs::path file;
  return file;
}

// `share/tessera` beside the file or in a folder above it.
std::optional<fs::path> share_above(const fs::path& file) {
  std::error_code error;
  for (fs::path dir = file.parent_path(); !dir.empty(); dir = dir.parent_path()) {
    fs::path share = dir / "share" / "tessera";
    if (fs::is_directory(share / "configs", error)) {
      return share;
    }
    if (dir == dir.root_path()) {
      break;
    }
  }
  return std::nullopt;
}

std::optional<fs::path> share_of_running_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? std::nullopt : share_above(program);
}

std::optional<fs::path> share_of_installed_cosim() {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = fs::path(folder) / "cosim";
    std::error_code error;
    if (::access(program.c_str(), X_OK) == 0) {
      return share_above(fs::canonical(program, error));
    }
  }
  return std::nullopt;
}

}  // namespace

void set_data_dir(const fs::path& dir) {
  given_dir() = dir;
}

fs::path data_dir() {
  if (!given_dir().empty()) {
    return given_dir();
  }
  if (const char* dir = std::getenv("TESSERA_DATA_DIR"); dir != nullptr) {
    return dir;
  }
  static const std::optional<fs::path> beside_program = share_of_running_program();
  if (beside_program) {
    return *beside_program;
  }
  if (const auto installed = share_of_installed_cosim()) {
    return *installed;
  }
  throw MissingTool(
      "the folder share/tessera (presets, RTL) is neither beside this program nor beside a cosim "
      "on "
      "the PATH; TESSERA_DATA_DIR can name it");
}

fs::path program_file() {
  return given_program().empty() ? fs::path("/proc/self/exe") : given_program();
}

void set_program_file(const fs::path& file) {
  given_program() = file;
}

fs::path cache_dir() {
  if (const char* dir = std::getenv("TESSERA_CACHE_DIR"); dir != nullptr) {
    return dir;
  }
  if (fs::path own = data_dir() / "cache"; fs::exists(own)) {
    return own;
  }
  if (const char* dir = std::getenv("XDG_CACHE_HOME"); dir != nullptr && *dir == '/') {
    return fs::path(dir) / "tessera";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr ? fs::path(home) / ".cache" / "tessera"
                         : fs::temp_directory_path() / "tessera";
}

}  // namespace tessera

#include "sim/tools/build_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "sim/tools/shell.hpp"
#include "tessera/error.hpp"

namespace tessera {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error(fmt::format("{}: cannot be read", path.string()));
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> listed_sources(const fs::path& list) {
  std::vector<fs::path> files;
  std::ifstream names(list);
  for (std::string line; std::getline(names, line);) {
    if (!line.empty()) {
      files.push_back(list.parent_path() / line);
    }
  }
  if (files.empty()) {
    throw std::runtime_error(list.string() + ": no RTL sources");
  }
  return files;
}

void add_listed(std::vector<fs::path>& sources, const fs::path& list) {
  const std::vector<fs::path> more = listed_sources(list);
  sources.insert(sources.end(), more.begin(), more.end());
}

void CacheKey::add(const std::string& text) {
  for (const char c : text) {
    value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  }
}

std::string CacheKey::text() const {
  return fmt::format("{:016x}", value_);
}

FileLock::FileLock(const fs::path& path)
    : file_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
  if (file_ < 0 || ::flock(file_, LOCK_EX) != 0) {
    throw MissingTool(
        fmt::format("{}: cannot be written; TESSERA_CACHE_DIR names another folder for what is "
                    "built once",
                    path.string()));
  }
}

FileLock::~FileLock() {
  ::close(file_);
}

bool run_logged(const std::string& command, const fs::path& log) {
  return std::system(
             fmt::format("( {} ) >>{} 2>&1", command, shell_quoted(log.string())).c_str()) == 0;
}

std::string inside(const fs::path& folder) {
  return fmt::format("cd {} && ", shell_quoted(folder.string()));
}

void make_cache_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error)) {
    throw MissingTool(fmt::format(
        "{}: cannot be made; TESSERA_CACHE_DIR names another folder for what is built once",
        folder.string()));
  }
}

double made_once(const fs::path& folder, const std::function<void(const fs::path&)>& make) {
  make_cache_folder(folder.parent_path());
  const FileLock lock(folder.string() + ".lock");
  if (!fs::exists(folder)) {
    const fs::path aside = folder.string() + fmt::format(".{}", ::getpid());
    fs::remove_all(aside);
    fs::create_directories(aside);
    const auto begin = std::chrono::steady_clock::now();
    try {
      make(aside);
    } catch (...) {
      fs::remove_all(aside);
      throw;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::ofstream(aside / "seconds") << fmt::format("{:.1f}", took.count());
    fs::rename(aside, folder);
  }
  return std::stod(contents(folder / "seconds"));
}

std::string tail(const fs::path& log) {
  constexpr std::size_t kMost = 4000;
  const std::string text = contents(log);
  return text.substr(text.size() > kMost ? text.size() - kMost : 0);
}

}  // namespace tessera

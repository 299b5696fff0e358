// Build cache: what other programs made, kept by key, with locks and logs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tessera {

/// The whole file. Throws std::runtime_error when it cannot be read.
std::string contents(const std::filesystem::path& path);

/// The files that a list in the project names, relative to the list's folder. Throws
/// std::runtime_error when it names none.
std::vector<std::filesystem::path> listed_sources(const std::filesystem::path& list);

/// Adds what a list names behind `sources`.
void add_listed(std::vector<std::filesystem::path>& sources, const std::filesystem::path& list);

/// FNV-1a, 64 bits: a key of everything that a result depends on.
class CacheKey {
 public:
  void add(const std::string& text);
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t value_ = 0xCBF29CE484222325ULL;
};

/// Held until it goes; the kernel lets go of it if the process dies.
class FileLock {
 public:
  /// Throws std::runtime_error.
  explicit FileLock(const std::filesystem::path& path);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  FileLock(FileLock&&) = delete;
  FileLock& operator=(FileLock&&) = delete;

 private:
  int file_;
};

/// Runs it in a shell, with what it prints at the end of `log`. False when it fails.
bool run_logged(const std::string& command, const std::filesystem::path& log);

/// "cd FOLDER && ". Tools from PyPI run in a sandbox that follows no links and has a /tmp of its
/// own: they get names relative to where they run.
std::string inside(const std::filesystem::path& folder);

/// Throws MissingTool, which says what else it may be.
void make_cache_folder(const std::filesystem::path& folder);

/// Makes the folder unless it is there: `make` fills one aside, which takes its place when it is
/// whole; others wait. Returns how many seconds that took when it was done. What `make` throws goes
/// on, and nothing stays.
double made_once(const std::filesystem::path& folder,
                 const std::function<void(const std::filesystem::path& work)>& make);

/// The end of a log, for errors.
std::string tail(const std::filesystem::path& log);

}  // namespace tessera

// Files that a simulation opens by their name alone.
#pragma once

#include <filesystem>
#include <system_error>

namespace tessera {

/// The process works in `folder` as long as this lives: that is where $readmemh looks.
class WorkingFolder {
 public:
  explicit WorkingFolder(const std::filesystem::path& folder)
      : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  ~WorkingFolder() {
    std::error_code error;
    std::filesystem::current_path(before_, error);
  }
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;
  WorkingFolder(WorkingFolder&&) = delete;
  WorkingFolder& operator=(WorkingFolder&&) = delete;

 private:
  std::filesystem::path before_;
};

}  // namespace tessera

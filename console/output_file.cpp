#include "console/output_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tessera/error.hpp"

namespace tessera {

void check_writable(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw InputError(fmt::format("{}: is a folder, a file is to be written", path));
  }
  const fs::path parent = fs::path(path).parent_path();
  const std::string target =
      fs::exists(path, error) ? path : (parent.empty() ? "." : parent.string());
  if (::access(target.c_str(), W_OK) != 0) {
    throw InputError(fmt::format("{}: cannot be written ({})", path,
                                 fs::exists(target, error) ? "no permission" : "no such folder"));
  }
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  if (!out) {
    throw InputError(path + ": cannot be written");
  }
}

}  // namespace tessera

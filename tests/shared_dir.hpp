// Where models and tables outside the project are, for tests and benchmarks.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tessera::test {

/// The folder, or "" when this machine has none: `shared` beside the project, or where
/// TESSERA_SHARED points.
inline std::string shared_dir() {
  const char* from_environment = std::getenv("TESSERA_SHARED");
  const std::filesystem::path dir =
      from_environment != nullptr ? from_environment : TESSERA_SOURCE_DIR "/../shared";
  return std::filesystem::is_directory(dir / "models") ? dir.string() : "";
}

}  // namespace tessera::test

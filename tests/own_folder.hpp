// A folder for the files of the test at hand.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace tessera::test {

/// Made, and empty unless the test has made files there. A test with a parameter has a `/` in its
/// name, which would leave the folder above behind.
inline std::filesystem::path own_folder(const std::string& program) {
  std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::replace(name.begin(), name.end(), '/', '_');
  std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                 fmt::format("tessera_{}_{}_{}", program, ::getpid(), name);
  std::filesystem::create_directories(folder);
  return folder;
}

}  // namespace tessera::test

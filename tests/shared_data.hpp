// Models, tables and reference outputs outside the project, where the machine has them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/shared_dir.hpp"

namespace tessera::test {

/// "<dir>/<model>/<tag>" for every input of a model, sorted.
inline std::vector<std::string> model_inputs(const std::string& model) {
  std::vector<std::string> tags;
  const std::string ending = ".input.bin";
  for (const auto& entry : std::filesystem::directory_iterator(shared_dir() + "/models/" + model)) {
    const std::string path = entry.path().string();
    if (path.size() > ending.size() &&
        path.compare(path.size() - ending.size(), ending.size(), ending) == 0) {
      tags.push_back(path.substr(0, path.size() - ending.size()));
    }
  }
  std::sort(tags.begin(), tags.end());
  return tags;
}

}  // namespace tessera::test

/// Says plainly that a test was skipped for want of the data.
#define TESSERA_NEEDS_SHARED()                                               \
  if (::tessera::test::shared_dir().empty()) {                               \
    GTEST_SKIP() << "skipped: the reference models are not on this machine"; \
  }                                                                          \
  static_assert(true)

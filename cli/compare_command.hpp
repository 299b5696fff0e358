// `cosim compare`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/options/common_options.hpp"
#include "compare/comparison.hpp"

namespace tessera {

class CompareCommand {
 public:
  void add_to(CLI::App& app);

  /// False when something differs. Throws InputError, MissingTool.
  bool run() const;

 private:
  CommonOptions common_;
  CompareOptions options_;
  std::string report_;
  bool all_ = false;
};

}  // namespace tessera

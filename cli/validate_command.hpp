// `cosim validate`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/validate.hpp"
#include "cli/options/common_options.hpp"

namespace tessera {

class ValidateCommand {
 public:
  void add_to(CLI::App& app);

  /// False when an engine is further from the RTL than allowed. Throws InputError, MissingTool.
  [[nodiscard]] bool run() const;

 private:
  CommonOptions common_;
  Tolerances tolerances_;
  bool markdown_ = false;
};

}  // namespace tessera

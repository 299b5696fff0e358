// `cosim explain`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/options/common_options.hpp"

namespace tessera {

class ExplainCommand {
 public:
  void add_to(CLI::App& app);

  /// Throws InputError.
  void run() const;

 private:
  CommonOptions common_;
  std::string layer_;
  bool listing_ = false;
  bool what_if_ = false;
};

}  // namespace tessera

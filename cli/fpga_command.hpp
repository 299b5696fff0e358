// `cosim fpga`.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "cli/common_options.hpp"

namespace tessera {

class FpgaCommand {
 public:
  void add_to(CLI::App& app);

  /// Throws InputError, MissingTool.
  void run() const;

 private:
  CommonOptions common_;
  std::string part_, out_, report_;
  std::uint32_t seeds_ = 1;
  bool no_place_ = false;
  double mhz_ = 80;
};

}  // namespace tessera

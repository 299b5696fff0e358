// `cosim` itself: schedule, run, verify, report.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "app/simulate.hpp"
#include "cli/options/common_options.hpp"

namespace tessera {

class SimulateCommand {
 public:
  void add_to(CLI::App& app);
  [[nodiscard]] bool is_empty() const { return common_.is_empty(); }
  [[nodiscard]] const std::string& network() const { return common_.network; }

  /// False when a layer differs from the reference kernels. Throws InputError, MissingTool.
  [[nodiscard]] bool run() const;

 private:
  void check_outputs() const;
  void write_timeline(const Config& config, const Simulation& simulation) const;

  CommonOptions common_;
  SimulateOptions simulate_;
  std::string report_, trace_;
};

}  // namespace tessera

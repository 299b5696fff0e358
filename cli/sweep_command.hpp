// `cosim sweep`, with `merge` and `submit`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "console/progress.hpp"
#include "sweep/space.hpp"

namespace tessera {

class SweepCommand {
 public:
  void add_to(CLI::App& app);

  /// False when a point failed or its results are wrong, or the sweep was interrupted. Throws
  /// InputError, MissingTool.
  [[nodiscard]] bool run();

 private:
  void add_space(CLI::App& app);
  [[nodiscard]] std::vector<std::string> networks() const;
  [[nodiscard]] sweep::Space space() const;
  [[nodiscard]] bool run_here();
  void place_front(Progress& progress) const;
  [[nodiscard]] bool report(const std::string& folder) const;
  [[nodiscard]] bool submit() const;
  [[nodiscard]] std::size_t jobs() const;

  CLI::App* merge_ = nullptr;
  CLI::App* submit_ = nullptr;
  sweep::SpaceRequest request_;
  std::string engine_, seed_, out_, shard_ = "1/1", json_, report_;
  std::vector<std::string> positional_, files_, slurm_options_;
  std::size_t jobs_ = 0;
  std::size_t tasks_ = 8;
  std::size_t cpus_ = 1;
  bool place_ = false;
  bool fresh_ = false, yes_ = false, retry_ = false, quiet_ = false, slurm_ = false,
       dry_run_ = false;
};

}  // namespace tessera

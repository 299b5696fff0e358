// `cosim fit`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "board/spec.hpp"
#include "fit/evaluate.hpp"
#include "fit/search.hpp"

namespace tessera {

class FitCommand {
 public:
  void add_to(CLI::App& app);

  /// False when it was interrupted. Throws InputError, MissingTool.
  [[nodiscard]] bool run();

 private:
  [[nodiscard]] fit::Question question() const;
  [[nodiscard]] fit::Objective objective() const;
  [[nodiscard]] std::string asked() const;
  void choose_config();

  std::string config_, part_, board_, out_, objective_ = "latency", json_, report_;
  std::vector<std::string> positional_, given_, names_, sets_;
  std::vector<std::string> networks_;  ///< files
  std::optional<board::Board> on_;
  double fps_ = 0, bandwidth_ = 0;
  int fill_ = 100;
  std::size_t points_ = 6000, jobs_ = 0, placements_ = 3;
  std::uint32_t seeds_ = 1;
  bool no_place_ = false, no_route_ = false, fresh_ = false, quiet_ = false;
};

}  // namespace tessera

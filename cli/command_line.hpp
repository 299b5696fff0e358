// The command line's definition: commands and their options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/compare_command.hpp"
#include "cli/diff_command.hpp"
#include "cli/explain_command.hpp"
#include "cli/explore_command.hpp"
#include "cli/hardware/board_command.hpp"
#include "cli/hardware/fit_command.hpp"
#include "cli/hardware/fpga_command.hpp"
#include "cli/import_command.hpp"
#include "cli/plan_command.hpp"
#include "cli/rom_command.hpp"
#include "cli/simulate_command.hpp"
#include "cli/sweep_command.hpp"
#include "cli/validate_command.hpp"

namespace tessera {

/// Exit codes, a contract with scripts.
enum ExitCode : int { kDone = 0, kWrong = 1, kBadInput = 2, kMissingTool = 3 };

class CommandLine {
 public:
  CommandLine();

  /// Of the whole process. Throws InputError, MissingTool.
  int run(int argc, char** argv);
  /// Commands with their options, for pages that describe them.
  [[nodiscard]] const CLI::App& definition() const { return app_; }

 private:
  int dispatch();
  /// Says what is wrong with the command line, and what was likely meant.
  int refuse(const CLI::ParseError& error);
  /// What was meant by a network that is none; "": it may be one.
  [[nodiscard]] std::string misspelt_command() const;
  /// Of a command, of a configuration's keys ("config"), or of all.
  [[nodiscard]] int show_help(const std::string& about, const std::string& key) const;

  CLI::App app_;
  SimulateCommand simulate_;
  ExplainCommand explain_;
  PlanCommand plan_;
  RomCommand rom_;
  SweepCommand sweep_;
  ValidateCommand validate_;
  FpgaCommand fpga_;
  BoardCommand board_;
  FitCommand fit_;
  ExploreCommand explore_;
  CompareCommand compare_;
  DiffCommand diff_;
  ImportCommand import_;
};

}  // namespace tessera

// Definitions of the command line and of the configuration as pages: a manual page, completions for
// shells, and two pages of docs/reference.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tessera::pages {

/// A command with its full name ("cosim sweep submit"), outer ones first.
struct Command {
  std::string name;
  const CLI::App* app = nullptr;
};
std::vector<Command> commands_of(const CLI::App& app);

/// An option as users type it.
struct OptionText {
  std::vector<std::string> names;  ///< "--set"; empty for positional arguments
  std::string value;               ///< what stands behind it, such as "TEXT"; empty for flags
  std::string description;
  std::string group;
};
std::vector<OptionText> options_of(const CLI::App& app);

/// Exit codes and environment variables: a name and what it means.
using Meanings = std::vector<std::pair<std::string, std::string>>;
const Meanings& exit_codes();
const Meanings& environment();

/// roff, section 1.
std::string man_page(const CLI::App& app);
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
/// docs/reference/command-line.md.
std::string commands_page(const CLI::App& app);
/// docs/reference/configuration.md.
std::string keys_page();

}  // namespace tessera::pages

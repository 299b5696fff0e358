// A command line's definition as a manual page and as completions for shells.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
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
};
std::vector<OptionText> options_of(const CLI::App& app);

/// roff, section 1.
std::string man_page(const CLI::App& app);
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);

}  // namespace tessera::pages

// Options of the commands that work on one configuration.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tessera/config.hpp"

namespace tessera {

/// The groups in which `--help` shows options.
inline constexpr const char* kWhatRuns = "What runs";
inline constexpr const char* kResults = "Results";

/// `network,--network`: also without the option's name.
CLI::Option* add_network(CLI::App& app, std::string& network);
CLI::Option* add_config(CLI::App& app, std::string& config);
CLI::Option* add_sets(CLI::App& app, std::vector<std::string>& sets);

/// As given.
struct CommonOptions {
  std::string config, network, engine, seed, json;
  std::vector<std::string> sets;
  bool quiet = false;

  void add_to(CLI::App& app);
  void add_json(CLI::App& app);
  /// Throws InputError.
  [[nodiscard]] Config load() const;
  /// Neither a configuration nor a network.
  [[nodiscard]] bool is_empty() const { return config.empty() && network.empty() && sets.empty(); }
  /// --json names a file that cannot be written: InputError, before the work.
  void check_json() const;
  void write_json(const std::string& text) const;
};

}  // namespace tessera

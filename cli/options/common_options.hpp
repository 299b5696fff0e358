// Options of the commands that work on one configuration.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tessera/config.hpp"

namespace tessera {

/// As given.
struct CommonOptions {
  std::string config, network, engine, seed, json;
  std::vector<std::string> sets;
  bool quiet = false;

  void add_to(CLI::App& app);
  void add_json(CLI::App& app);
  /// Throws InputError.
  [[nodiscard]] Config load() const;
  /// --json names a file that cannot be written: InputError, before the work.
  void check_json() const;
  void write_json(const std::string& text) const;
};

}  // namespace tessera

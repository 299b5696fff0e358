#include "cli/options/common_options.hpp"

#include <fmt/format.h>

#include "console/output_file.hpp"

namespace tessera {

void CommonOptions::add_to(CLI::App& app) {
  app.add_option("--config", config, "run configuration (YAML)")->required();
  app.add_option("--network", network, "network file or built-in name, overrides config");
  app.add_option("--engine", engine, "engine: rtl, tlm, model or netlist");
  app.add_option("--set", sets, "path.to.key=value, overrides the config; repeatable")
      ->allow_extra_args(false);
  app.add_option("--seed", seed, "seed of weights and inputs that no file gives");
  app.add_flag("--quiet", quiet, "no progress and no table");
}

void CommonOptions::add_json(CLI::App& app) {
  app.add_option("--json", json, "write the result as JSON; - for standard output");
}

Config CommonOptions::load() const {
  std::vector<std::string> all = sets;
  if (!engine.empty()) {
    all.push_back("engine=" + engine);
  }
  if (!seed.empty()) {
    all.push_back("seed=" + seed);
  }
  if (!network.empty()) {
    all.push_back("network=\"" + find_network(network, ".") + "\"");
  }
  return load_config(config, all);
}

void CommonOptions::check_json() const {
  if (!json.empty() && json != "-") {
    check_writable(json);
  }
}

void CommonOptions::write_json(const std::string& text) const {
  if (json == "-") {
    fmt::print("{}", text);
  } else if (!json.empty()) {
    write_text(json, text);
  }
}

}  // namespace tessera

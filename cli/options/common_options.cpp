#include "cli/options/common_options.hpp"

#include <fmt/format.h>

#include "console/output_file.hpp"

namespace tessera {

CLI::Option* add_network(CLI::App& app, std::string& network) {
  return app
      .add_option("network,--network", network,
                  "network: .tflite, .onnx, layer list (.yaml), table (.csv) or a built-in name; "
                  "default: the configuration's")
      ->group(kWhatRuns);
}

CLI::Option* add_config(CLI::App& app, std::string& config) {
  return app
      .add_option("--config", config,
                  "run configuration (YAML); default: configs/npu.yaml, as it is installed")
      ->group(kWhatRuns);
}

CLI::Option* add_sets(CLI::App& app, std::vector<std::string>& sets) {
  return app.add_option("--set", sets, "path.to.key=value, overrides the config; repeatable")
      ->allow_extra_args(false)
      ->group(kWhatRuns);
}

void CommonOptions::add_to(CLI::App& app) {
  add_network(app, network);
  add_config(app, config);
  app.add_option("--engine", engine, "engine: rtl, tlm, model or netlist; default: the config's")
      ->group(kWhatRuns);
  add_sets(app, sets);
  app.add_option("--seed", seed, "seed of weights and inputs that no file gives; default: 1")
      ->group(kWhatRuns);
  app.add_flag("--quiet", quiet, "no progress and no table")->group(kResults);
}

void CommonOptions::add_json(CLI::App& app) {
  app.add_option("--json", json, "write the result as JSON; - for standard output")
      ->group(kResults);
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
    std::string quoted;
    for (const char c : find_network(network, ".")) {
      quoted += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    }
    all.push_back("network=\"" + quoted + "\"");
  }
  return load_config(config.empty() ? default_config() : config, all);
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

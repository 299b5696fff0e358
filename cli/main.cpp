// cosim: the command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "app/simulate.hpp"
#include "app/validate.hpp"
#include "cli/plan_command.hpp"
#include "cli/rom_command.hpp"
#include "cli/sweep_command.hpp"
#include "console/output_file.hpp"
#include "console/progress.hpp"
#include "report/report.hpp"
#include "report/report_html.hpp"
#include "report/trace_json.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "timing/machine/timeline.hpp"

namespace {

constexpr int kDone = 0;
constexpr int kWrong = 1;
constexpr int kBadInput = 2;
constexpr int kMissingTool = 3;

/// Options as given.
struct Options {
  std::string config;
  std::string network;
  std::string engine;
  std::string json;
  std::string report;
  std::string trace;
  std::string layer;
  std::string seed;
  std::vector<std::string> sets;
  bool quiet = false;
  bool listing = false;
  tessera::SimulateOptions simulate;
};

void add_common(CLI::App& app, Options& options) {
  app.add_option("--config", options.config, "run configuration (YAML)")->required();
  app.add_option("--network", options.network, "network file or built-in name, overrides config");
  app.add_option("--engine", options.engine, "engine: rtl, tlm or model");
  app.add_option("--set", options.sets, "path.to.key=value, overrides the config; repeatable")
      ->allow_extra_args(false);
  app.add_option("--seed", options.seed, "seed of weights and inputs that no file gives");
  app.add_flag("--quiet", options.quiet, "no progress and no table");
}

tessera::Config config_of(const Options& options) {
  std::vector<std::string> sets = options.sets;
  if (!options.engine.empty()) {
    sets.push_back("engine=" + options.engine);
  }
  if (!options.seed.empty()) {
    sets.push_back("seed=" + options.seed);
  }
  if (!options.network.empty()) {
    sets.push_back("network=\"" + tessera::find_network(options.network, ".") + "\"");
  }
  return tessera::load_config(options.config, sets);
}

void write_json(const std::string& path, const std::string& text) {
  if (path == "-") {
    fmt::print("{}", text);
  } else if (!path.empty()) {
    tessera::write_text(path, text);
  }
}

int run_simulate(const Options& options) {
  const tessera::Config config = config_of(options);
  if (!options.json.empty() && options.json != "-") {
    tessera::check_writable(options.json);
  }
  for (const std::string& path : {options.trace, options.report}) {
    if (!path.empty()) {
      tessera::check_writable(path);
    }
  }
  if (!options.report.empty()) {
    tessera::check_web_assets();
  }
  tessera::Progress progress(options.quiet);
  const tessera::Simulation simulation = simulate(config, options.simulate, progress);
  // The table gives way to JSON on the same stream.
  if (!options.quiet && options.json != "-") {
    fmt::print("{}", report_table(config, simulation, tessera::standard_output()));
  }
  write_json(options.json, report_json(config, simulation));
  if (!options.trace.empty() || !options.report.empty()) {
    const auto timeline = tessera::timing::record(simulation.program, config.memory);
    if (!options.trace.empty()) {
      tessera::write_text(options.trace, trace_json(simulation.program, timeline));
    }
    if (!options.report.empty()) {
      tessera::write_text(options.report, report_html(config, simulation, timeline));
    }
  }
  if (simulation.first_mismatch) {
    fmt::print(stderr, "cosim: layer `{}` differs from the reference kernels\n",
               simulation.program.layers[*simulation.first_mismatch].name);
    return kWrong;
  }
  return kDone;
}

struct ValidateOptions {
  Options common;
  tessera::Tolerances tolerances;
  bool markdown = false;
};

void add_validate(CLI::App& app, ValidateOptions& options) {
  add_common(app, options.common);
  app.add_option("--json", options.common.json, "write the result as JSON; - for standard output");
  app.add_flag("--markdown", options.markdown, "print one line of a Markdown table instead");
  const auto percent = [&](const char* name, double& value, const char* what) {
    app.add_option(name, value, what)->check(CLI::NonNegativeNumber)->capture_default_str();
  };
  percent("--tlm-layer", options.tolerances.tlm.layer, "percent of cycles, any layer");
  percent("--tlm-total", options.tolerances.tlm.total, "percent of cycles, whole network");
  percent("--model-layer", options.tolerances.model.layer, "percent of cycles, any layer");
  percent("--model-total", options.tolerances.model.total, "percent of cycles, whole network");
  app.add_option("--least-cycles", options.tolerances.least_cycles, "layers below are not judged")
      ->capture_default_str();
}

int run_validate(const ValidateOptions& options) {
  const std::string& json = options.common.json;
  const tessera::Config config = config_of(options.common);
  if (!json.empty() && json != "-") {
    tessera::check_writable(json);
  }
  tessera::Progress progress(options.common.quiet);
  const tessera::Validation validation = validate(config, options.tolerances, progress);
  if (options.markdown) {
    fmt::print("{}", validation_row(config, validation, options.tolerances.least_cycles));
  } else if (!options.common.quiet && json != "-") {
    fmt::print("{}", validation_table(config, validation));
  }
  write_json(json, validation_json(config, validation));
  if (!validation.findings.empty()) {
    fmt::print(stderr, "cosim: {}\n", validation.findings.front());
    return kWrong;
  }
  return kDone;
}

int run_explain(const Options& options) {
  const tessera::Config config = config_of(options);
  const tessera::Network network = load_configured(config);
  const tessera::Program program = compile(network, config.hardware, config.policy);
  fmt::print("{}", tessera::explain(program, options.layer));
  if (options.listing) {
    fmt::print("{}", disassemble(program));
  }
  return kDone;
}

int run_import(const std::string& model, const std::string& out, std::uint64_t seed, bool seeded) {
  const std::string ending = std::filesystem::path(out).extension().string();
  if (ending != ".yaml" && ending != ".yml") {
    throw tessera::InputError(out + ": layer lists are .yaml files");
  }
  tessera::check_writable(out);
  const tessera::Network network = tessera::load_network(model, seed, seeded);
  tessera::export_yaml(network, out);
  fmt::print("{}: {} operators, {} tensors\n", out, network.operators.size(),
             network.tensors.size());
  return kDone;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app{"Tessera: schedule a quantised network and run it on the accelerator's RTL"};
  app.set_version_flag("--version", "tessera " TESSERA_VERSION);
  Options simulate;
  Options explain;
  add_common(app, simulate);
  app.get_option("--config")->required(false);
  app.add_option("--input", simulate.simulate.input, "input tensor (.npy, .bin) or folder");
  app.add_option("--output", simulate.simulate.output, "where to write the output (.npy, .bin)");
  app.add_option("--json", simulate.json, "write the result as JSON; - for standard output");
  app.add_option("--report", simulate.report, "write a page with charts (HTML)");
  app.add_option("--trace", simulate.trace, "write a timeline for Perfetto (JSON)");
  app.add_flag("--check-memory", simulate.simulate.check_memory,
               "poison activations nobody needs any more; reading them is an error");
  app.add_option("--waves", simulate.simulate.waves, "write waves (FST)");
  CLI::App* explain_app =
      app.add_subcommand("explain", "every inequality and number behind each layer's mode");
  add_common(*explain_app, explain);
  explain_app->add_option("--layer", explain.layer, "only this layer");
  explain_app->add_flag("--listing", explain.listing, "also print the command stream");
  tessera::PlanCommand plan;
  CLI::App* plan_app = app.add_subcommand("plan", "order and memory plan only");
  plan.add_to(*plan_app);
  tessera::RomCommand rom;
  CLI::App* rom_app =
      app.add_subcommand("rom", "command ROM, constants, memory map, driver header");
  rom.add_to(*rom_app);
  tessera::SweepCommand sweep;
  CLI::App* sweep_app =
      app.add_subcommand("sweep", "one run per size of the cbuf or any other key");
  sweep.add_to(*sweep_app);
  ValidateOptions validate;
  CLI::App* validate_app =
      app.add_subcommand("validate", "all three engines, their cycles and bytes against the RTL");
  add_validate(*validate_app, validate);
  CLI::App* import_app = app.add_subcommand("import", "write a model as an editable layer list");
  std::string model;
  std::string out;
  std::uint64_t seed = 1;
  import_app->add_option("model", model, "model file or built-in network")->required();
  import_app->add_option("--out", out, "layer list to write (.yaml)")->required();
  import_app->add_option("--seed", seed, "seed of weights that no file gives");
  bool seeded = false;
  import_app->add_flag("--seeded-weights", seeded, "take only the shapes of a float ONNX model");
  try {
    app.parse(argc, argv);
    if (app.get_subcommands().empty() && simulate.config.empty()) {
      throw CLI::RequiredError("--config");
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kBadInput;
  }
  if (import_app->parsed()) {
    return run_import(tessera::find_network(model, "."), out, seed, seeded);
  }
  if (plan_app->parsed()) {
    return plan.run() ? kDone : kWrong;
  }
  if (rom_app->parsed()) {
    return rom.run() ? kDone : kWrong;
  }
  if (sweep_app->parsed()) {
    return sweep.run() ? kDone : kWrong;
  }
  if (validate_app->parsed()) {
    return run_validate(validate);
  }
  return explain_app->parsed() ? run_explain(explain) : run_simulate(simulate);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const tessera::InputError& error) {
    fmt::print(stderr, "cosim: {}\n", error.what());
    return kBadInput;
  } catch (const tessera::MissingTool& error) {
    fmt::print(stderr, "cosim: {}\n", error.what());
    return kMissingTool;
  } catch (const std::exception& error) {
    fmt::print(stderr, "cosim: {}\n", error.what());
    return kWrong;
  }
}

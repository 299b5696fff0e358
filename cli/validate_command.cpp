#include "cli/validate_command.hpp"

#include <fmt/format.h>

#include "console/progress.hpp"

namespace tessera {

void ValidateCommand::add_to(CLI::App& app) {
  common_.add_to(app);
  common_.add_json(app);
  app.add_flag("--markdown", markdown_, "print one line of a Markdown table instead");
  const auto percent = [&](const char* name, double& value, const char* what) {
    app.add_option(name, value, what)->check(CLI::NonNegativeNumber)->capture_default_str();
  };
  percent("--tlm-layer", tolerances_.tlm.layer, "percent of cycles, any layer");
  percent("--tlm-total", tolerances_.tlm.total, "percent of cycles, whole network");
  percent("--model-layer", tolerances_.model.layer, "percent of cycles, any layer");
  percent("--model-total", tolerances_.model.total, "percent of cycles, whole network");
  app.add_option("--least-cycles", tolerances_.least_cycles, "layers below are not judged")
      ->capture_default_str();
}

bool ValidateCommand::run() const {
  const Config config = common_.load();
  common_.check_json();
  Progress progress(common_.quiet);
  const Validation validation = validate(config, tolerances_, progress);
  if (markdown_) {
    fmt::print("{}", validation_row(config, validation, tolerances_.least_cycles));
  } else if (!common_.quiet && common_.json != "-") {
    fmt::print("{}", validation_table(config, validation));
  }
  common_.write_json(validation_json(config, validation));
  if (!validation.findings.empty()) {
    fmt::print(stderr, "cosim: {}\n", validation.findings.front());
    return false;
  }
  return true;
}

}  // namespace tessera

#include "cli/explain_command.hpp"

#include <fmt/format.h>

#include "report/report.hpp"

namespace tessera {

void ExplainCommand::add_to(CLI::App& app) {
  common_.add_to(app);
  app.add_option("--layer", layer_, "only this layer");
  app.add_flag("--listing", listing_, "also print the command stream");
}

void ExplainCommand::run() const {
  const Config config = common_.load();
  const Network network = load_configured(config);
  const Program program = compile(network, config.hardware, config.policy);
  fmt::print("{}", explain(program, layer_));
  if (listing_) {
    fmt::print("{}", disassemble(program));
  }
}

}  // namespace tessera

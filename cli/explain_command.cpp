#include "cli/explain_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/explain_time.hpp"
#include "report/report.hpp"
#include "tessera/error.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera {
namespace {

void check_layer(const Network& network, const std::string& layer) {
  std::vector<std::string> names;
  names.reserve(network.operators.size());
  for (const Operator& op : network.operators) {
    names.push_back(op.name);
  }
  if (!layer.empty() && std::find(names.begin(), names.end(), layer) == names.end()) {
    throw InputError(fmt::format("no layer is named `{}`{}", layer, suggestion(layer, names)));
  }
}

}  // namespace

void ExplainCommand::add_to(CLI::App& app) {
  common_.add_to(app);
  app.add_option("--layer", layer_, "only this layer");
  app.add_flag("--listing", listing_, "also print the command stream");
  app.add_flag("--what-if", what_if_,
               "instead: the cycles with twice the bus, buffer, banks, lanes, by the cost model");
}

void ExplainCommand::run() const {
  const Config config = common_.load();
  const Network network = load_configured(config);
  if (what_if_) {
    if (listing_) {
      throw InputError("--what-if prints no commands: give --listing without it");
    }
    check_layer(network, layer_);
    fmt::print("{}", what_if(config, network, layer_));
    return;
  }
  const Program program = compile(network, config.hardware, config.policy);
  fmt::print("{}", explain(program, layer_));
  fmt::print("{}",
             explain_time(network, program, timing::estimate(program, config.memory), layer_));
  if (listing_) {
    fmt::print("{}", disassemble(program));
  }
}

}  // namespace tessera

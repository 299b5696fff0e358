// Schedules a built-in network, checks the program, and runs it on the SystemC model.
#include <cstdio>

#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/engine.hpp"
#include "tessera/reference.hpp"
#include "tessera/resources.hpp"

int main() {
  tessera::set_data_dir(TESSERA_DATA_DIR);
  const tessera::Config config =
      tessera::parse_config("{hardware: small, network: lenet5, engine: tlm}", "consumer.yaml", {});
  const tessera::Network network = tessera::load_configured(config);
  const tessera::Program program = tessera::compile(network, config.hardware, config.policy);
  if (!tessera::check_program(program).empty()) {
    return 1;
  }
  tessera::RunOptions options;
  options.memory = config.memory;
  for (const tessera::Slot& input : program.inputs) {
    options.inputs.emplace_back(input.bytes, std::uint8_t{3});
  }
  const tessera::RunResult result = tessera::run_on(config.engine, program, options);
  if (result.outputs != tessera::run_reference(network, options.inputs)) {
    return 1;
  }
  const tessera::Counters& totals = result.totals;
  std::printf("%llu\n", static_cast<unsigned long long>(
                            tessera::counter(totals, tessera::isa::Counter::Cycles)));
  return 0;
}

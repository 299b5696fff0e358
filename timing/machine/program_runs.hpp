// The host's part of a program's time.
#pragma once

#include "timing/machine/accelerator.hpp"
#include "timing/machine/cost_model.hpp"
#include "timing/machine/layer_counters.hpp"

namespace tessera::timing {

/// Starts the program's command runs one after the other, as the host does it. `follow` is told
/// which one comes, `run` takes the machine to its end from the cycle given. Returns the totals.
template <class Follow, class Run>
Counters make_runs(const Program& program, Accelerator& machine, std::vector<LayerResult>& layers,
                   LayerCounters& counters, Follow follow, Run run) {
  Cycle now = Cycle{HostTiming::kIdentify} * HostTiming::kRead;
  for (const Step& step : program.steps) {
    const auto* commands = std::get_if<CommandRun>(&step);
    if (commands == nullptr) {
      continue;
    }
    follow(*commands);
    now += HostTiming::kConfigure * HostTiming::kWrite + HostTiming::kStart;
    machine.start(commands->stream.address, commands->stream.bytes, program.commands_of(*commands),
                  now);
    run(now);
    counters.end_run(commands->layers.back(), machine.counters());
    now = machine.now() + (1 + 2 * isa::kNumCounters) * HostTiming::kRead;
  }
  return LayerCounters::totals(layers);
}

}  // namespace tessera::timing

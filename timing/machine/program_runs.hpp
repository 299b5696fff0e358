// The host's part of a program's time.
#pragma once

#include "timing/machine/accelerator.hpp"
#include "timing/machine/cost_model.hpp"
#include "timing/machine/layer_counters.hpp"

namespace tessera::timing {

/// When the host comes to the first run: it has read the identity.
inline constexpr Cycle kFirstRun = Cycle{HostTiming::kIdentify} * HostTiming::kRead;

/// One command run: the host comes to it at `now`, and is through with it at the new one.
template <class Run>
void make_run(const CommandRun& commands, const Program& program, Accelerator& machine, Cycle& now,
              Run run) {
  now += HostTiming::kConfigure * HostTiming::kWrite + HostTiming::kStart;
  machine.start(commands.stream.address, commands.stream.bytes, program.commands_of(commands), now);
  run(now);
  now = machine.now() + (1 + 2 * isa::kNumCounters) * HostTiming::kRead;
}

/// Starts the program's command runs one after the other, as the host does it. `follow` is told
/// which one comes, `run` takes the machine to its end from the cycle given; `now` as make_run()
/// has it. Returns the totals.
template <class Follow, class Run>
Counters make_runs(const Program& program, Accelerator& machine, std::vector<LayerResult>& layers,
                   LayerCounters& counters, Cycle& now, Follow follow, Run run) {
  for (const Step& step : program.steps) {
    const auto* commands = std::get_if<CommandRun>(&step);
    if (commands == nullptr) {
      continue;
    }
    follow(*commands);
    make_run(*commands, program, machine, now, run);
    counters.end_run(commands->layers.back(), machine.counters());
  }
  return LayerCounters::totals(layers);
}

}  // namespace tessera::timing

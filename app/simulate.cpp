#include "app/simulate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "app/classes.hpp"
#include "app/input_steps.hpp"
#include "console/output_file.hpp"
#include "tessera/checker.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

// A run may take an hour: a file that cannot be written is better known before.
void check_files(const Network& network, const SimulateOptions& options) {
  if (!options.waves.empty()) {
    check_writable(options.waves);
  }
  if (!options.output.empty()) {
    check_outputs(network, options.output);
  }
  for (const std::string* states : {&options.states_in, &options.states_out}) {
    if (options.needs_states && !states->empty() && network.states.empty()) {
      throw InputError(fmt::format("{}: the network has no states", *states));
    }
  }
}

void write_files(const Config& config, const Simulation& simulation, const EngineSession& session,
                 const SimulateOptions& options) {
  if (!options.output.empty()) {
    std::vector<Values> outputs;
    outputs.reserve(simulation.steps.size());
    for (const StepResult& step : simulation.steps) {
      outputs.push_back(step.outputs);
    }
    write_outputs(config, *simulation.network, outputs, options.output);
  }
  if (!options.states_out.empty() && !simulation.network->states.empty()) {
    write_states(config, *simulation.network, session.states(), options.states_out);
  }
}

// The host kernels compute every layer again.
std::optional<std::size_t> first_mismatch(const Network& network, const Program& program,
                                          const std::vector<Bytes>& inputs,
                                          std::vector<Bytes>& states, const RunResult& result,
                                          Progress& progress) {
  std::uint64_t whole = 0;
  for (const Operator& op : network.operators) {
    whole += macs_of(network, op);
  }
  std::optional<std::size_t> mismatch;
  std::uint64_t done = 0;
  const auto observe = [&](std::size_t op, const Bytes& output) {
    const bool kept = program.layers[op].output.bytes > 0;
    if (!mismatch && kept && result.layers[op].output != output) {
      mismatch = op;
    }
    done += macs_of(network, network.operators[op]);
    progress.update("verifying against the reference kernels", done, whole);
  };
  run_reference(network, inputs, observe, &states);
  return mismatch;
}

// What only some engines can do.
void check_engine(const Config& config, const SimulateOptions& options) {
  const std::string& name = engine_names()[static_cast<std::size_t>(config.engine)];
  const auto refuse = [&](bool wanted, const std::string& what, const std::string& who) {
    if (wanted) {
      throw InputError(fmt::format("{}: not with engine `{}`; {}", what, name, who));
    }
  };
  refuse(config.engine != Engine::Rtl && !options.waves.empty(), "--waves", "waves come from rtl");
  if (config.engine == Engine::Model) {
    const std::string who = "it moves no data, rtl and tlm do";
    refuse(!options.input.empty(), "--input", who);
    refuse(!options.output.empty(), "--output", who);
    refuse(!options.states_in.empty(), "--states-in", who);
    refuse(!options.states_out.empty(), "--states-out", who);
    refuse(options.check_memory, "--check-memory", who);
    refuse(config.jitter.stall_percent != 0 || config.jitter.extra_latency != 0, "memory.jitter",
           "rtl and tlm take random delays");
  }
}

}  // namespace

bool Simulation::compared() const {
  return has_data && std::any_of(program.layers.begin(), program.layers.end(),
                                 [](const LayerRecord& layer) { return layer.pass.has_value(); });
}

void check(const Program& program) {
  const std::vector<std::string> problems = check_program(program);
  if (!problems.empty()) {
    throw std::runtime_error(fmt::format("{}: the program checker refuses the program:\n  {}",
                                         program.network, fmt::join(problems, "\n  ")));
  }
}

Simulation simulate(const Config& config, const SimulateOptions& options, Progress& progress) {
  check_engine(config, options);
  return simulate(config, std::make_shared<const Network>(load_configured(config)), options,
                  progress);
}

Simulation simulate(const Config& config, std::shared_ptr<const Network> loaded,
                    const SimulateOptions& options, Progress& progress) {
  check_engine(config, options);
  Simulation simulation;
  simulation.network = std::move(loaded);
  const Network& network = *simulation.network;
  simulation.has_data = config.engine != Engine::Model;
  check_files(network, options);
  check_labels(config, network);
  std::vector<Values> inputs(std::max<std::size_t>(config.steps, 1));
  Values states = initial_states(network);
  if (simulation.has_data) {
    inputs = read_steps(config, network, options.input);
    if (!options.states_in.empty() && !network.states.empty()) {
      states = read_states(config, network, options.states_in);
    }
  }
  const auto begun = std::chrono::steady_clock::now();
  const SearchListener searching = [&](std::size_t tried, std::size_t most) {
    const std::string left = time_left(begun, tried, most);
    progress.update(fmt::format("searching: program {} of {} at most{}{}", tried + 1, most,
                                left.empty() ? "" : ", ", left),
                    tried, most);
  };
  const Config& made_for = options.made_for != nullptr ? *options.made_for : config;
  simulation.program =
      compile(network, part_of(config.hardware, made_for.hardware), made_for.policy,
              simulation.has_data ? Contents::All : Contents::Commands, searching);
  progress.clear();
  simulation.program.hardware = config.hardware;
  check(simulation.program);

  std::uint64_t ideal = 0;
  for (const LayerRecord& layer : simulation.program.layers) {
    ideal += layer.pass ? layer.macs / config.hardware.macs_per_cycle() : 0;
  }
  RunOptions run;
  run.memory = config.memory;
  run.disturbance = config.jitter;
  run.traffic = config.traffic;
  run.waves = options.waves;
  run.check_memory = options.check_memory;
  run.announce = [&](const std::string& text) { progress.say(text); };
  run.tick = [&](std::size_t layers, std::uint64_t cycles) {
    // Layers seldom run at the ideal rate: what is left is never shown as done.
    const std::uint64_t whole = std::max(ideal + ideal / 4, cycles + cycles / 64);
    const std::size_t step = simulation.steps.size();
    const std::string of_steps =
        inputs.size() == 1 ? "" : fmt::format("step {} of {}, ", step + 1, inputs.size());
    progress.update(fmt::format("simulating: {}layer {} of {}, {} cycles", of_steps, layers,
                                simulation.program.layers.size(), cycles),
                    inputs.size() == 1 ? cycles : step, inputs.size() == 1 ? whole : inputs.size());
  };
  const std::unique_ptr<EngineSession> session =
      open_engine(config.engine, simulation.program, run);
  if (options.states_in.empty()) {
    simulation.reset_cycles = session->reset();
  } else {
    session->set_states(states);
  }
  for (const Values& step : inputs) {
    simulation.result = session->run(step);
    simulation.steps.push_back({simulation.result.totals, simulation.result.outputs});
    if (simulation.has_data && !simulation.first_mismatch) {
      simulation.mismatch_step = simulation.steps.size() - 1;
      simulation.first_mismatch =
          first_mismatch(network, simulation.program, step, states, simulation.result, progress);
    }
  }
  // The last step's states are nobody's input.
  if (simulation.has_data && !simulation.first_mismatch && session->states() != states) {
    throw std::runtime_error(network.name + ": states differ from the reference kernels'");
  }
  progress.clear();
  write_files(config, simulation, *session, options);
  return simulation;
}

}  // namespace tessera

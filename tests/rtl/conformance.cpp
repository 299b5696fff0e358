#include "tests/rtl/conformance.hpp"

#include <fmt/format.h>

#include "tessera/checker.hpp"
#include "tessera/reference.hpp"
#include "tessera/rng.hpp"

namespace tessera::test {
namespace {

/// Runs that follow each other.
using Steps = std::vector<RunResult>;

// Networks with states run several times, on inputs unlike each other.
std::vector<std::vector<Bytes>> inputs_by_step(const Network& network,
                                               const std::vector<Bytes>& first) {
  std::vector<std::vector<Bytes>> steps = {first};
  while (!network.states.empty() && steps.size() < 3) {
    steps.push_back(steps.back());
    for (Bytes& input : steps.back()) {
      for (std::uint8_t& byte : input) {
        byte = static_cast<std::uint8_t>(byte * 5 + 29);
      }
    }
  }
  return steps;
}

Steps run_steps(Engine engine, const Program& program, const RunOptions& options,
                const std::vector<std::vector<Bytes>>& inputs) {
  const std::unique_ptr<EngineSession> session = open_engine(engine, program, options);
  session->reset();
  Steps steps;
  for (const std::vector<Bytes>& step : inputs) {
    steps.push_back(session->run(step));
  }
  return steps;
}

std::string compare(const Network& network, const std::vector<std::vector<Bytes>>& inputs,
                    const Program& program, const Steps& steps) {
  std::string problem;
  std::vector<Bytes> states = initial_states(network);
  for (std::size_t s = 0; s < inputs.size() && problem.empty(); ++s) {
    const auto observe = [&](std::size_t op, const Bytes& output) {
      const Bytes& actual = steps[s].layers[op].output;
      const bool kept = program.layers[op].output.bytes > 0;
      if (!problem.empty() || !kept || actual == output) {
        return;
      }
      std::size_t at = 0;
      while (at < output.size() && at < actual.size() && actual[at] == output[at]) {
        ++at;
      }
      problem = fmt::format("step {}, layer {} ({}): byte {} of {} differs", s, op,
                            program.layers[op].pass ? program.layers[op].pass->long_name() : "host",
                            at, output.size());
    };
    run_reference(network, inputs[s], observe, &states);
  }
  return problem;
}

// Every cycle is counted once: working, or waiting for one reason.
std::string check_counters(const Counters& totals) {
  const std::uint64_t sum =
      counter(totals, isa::Counter::ArrayBusy) + counter(totals, isa::Counter::StallWeights) +
      counter(totals, isa::Counter::StallBank) + counter(totals, isa::Counter::WaitLoad) +
      counter(totals, isa::Counter::WaitStore) + counter(totals, isa::Counter::ComputeOther);
  if (sum != counter(totals, isa::Counter::Cycles)) {
    return fmt::format("{} cycles by cause, {} in all", sum, counter(totals, isa::Counter::Cycles));
  }
  return "";
}

// The three engines count the same, everything; both that compute give the same bytes.
std::string compare_step(const Program& program, const RunResult& rtl, const RunResult& tlm,
                         const RunResult* model) {
  for (std::size_t i = 0; i < rtl.layers.size(); ++i) {
    if (tlm.layers[i].output != rtl.layers[i].output) {
      return fmt::format("layer {}: the TLM model's bytes differ from the RTL's", i);
    }
    for (std::size_t c = 0; model != nullptr && c < isa::kNumCounters; ++c) {
      const std::uint64_t expected = rtl.layers[i].counters[c];
      if (tlm.layers[i].counters[c] != expected || model->layers[i].counters[c] != expected) {
        return fmt::format("layer {} ({}), {}: {} in the RTL, {} in the TLM model, {} estimated", i,
                           program.layers[i].name, isa::kCounters[c].name, expected,
                           tlm.layers[i].counters[c], model->layers[i].counters[c]);
      }
    }
  }
  return tlm.outputs == rtl.outputs ? "" : "the TLM model's outputs differ from the RTL's";
}

std::string compare_engines(const Program& program, const Steps& rtl, const Steps& tlm,
                            const Steps* model) {
  for (std::size_t i = 0; i < rtl.size(); ++i) {
    const std::string problem =
        compare_step(program, rtl[i], tlm[i], model != nullptr ? &(*model)[i] : nullptr);
    if (!problem.empty()) {
      return fmt::format("step {}, {}", i, problem);
    }
  }
  return "";
}

bool is_even(const RunOptions& options) {
  return options.disturbance.stall_percent == 0 && options.disturbance.extra_latency == 0;
}

// Random delays come at other cycles in each engine: only the bytes are the same then, and cycles
// are compared in runs without them. `own`: of the RTL, or of the TLM model where that stands for
// it.
std::string run_other_engines(const Program& program, const Steps& own, Engine engine,
                              const RunOptions& options,
                              const std::vector<std::vector<Bytes>>& inputs) {
  const bool even = is_even(options);
  if (!even && engine == Engine::Rtl) {
    const Steps tlm = run_steps(Engine::Tlm, program, options, inputs);
    if (std::string problem = compare_engines(program, own, tlm, nullptr); !problem.empty()) {
      return problem;
    }
  }
  RunOptions plain = options;
  plain.disturbance = {};
  const Steps first = even ? own : run_steps(engine, program, plain, inputs);
  const Steps tlm = engine == Engine::Tlm ? first : run_steps(Engine::Tlm, program, plain, inputs);
  const Steps model = run_steps(Engine::Model, program, plain, inputs);
  return compare_engines(program, first, tlm, &model);
}

}  // namespace

Outcome conform(const Network& network, const Hardware& hardware, const Policy& policy,
                const std::vector<Bytes>& inputs, const ExternalMemory& memory,
                const MemoryDisturbance& disturbance, Engines engines) {
  Outcome outcome;
  outcome.program = compile(network, hardware, policy);
  const auto findings = check_program(outcome.program);
  if (!findings.empty()) {
    outcome.problem = "checker: " + findings[0];
    return outcome;
  }
  RunOptions options;
  options.memory = memory;
  options.disturbance = disturbance;
  options.check_memory = true;
  const auto by_step = inputs_by_step(network, inputs);
  const Engine engine = engines == Engines::All ? Engine::Rtl : Engine::Tlm;
  Steps steps;
  try {
    steps = run_steps(engine, outcome.program, options, by_step);
    outcome.problem = run_other_engines(outcome.program, steps, engine, options, by_step);
  } catch (const EngineError& error) {
    outcome.problem = error.what();
    return outcome;
  } catch (const MemoryError& error) {
    outcome.problem = error.what();
    return outcome;
  }
  outcome.result = steps.back();
  const std::string wrong = compare(network, by_step, outcome.program, steps);
  if (!wrong.empty()) {
    outcome.problem = wrong;
  } else if (outcome.problem.empty()) {
    outcome.problem = check_counters(outcome.result.totals);
  }
  return outcome;
}

std::vector<Bytes> seeded_inputs(const Network& network, std::uint64_t seed) {
  SplitMix64 rng(seed);
  std::vector<Bytes> inputs;
  for (const std::int32_t input : network.inputs) {
    Bytes bytes(network.tensors[static_cast<std::size_t>(input)].bytes());
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(rng.int8());
    }
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

}  // namespace tessera::test

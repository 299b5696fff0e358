#include "tests/rtl/conformance.hpp"

#include <fmt/format.h>

#include "tessera/checker.hpp"
#include "tessera/reference.hpp"
#include "tessera/rng.hpp"

namespace tessera::test {
namespace {

std::string compare(const Network& network, const std::vector<Bytes>& inputs, Outcome& outcome) {
  std::string problem;
  run_reference(network, inputs, [&](std::size_t op, const Bytes& output) {
    const Bytes& actual = outcome.result.layers[op].output;
    const bool kept = outcome.program.layers[op].output.bytes > 0;
    if (!problem.empty() || !kept || actual == output) {
      return;
    }
    std::size_t at = 0;
    while (at < output.size() && at < actual.size() && actual[at] == output[at]) {
      ++at;
    }
    problem = fmt::format(
        "layer {} ({}): byte {} of {} differs", op,
        outcome.program.layers[op].pass ? outcome.program.layers[op].pass->long_name() : "host", at,
        output.size());
  });
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
std::string compare_engines(const Program& program, const RunResult& rtl, const RunResult& tlm,
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

bool is_even(const RunOptions& options) {
  return options.disturbance.stall_percent == 0 && options.disturbance.extra_latency == 0;
}

// Random delays come at other cycles in each engine: only the bytes are the same then, and cycles
// are compared in runs without them.
std::string run_other_engines(const Outcome& outcome, const RunOptions& options) {
  const bool even = is_even(options);
  if (!even) {
    const RunResult tlm = run_on_tlm(outcome.program, options);
    if (std::string problem = compare_engines(outcome.program, outcome.result, tlm, nullptr);
        !problem.empty()) {
      return problem;
    }
  }
  RunOptions plain = options;
  plain.disturbance = {};
  const RunResult rtl = even ? outcome.result : run_on_rtl(outcome.program, plain);
  const RunResult tlm = run_on_tlm(outcome.program, plain);
  const RunResult model = run_on_model(outcome.program, plain);
  return compare_engines(outcome.program, rtl, tlm, &model);
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
  options.inputs = inputs;
  options.memory = memory;
  options.disturbance = disturbance;
  options.check_memory = true;
  try {
    if (engines == Engines::All) {
      outcome.result = run_on_rtl(outcome.program, options);
      outcome.problem = run_other_engines(outcome, options);
    } else {
      outcome.result = run_on_tlm(outcome.program, options);
      RunOptions plain = options;
      plain.disturbance = {};
      const RunResult tlm = is_even(options) ? outcome.result : run_on_tlm(outcome.program, plain);
      const RunResult model = run_on_model(outcome.program, plain);
      outcome.problem = compare_engines(outcome.program, tlm, tlm, &model);
    }
  } catch (const EngineError& error) {
    outcome.problem = error.what();
    return outcome;
  } catch (const MemoryError& error) {
    outcome.problem = error.what();
    return outcome;
  }
  const std::string wrong = compare(network, inputs, outcome);
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

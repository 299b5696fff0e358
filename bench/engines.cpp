// The three engines on the same program: simulated cycles per second, and what scheduling and
// estimating a network takes.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "sim/rtl/variant.hpp"
#include "tessera/config.hpp"
#include "tessera/engine.hpp"
#include "tessera/rng.hpp"
#include "tests/shared_dir.hpp"

namespace {

using tessera::isa::Counter;

// The published table when it is there, the built-in network of the same layers otherwise.
std::string resnet18() {
  const std::filesystem::path table = std::filesystem::path(tessera::test::shared_dir()) /
                                      "benchmarks" / "topologies" / "Resnet18.csv";
  return std::filesystem::exists(table) ? table.string() : "resnet18";
}

tessera::Config config_of(const std::string& network) {
  return tessera::parse_config(
      fmt::format("{{hardware: medium, memory: {{latency: 64}}, network: \"{}\"}}", network),
      TESSERA_SOURCE_DIR "/configs/bench.yaml", {});
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void engines_on_resnet18(benchmark::State& state) {
  const tessera::Config config = config_of(resnet18());
  const tessera::Network network = load_configured(config);
  const tessera::Program program = compile(network, config.hardware, config.policy);
  tessera::RunOptions options;
  options.memory = config.memory;
  tessera::SplitMix64 rng(1);
  for (const tessera::Slot& input : program.inputs) {
    options.inputs.emplace_back(input.bytes);
    for (std::uint8_t& byte : options.inputs.back()) {
      byte = static_cast<std::uint8_t>(rng.int8());
    }
  }
  tessera::rtl::build_variant(program.hardware, {});  // before anything is timed
  double rtl = 0;
  double tlm = 0;
  double model = 0;
  std::uint64_t cycles = 0;
  for ([[maybe_unused]] const auto& iteration : state) {
    rtl += seconds_of(
        [&] { cycles += tessera::counter(run_on_rtl(program, options).totals, Counter::Cycles); });
    tlm += seconds_of([&] { run_on_tlm(program, options); });
    model += seconds_of([&] { run_on_model(program, options); });
  }
  const auto rate = [&](double seconds) { return static_cast<double>(cycles) / seconds / 1e6; };
  state.counters["rtl_Mcycles/s"] = rate(rtl);
  state.counters["tlm_Mcycles/s"] = rate(tlm);
  state.counters["model_Mcycles/s"] = rate(model);
  state.counters["tlm/rtl"] = rtl / tlm;
  state.counters["model/rtl"] = rtl / model;
}

void schedule_and_estimate(benchmark::State& state, const char* name) {
  const tessera::Config config = config_of(name);
  const tessera::Network network = load_configured(config);
  double schedule = 0;
  for ([[maybe_unused]] const auto& iteration : state) {
    tessera::Program program;
    schedule += seconds_of([&] {
      program = compile(network, config.hardware, config.policy, tessera::Contents::Commands);
    });
    tessera::RunOptions options;
    options.memory = config.memory;
    benchmark::DoNotOptimize(run_on_model(program, options));
  }
  state.counters["schedule_ms"] =
      benchmark::Counter(1e3 * schedule, benchmark::Counter::kAvgIterations);
}

BENCHMARK(engines_on_resnet18)->Unit(benchmark::kSecond)->Iterations(1);
BENCHMARK_CAPTURE(schedule_and_estimate, resnet50, "resnet50")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(schedule_and_estimate, mobilenet_v2, "mobilenet_v2")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(schedule_and_estimate, vgg16, "vgg16")->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

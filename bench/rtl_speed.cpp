// How fast the Verilated RTL simulates, with and without waves. Only time inside the engine counts;
// scheduling, checking and reference kernels do not.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "sim/rtl/variant.hpp"
#include "tessera/config.hpp"
#include "tessera/engine.hpp"
#include "tessera/import.hpp"
#include "tessera/rng.hpp"
#include "tessera/schedule.hpp"

namespace {

using tessera::isa::Counter;

// A 3x3 layer from the middle of ResNet-18.
constexpr const char* kNetwork =
    "layers: [{conv2d: {in: [28, 28, 128], kernel: 3, padding: same, out_channels: 128}}]";

void rtl_speed(benchmark::State& state, const char* preset, bool waves) {
  const tessera::Network network = tessera::import_yaml(kNetwork, "benchmark", 1);
  const tessera::Program program = compile(network, tessera::hardware_preset(preset), {});
  tessera::RunOptions options;
  tessera::SplitMix64 rng(1);
  options.inputs.emplace_back(program.inputs[0].bytes);
  for (std::uint8_t& byte : options.inputs[0]) {
    byte = static_cast<std::uint8_t>(rng.int8());
  }
  if (waves) {
    options.waves =
        (std::filesystem::temp_directory_path() / fmt::format("rtl_speed.{}.fst", ::getpid()))
            .string();
  }
  tessera::rtl::build_variant(program.hardware, {waves});  // before anything is timed
  std::uint64_t cycles = 0;
  std::uint64_t macs = 0;
  for ([[maybe_unused]] const auto& iteration : state) {
    const tessera::RunResult result = run_on_rtl(program, options);
    cycles += tessera::counter(result.totals, Counter::Cycles);
    macs += program.layers[0].macs;
  }
  if (waves) {
    std::filesystem::remove(options.waves);
  }
  using benchmark::Counter;
  state.counters["cycles/s"] = Counter(static_cast<double>(cycles), Counter::kIsRate);
  state.counters["MMAC/s"] = Counter(static_cast<double>(macs) / 1e6, Counter::kIsRate);
}

BENCHMARK_CAPTURE(rtl_speed, small, "small", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rtl_speed, small_with_waves, "small", true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rtl_speed, medium, "medium", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(rtl_speed, medium_with_waves, "medium", true)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();

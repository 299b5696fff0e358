// Points of a sweep per minute: ResNet-50 on `medium`, one point per cbuf size, all processors.
#include <benchmark/benchmark.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "console/progress.hpp"
#include "sweep/run.hpp"

namespace {

void sweep_resnet50(benchmark::State& state) {
  tessera::sweep::SpaceRequest request;
  request.config = TESSERA_SOURCE_DIR "/configs/npu.yaml";
  request.networks = {"resnet50"};
  request.cbuf = "64KiB..1MiB:8KiB";
  request.fixed = {"hardware=medium", "engine=model"};
  tessera::sweep::RunRequest run;
  run.definition = tessera::sweep::define(tessera::sweep::make_space(request), {});
  run.folder = (std::filesystem::temp_directory_path() / "tessera_bench_sweep").string();
  run.jobs = std::max(1U, std::thread::hardware_concurrency());
  run.fresh = true;
  tessera::Progress silent(true);
  double seconds = 0;
  for ([[maybe_unused]] const auto& iteration : state) {
    const auto begin = std::chrono::steady_clock::now();
    run_points(run, silent);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  state.counters["points_per_minute"] =
      60.0 * static_cast<double>(run.definition.space.points()) / seconds;
  std::filesystem::remove_all(run.folder);
}

}  // namespace

BENCHMARK(sweep_resnet50)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);
BENCHMARK_MAIN();

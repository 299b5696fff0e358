// How long static allocation and the search for orders take on published instances. Needs the
// instances beside the project (or where TESSERA_SHARED points).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "tessera/memory_plan.hpp"
#include "tessera/operator_graph.hpp"
#include "tests/files.hpp"
#include "tests/planner/generated.hpp"
#include "tests/shared_dir.hpp"

namespace {

std::string benchmarks() {
  return tessera::test::shared_dir() + "/benchmarks";
}

tessera::AllocationProblem instance(char name) {
  const std::string path = fmt::format("{}/minimalloc/{}.1048576.csv", benchmarks(), name);
  return tessera::read_problem_csv(tessera::test::text_of(path), path);
}

void allocation(benchmark::State& state, char name, std::uint64_t capacity) {
  const tessera::AllocationProblem problem = instance(name);
  tessera::Allocation result;
  while (state.KeepRunning()) {
    result = tessera::allocate_best(problem, capacity, {20'000'000});
  }
  if (!tessera::violation(problem, result.offsets).empty() || result.height > capacity) {
    state.SkipWithError("the capacity is not reached");
  }
  state.counters["height"] = static_cast<double>(result.height);
  state.counters["steps"] = static_cast<double>(result.steps);
}

void all_instances(benchmark::State& state) {
  std::vector<tessera::AllocationProblem> problems;
  for (char name = 'A'; name <= 'H'; ++name) {
    problems.push_back(instance(name));
  }
  while (state.KeepRunning()) {
    for (const tessera::AllocationProblem& problem : problems) {
      if (tessera::allocate_best(problem, 1048576, {20'000'000}).height > 1048576) {
        state.SkipWithError("the capacity is not reached");
      }
    }
  }
}

void order(benchmark::State& state, const char* name, std::uint64_t bytes_per_element) {
  const std::string path = fmt::format("{}/graphs/{}.csv", benchmarks(), name);
  const tessera::OrderProblem problem = tessera::order_problem(
      tessera::read_graph_csv(tessera::test::text_of(path), path, bytes_per_element), false);
  tessera::Order result;
  while (state.KeepRunning()) {
    result = tessera::order_exact(problem, 3'000'000);
  }
  state.counters["peak"] = static_cast<double>(result.peak);
  state.counters["proved"] = result.is_optimal() ? 1 : 0;
}

// What each of many takes.
class Spread {
 public:
  template <class Work>
  void time(Work work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    values_.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  void add(double value) { values_.push_back(value); }
  void report(benchmark::State& state, const std::string& name) {
    std::sort(values_.begin(), values_.end());
    state.counters["median_" + name] = values_[values_.size() / 2];
    state.counters["worst_" + name] = values_.back();
  }

 private:
  std::vector<double> values_;
};

// Drawn instances, no capacity: how long, and how far above the bound in percent.
void generated_instances(benchmark::State& state, std::uint64_t steps) {
  Spread times;
  Spread above;
  double at_bound = 0;
  while (state.KeepRunning()) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      const tessera::AllocationProblem problem = tessera::test::generated_allocation(seed);
      tessera::Allocation result;
      times.time([&] { result = tessera::allocate_best(problem, 0, {steps}); });
      if (!tessera::violation(problem, result.offsets).empty()) {
        state.SkipWithError("a plan is wrong");
      }
      above.add(100.0 * static_cast<double>(result.height - result.lower_bound) /
                static_cast<double>(result.lower_bound));
      at_bound += result.is_optimal() ? 1 : 0;
    }
  }
  times.report(state, "ms");
  above.report(state, "percent");
  state.counters["proved"] = at_bound;
}

void generated_orders(benchmark::State& state) {
  Spread times;
  Spread above;
  double proved = 0;
  while (state.KeepRunning()) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const tessera::OrderProblem problem =
          tessera::order_problem(tessera::test::generated_graph(seed), false);
      tessera::Order result;
      times.time([&] { result = tessera::order_exact(problem, 3'000'000); });
      above.add(100.0 * static_cast<double>(result.peak - result.lower_bound) /
                static_cast<double>(result.lower_bound));
      proved += result.is_optimal() ? 1 : 0;
    }
  }
  times.report(state, "ms");
  above.report(state, "percent");
  state.counters["proved"] = proved;
}

void once(benchmark::internal::Benchmark* b) {
  b->Unit(benchmark::kMillisecond)->Iterations(1);
}

BENCHMARK_CAPTURE(generated_instances, 50000_steps, 50'000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(generated_instances, 3000000_steps, 3'000'000)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK(generated_orders)->Unit(benchmark::kMillisecond)->Iterations(1);

void register_published() {
  for (char name = 'A'; name <= 'H'; ++name) {
    once(benchmark::RegisterBenchmark(fmt::format("allocation/{}", name).c_str(), allocation, name,
                                      1048576U));
  }
  once(benchmark::RegisterBenchmark("allocation/A_to_H", all_instances));
  once(benchmark::RegisterBenchmark("allocation/C_at_its_bound", allocation, 'C', 1039360U));
  for (const std::uint64_t capacity : {1038336U, 1010688U, 987136U}) {
    once(benchmark::RegisterBenchmark(fmt::format("allocation/D_at_{}", capacity).c_str(),
                                      allocation, 'D', capacity));
  }
  once(benchmark::RegisterBenchmark("order/swiftnet_vww", order, "swiftnet_vww", 1U));
  for (const char* name : {"darts_imagenet", "darts_cifar", "amoebanet_imagenet", "amoebanet_cifar",
                           "nasnet_imagenet", "randwire_cifar_s0", "randwire_cifar_s1",
                           "randwire_cifar_s2", "randwire_s0", "randwire_s1"}) {
    once(benchmark::RegisterBenchmark(fmt::format("order/{}", name).c_str(), order, name, 4U));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (std::filesystem::is_directory(benchmarks())) {
    register_published();
  } else {
    fmt::print("the published instances are not on this machine: generated ones alone\n");
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

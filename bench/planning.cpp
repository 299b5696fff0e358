// How long static allocation and the search for orders take on published instances. Needs the
// instances beside the project (or where TESSERA_SHARED points).
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "tessera/memory_plan.hpp"
#include "tessera/operator_graph.hpp"
#include "tests/files.hpp"
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

}  // namespace

int main(int argc, char** argv) {
  if (!std::filesystem::is_directory(benchmarks())) {
    fmt::print("skipped: the published instances are not on this machine\n");
    return 0;
  }
  const auto once = [](benchmark::internal::Benchmark* b) {
    b->Unit(benchmark::kMillisecond)->Iterations(1);
  };
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
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

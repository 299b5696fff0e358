// Published instances and graphs with known results.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "app/plan.hpp"
#include "tests/files.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

struct Graph {
  const char* name;
  std::uint64_t bytes_per_element;
  std::uint64_t given, least, least_in_place;
};

void PrintTo(const Graph& graph, std::ostream* out) {
  *out << graph.name;
}

// ../shared/benchmarks/graphs/README.md: peaks proved by exhaustive search.
constexpr Graph kGraphs[] = {{"swiftnet_vww", 1, 351232, 301056, 301056},
                             {"darts_imagenet", 4, 5347456, 4616192, 4616192},
                             {"darts_cifar", 4, 2064384, 1622016, 1622016},
                             {"amoebanet_imagenet", 4, 5121664, 4741632, 4465664},
                             {"amoebanet_cifar", 4, 1622016, 1474560, 1474560},
                             {"nasnet_imagenet", 4, 5171840, 4619904, 4474080},
                             {"randwire_cifar_s0", 4, 524288, 491520, 491520},
                             {"randwire_cifar_s1", 4, 655360, 524288, 524288},
                             {"randwire_cifar_s2", 4, 688128, 589824, 589824},
                             {"randwire_s0", 4, 6359808, 3913728, 3669120},
                             {"randwire_s1", 4, 3913728, 3913728, 3424512}};

class Graphs : public testing::TestWithParam<Graph> {};

TEST_P(Graphs, AreOrderedAndPlacedAtTheirProvedLeastPeak) {
  TESSERA_NEEDS_SHARED();
  const Graph& known = GetParam();
  const std::string path = test::shared_dir() + "/benchmarks/graphs/" + known.name + ".csv";
  const OperatorGraph graph = read_graph_csv(test::text_of(path), path, known.bytes_per_element);
  for (const bool in_place : {false, true}) {
    PlanOptions options;
    options.in_place = in_place;
    options.budget = 1'000'000;
    const PlanReport report = plan_graph(graph, options, 1, 0);
    const std::uint64_t least = in_place ? known.least_in_place : known.least;
    EXPECT_EQ(report.peaks.exact, least);
    EXPECT_EQ(report.peaks.bound, least) << "not proved";
    EXPECT_EQ(report.allocation.height, least);
    EXPECT_EQ(violation(report.problem, report.allocation.offsets), "");
    if (!in_place) {
      EXPECT_EQ(report.peaks.given, known.given);
      fmt::print("{:<20} given {:>8}  greedy {:>8}  exact {:>8}\n", known.name, report.peaks.given,
                 report.peaks.greedy, report.peaks.exact);
    }
  }
}

std::string name_of(const testing::TestParamInfo<Graph>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Known, Graphs, testing::ValuesIn(kGraphs), name_of);

class Instances : public testing::TestWithParam<std::pair<char, std::uint64_t>> {};

TEST_P(Instances, FitTheirCapacity) {
  TESSERA_NEEDS_SHARED();
  const auto& [name, capacity] = GetParam();
  const std::string path =
      fmt::format("{}/benchmarks/minimalloc/{}.1048576.csv", test::shared_dir(), name);
  const AllocationProblem problem = read_problem_csv(test::text_of(path), path);
  const Allocation result = allocate_best(problem, capacity, {6'000'000});
  EXPECT_EQ(violation(problem, result.offsets), "");
  EXPECT_LE(result.height, capacity);
  EXPECT_GE(result.lower_bound, name == 'D' ? 986112U : name == 'C' ? 1039360U : 1048576U);
}

std::string instance_name(const testing::TestParamInfo<std::pair<char, std::uint64_t>>& info) {
  return fmt::format("{}_{}", info.param.first, info.param.second);
}

INSTANTIATE_TEST_SUITE_P(MiniMalloc, Instances,
                         testing::Values(std::pair{'A', 1048576U}, std::pair{'B', 1048576U},
                                         std::pair{'C', 1048576U}, std::pair{'C', 1039360U},
                                         std::pair{'D', 1048576U}, std::pair{'D', 1038336U},
                                         std::pair{'E', 1048576U}, std::pair{'F', 1048576U},
                                         std::pair{'G', 1048576U}, std::pair{'H', 1048576U}),
                         instance_name);

}  // namespace
}  // namespace tessera

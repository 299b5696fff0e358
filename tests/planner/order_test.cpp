// Orders against brute force over all of them.
#include "tessera/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tessera/error.hpp"
#include "tessera/operator_graph.hpp"
#include "tessera/rng.hpp"

namespace tessera {
namespace {

OperatorGraph random_graph(SplitMix64& rng, std::size_t nodes) {
  OperatorGraph graph;
  graph.name = "random";
  for (std::size_t n = 0; n < nodes; ++n) {
    GraphNode node;
    node.id = std::to_string(n);
    node.bytes = 1 + rng.below(20);
    node.sharing = rng.below(3) == 0 ? Sharing::ElementWise : Sharing::Kept;
    for (std::uint64_t i = 0; n > 0 && i < 1 + rng.below(3); ++i) {
      const auto input = static_cast<std::uint32_t>(rng.below(n));
      if (std::find(node.inputs.begin(), node.inputs.end(), input) == node.inputs.end()) {
        node.inputs.push_back(input);
      }
    }
    if (node.sharing == Sharing::ElementWise && !node.inputs.empty()) {
      node.bytes = graph.nodes[node.inputs[0]].bytes;
    }
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

// The least peak from every set of operators that have run, by recursion over the sets: written
// without OrderWalk.
class BruteForce {
 public:
  explicit BruteForce(const OrderProblem& problem) : problem_(problem) {}

  std::uint64_t least(std::uint32_t done = 0) {
    const auto count = problem_.before.size();
    if (done == (1U << count) - 1) {
      return 0;
    }
    if (const auto known = known_.find(done); known != known_.end()) {
      return known->second;
    }
    std::uint64_t best = ~std::uint64_t{0};
    for (std::uint32_t n = 0; n < count; ++n) {
      if ((done >> n & 1U) == 0 && is_ready(n, done)) {
        best = std::min(best, std::max(during(n, done), least(done | 1U << n)));
      }
    }
    return known_[done] = best;
  }

 private:
  [[nodiscard]] bool is_ready(std::uint32_t n, std::uint32_t done) const {
    return std::all_of(problem_.before[n].begin(), problem_.before[n].end(),
                       [&](std::uint32_t b) { return (done >> b & 1U) != 0; });
  }

  [[nodiscard]] std::uint64_t during(std::uint32_t n, std::uint32_t done) const {
    std::uint64_t bytes = problem_.work[n];
    for (const OrderItem& item : problem_.items) {
      bool begun = item.from_start;
      bool needed = item.to_end;
      for (const std::uint32_t t : item.touched_by) {
        begun = begun || (done >> t & 1U) != 0 || t == n;
        needed = needed || (done >> t & 1U) == 0;
      }
      bytes += begun && needed ? item.size : 0;
    }
    for (const OrderReuse& reuse : problem_.reuses) {
      const OrderItem& in = problem_.items[reuse.input];
      const bool last =
          std::all_of(in.touched_by.begin(), in.touched_by.end(),
                      [&](std::uint32_t t) { return t == n || (done >> t & 1U) != 0; });
      if (reuse.node == n && last && !in.to_end) {
        bytes -= std::min(in.size, problem_.items[reuse.output].size);
      }
    }
    return bytes;
  }

  const OrderProblem& problem_;
  std::map<std::uint32_t, std::uint64_t> known_;
};

void compare(bool in_place, std::uint64_t seed) {
  SplitMix64 rng(seed);
  for (int round = 0; round < 300; ++round) {
    const OperatorGraph graph = random_graph(rng, 2 + rng.below(13));
    OrderProblem problem = order_problem(graph, in_place);
    for (std::uint64_t& work : problem.work) {
      work = rng.below(8);
    }
    const Order order = order_exact(problem, 1'000'000);
    ASSERT_EQ(order.peak, BruteForce(problem).least());
    EXPECT_TRUE(order.is_optimal());
    const auto along = memory_along(problem, order.nodes);
    EXPECT_EQ(along.size(), graph.nodes.size());
    EXPECT_EQ(*std::max_element(along.begin(), along.end()), order.peak);
    EXPECT_LE(order.peak, order_greedy(problem).peak);
    EXPECT_LE(order.peak, order_given(problem).peak);
  }
}

TEST(Orders, ExactEqualsBruteForceOverAllOrders) {
  compare(false, 1);
}

TEST(Orders, ExactEqualsBruteForceWithWritesInPlace) {
  compare(true, 2);
}

TEST(Orders, AnEarlyEndGivesAnOrderAndABound) {
  SplitMix64 rng(3);
  for (int round = 0; round < 50; ++round) {
    const OperatorGraph graph = random_graph(rng, 14);
    const OrderProblem problem = order_problem(graph, false);
    const Order cut = order_exact(problem, 2);
    const std::uint64_t least = BruteForce(problem).least();
    EXPECT_EQ(cut.nodes.size(), graph.nodes.size());
    EXPECT_LE(cut.lower_bound, least);
    EXPECT_GE(cut.peak, least);
    EXPECT_NO_THROW(memory_along(problem, cut.nodes));
  }
}

TEST(Orders, ACircleIsAnError) {
  OrderProblem problem;
  problem.before = {{1}, {0}};
  problem.work = {0, 0};
  EXPECT_THROW(order_greedy(problem), InputError);
  EXPECT_THROW(order_exact(problem, 100), InputError);
}

// One tensor counts once however many read it.
TEST(Orders, ATensorWithManyReadersCountsOnce) {
  OperatorGraph graph;
  graph.nodes = {{"a", "", 10, {}, Sharing::Kept},
                 {"b", "", 1, {0}, Sharing::Kept},
                 {"c", "", 1, {0}, Sharing::Kept},
                 {"d", "", 1, {1, 2}, Sharing::Kept}};
  EXPECT_EQ(order_given(order_problem(graph, false)).peak, 12U);
}

}  // namespace
}  // namespace tessera

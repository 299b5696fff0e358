// Planning with removable and merging operators: the published example.
#include <gtest/gtest.h>

#include <numeric>

#include "tessera/operator_graph.hpp"

namespace tessera {
namespace {

enum Node : std::uint32_t {
  kInput,
  kSplit0,
  kConv0,
  kConv1,
  kSplit1,
  kConv2,
  kConv3,
  kConcat,
  kConv4
};

OperatorGraph published() {
  OperatorGraph graph;
  graph.nodes = {{"input", "Input", 40, {}, Sharing::Kept},
                 {"split0", "Split", 40, {kInput}, Sharing::Removable},
                 {"conv0", "Conv", 20, {kSplit0}, Sharing::Kept},
                 {"conv1", "Conv", 40, {kSplit0}, Sharing::Kept},
                 {"split1", "Split", 40, {kConv1}, Sharing::Removable},
                 {"conv2", "Conv", 30, {kSplit1}, Sharing::Kept},
                 {"conv3", "Conv", 40, {kSplit1}, Sharing::Kept},
                 {"concat", "Concat", 90, {kConv0, kConv2, kConv3}, Sharing::Merging},
                 {"conv4", "Conv", 60, {kConcat}, Sharing::Kept}};
  return graph;
}

using Nodes = std::vector<std::uint32_t>;

TEST(Removal, SetsOfThePublishedExample) {
  const RemovalPlan plan = plan_removal(published());
  EXPECT_EQ(plan.first[kInput], (Nodes{kInput}));
  EXPECT_EQ(plan.first[kSplit0], (Nodes{kSplit0}));
  EXPECT_EQ(plan.first[kConv0], (Nodes{kSplit0, kConv0}));
  EXPECT_EQ(plan.first[kConv1], (Nodes{kSplit0, kConv0, kConv1}));
  EXPECT_EQ(plan.local_share[kInput], (Nodes{kInput, kSplit0}));
  EXPECT_EQ(plan.local_share[kConcat], (Nodes{kConv0, kConv2, kConv3, kConcat}));
}

TEST(Removal, PlacementOfThePublishedExample) {
  const RemovalPlan plan = plan_removal(published());
  EXPECT_EQ(plan.placement[0], kConcat);
  EXPECT_EQ(plan.offsets[kConcat], 0U);
  // Its inputs inside it, in order, side by side.
  EXPECT_EQ(plan.offsets[kConv0], 0U);
  EXPECT_EQ(plan.offsets[kConv2], 20U);
  EXPECT_EQ(plan.offsets[kConv3], 50U);
  const Nodes rest(plan.placement.begin() + 4, plan.placement.end());
  EXPECT_EQ(rest, (Nodes{kConv4, kInput, kSplit0, kConv1, kSplit1}));
  EXPECT_EQ(plan.offsets[kConv4], 90U);
  EXPECT_EQ(plan.offsets[kSplit0], plan.offsets[kInput]);
  EXPECT_EQ(plan.offsets[kSplit1], plan.offsets[kConv1]);
  // input may not touch conv0; conv1 neither split0 nor conv0, conv2 and conv3.
  EXPECT_EQ(plan.offsets[kInput], 20U);
  EXPECT_EQ(plan.offsets[kConv1], 90U);
  EXPECT_TRUE(plan.removed[kSplit0] && plan.removed[kSplit1] && plan.removed[kConcat]);
  EXPECT_FALSE(plan.removed[kConv0] || plan.removed[kConv4]);
}

TEST(Removal, NeedsLessThanGreedyBySize) {
  OperatorGraph graph;
  graph.nodes = {{"input", "Input", 40, {}, Sharing::Kept},
                 {"conv1", "Conv", 60, {0}, Sharing::Kept},
                 {"split", "Split", 40, {0}, Sharing::Removable},
                 {"conv2", "Conv", 40, {1}, Sharing::Kept},
                 {"concat", "Concat", 80, {2, 3}, Sharing::Merging},
                 {"conv3", "Conv", 80, {4}, Sharing::Kept}};
  std::vector<std::uint32_t> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0U);
  EXPECT_EQ(plan_removal(graph).height, 160U);
  EXPECT_EQ(allocate_greedy_size(allocation_problem(graph, order, false).problem).height, 180U);
}

}  // namespace
}  // namespace tessera

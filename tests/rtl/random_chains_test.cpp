// Chains of layers on pictures that do not fit the buffer: rows pass through ring buffers, halo
// rows and weights stay, on slow and stuttering memory, against the reference kernels. A failing
// case prints the configuration and the network that repeat it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/draws.hpp"
#include "tests/rtl/random_layers.hpp"
#include "tests/setups.hpp"

namespace tessera {
namespace {

// The border of a ring cuts bands in two: the first tile of a band need not be its largest.
TEST(Chains, OfPoolsWhoseBandsAreCutEqualTheReference) {
  const Network network = import_yaml(
      "layers:\n  - max_pool2d: {in: [28, 19, 5], kernel: 1}\n"
      "  - max_pool2d: {kernel: [2, 1], stride: 1, padding: same}\n",
      "pools.yaml", 1);
  const Hardware hw = test::hardware_with("tiny", 1884);
  Policy policy = test::best_for(Objective::Traffic);
  const auto outcome =
      test::conform(network, hw, policy, test::seeded_inputs(network, 1), ExternalMemory{});
  EXPECT_EQ(outcome.problem, "");
  EXPECT_NE(disassemble(outcome.program).find("CV_RING"), std::string::npos);
}

// A folded load begins with padding, when it takes no beats, in the very cycle in which commands
// arrive.
TEST(Chains, WithAFoldedLoadBesideCommandsTakeTheSameCycles) {
  const Network network = import_yaml(
      "layers:\n"
      "  - conv2d: {in: [13, 6, 6], kernel: [3, 1], stride: [2, 1], out_channels: 9, padding: "
      "same}\n"
      "  - conv2d: {kernel: [2, 3], out_channels: 13, padding: same}\n"
      "  - conv2d: {kernel: [1, 2], stride: [2, 1], out_channels: 1, padding: same}\n",
      "folded.yaml", 0);
  const Hardware hw = test::hardware_with("tiny", 1096);
  Policy policy = test::best_for(Objective::Traffic);
  policy.memory = {3, 3};
  const auto outcome =
      test::conform(network, hw, policy, test::seeded_inputs(network, 0), policy.memory);
  EXPECT_EQ(outcome.problem, "");
}

class RandomChains : public testing::TestWithParam<std::string> {};

TEST_P(RandomChains, EqualTheReference) {
  int wrapped = 0;
  test::expect_always(24, [&] {
    const test::Outcome outcome = test::run_case(test::draw_chain(GetParam()));
    wrapped += disassemble(outcome.program).find("CV_RING") != std::string::npos ? 1 : 0;
  });
  EXPECT_GT(wrapped, 0) << "no rows wrap around";
}

INSTANTIATE_TEST_SUITE_P(Presets, RandomChains, testing::Values("tiny", "small"),
                         [](const auto& preset) { return preset.param; });

}  // namespace
}  // namespace tessera

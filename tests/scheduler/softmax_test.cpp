// Softmax as an array pass, and on what computes its rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scheduler/lower/partition.hpp"
#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/isa.hpp"
#include "tessera/program.hpp"
#include "tests/scheduler/commands_of.hpp"

namespace tessera {
namespace {

std::string classifier(int classes) {
  return fmt::format(
      "inputs: {{x: {{shape: [1, 24], scale: 0.1, zero_point: 3}}}}\nlayers:\n  - fully_connected: "
      "{{name: f, from: x, out_features: {}, scale: 0.2, zero_point: -7}}\n  - softmax: {{}}\n",
      classes);
}

Partition plan_of(const std::string& text, const Hardware& hardware) {
  const Network network = import_yaml(text, "net.yaml", 1);
  const Program program = compile(network, hardware, Policy{});
  EXPECT_EQ(check_program(program), std::vector<std::string>());
  return partition_network(network, hardware, Policy{});
}

TEST(Softmax, RidesOnTheLayerBeforeIt) {
  const Partition plan = plan_of(classifier(10), hardware_preset("medium"));
  ASSERT_EQ(plan.units.size(), 1U);
  EXPECT_EQ(plan.units[0].absorbed.size(), 1U);
  EXPECT_TRUE(plan.units[0].lowering.passes[0].shape.whole_pixels);
  ASSERT_TRUE(plan.units[0].lowering.post->softmax);
  EXPECT_EQ(plan.units[0].lowering.post->softmax->same_params, 0U);
}

// 63 groups of 16 kernels: the parameter memory has 16.
TEST(Softmax, OfManyClassesIsAPassOfItsOwn) {
  const Partition plan = plan_of(classifier(1000), hardware_preset("medium"));
  ASSERT_EQ(plan.units.size(), 2U);
  EXPECT_EQ(plan.units[1].host_reason, "");
  ASSERT_TRUE(plan.units[1].lowering.post->softmax);
  EXPECT_EQ(plan.units[1].lowering.post->softmax->same_params, 1U);
}

TEST(Softmax, OfRowsThatTheAccumulatorsCannotHoldIsTheHosts) {
  const Partition plan = plan_of(
      "inputs: {x: {shape: [1, 4097], scale: 0.1, zero_point: 3}}\nlayers:\n  - softmax: {}\n",
      hardware_preset("medium"));
  EXPECT_NE(plan.units[0].host_reason.find("4097 channels"), std::string::npos)
      << plan.units[0].host_reason;
}

TEST(Softmax, NeedsItsFeatureAndTables) {
  for (const isa::Feature feature : {isa::Feature::Softmax, isa::Feature::Tables}) {
    Hardware hardware = hardware_preset("medium");
    hardware.features &= ~(1U << static_cast<unsigned>(feature));
    const Partition plan = plan_of(classifier(10), hardware);
    ASSERT_EQ(plan.units.size(), 2U);
    EXPECT_NE(plan.units[1].host_reason.find("built without"), std::string::npos)
        << plan.units[1].host_reason;
  }
}

// An array without the depthwise window passes rows on by a matrix of ones.
TEST(Softmax, DoesWithoutTheWindow) {
  Hardware hardware = hardware_preset("medium");
  hardware.features &= ~(1U << static_cast<unsigned>(isa::Feature::Depthwise));
  const Partition plan = plan_of(
      "inputs: {x: {shape: [30, 40], scale: 0.1, zero_point: 3}}\nlayers:\n  - softmax: {}\n",
      hardware);
  EXPECT_EQ(plan.units[0].host_reason, "");
  EXPECT_FALSE(plan.units[0].lowering.passes[0].shape.depthwise);
}

// With half of the accumulators it would be the host's, whose time is in no figure.
TEST(Softmax, OfLongRowsIsTheArraysWithPolicyBestToo) {
  Policy policy;
  policy.name = PolicyName::Best;
  const Network network = import_yaml(
      "inputs: {x: {shape: [4, 3000], scale: 0.1, zero_point: 3}}\nlayers:\n  - softmax: {}\n",
      "net.yaml", 1);
  const Program program = compile(network, hardware_preset("medium"), policy);
  EXPECT_EQ(program.layers[0].host_reason, "");
}

// What rounds once would round the quotients once, too.
TEST(Softmax, DoesNotRideOnWhatRoundsOnce) {
  Network network = import_yaml(classifier(10), "net.yaml", 1);
  network.operators[0].rounding = Rounding::HalfUp;
  const Partition plan = partition_network(network, hardware_preset("medium"), Policy{});
  EXPECT_EQ(plan.units.size(), 2U);
}

// Whole rows of a few pixels at once, whatever is forced, and the values in between have words of
// their own again.
TEST(Softmax, HasWholeRowsInEveryMode) {
  const std::string text =
      "inputs: {x: {shape: [1, 40, 30, 40], scale: 0.1, zero_point: 3}}\nlayers:\n"
      "  - conv2d: {name: c, from: x, kernel: 1, out_channels: 100, scale: 0.1, zero_point: 0}\n"
      "  - softmax: {name: s}\n  - leaky_relu: {scale: 0.01, zero_point: -128}\n";
  Hardware hardware = hardware_preset("medium");
  hardware.cbuf_size = 8192;
  for (const ForcedMode mode :
       {ForcedMode::None, ForcedMode::Direct, ForcedMode::PingPong, ForcedMode::SplitBoth}) {
    Policy policy;
    policy.mode = mode;
    const Network network = import_yaml(text, "net.yaml", 1);
    const Partition plan = partition_network(network, hardware, policy);
    ASSERT_TRUE(plan.units[0].lowering.post->softmax);
    const LayerDecision decision =
        decide_layer(plan.units[0].lowering.passes[0].shape, hardware, policy);
    EXPECT_EQ(channel_parts(decision.strategy), 1U);
    EXPECT_EQ(kernel_parts(decision.strategy), 1U);
  }
  const Program program = compile(import_yaml(text, "net.yaml", 1), hardware, Policy{});
  EXPECT_EQ(check_program(program), std::vector<std::string>());
  for (const isa::StTile& tile : test::commands_of<isa::StTile>(program)) {
    EXPECT_LE(tile.pixels * tile.groups, hardware.acc_half());
  }
  EXPECT_EQ(test::commands_of<isa::StSoftmax>(program).size(), 1U);
}

}  // namespace
}  // namespace tessera

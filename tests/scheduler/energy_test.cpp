// Accesses inside the accelerator, and what they cost.
#include "tessera/energy.hpp"

#include <gtest/gtest.h>

#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera {
namespace {

// 4 x 4 pixels, 32 channels in, 16 out, 16 x 16 array: two tiles of 16 kernels, 16 steps each.
TEST(Accesses, OfAPointwiseLayer) {
  const Network network = import_yaml(
      "layers: [{conv2d: {in: [4, 4, 32], out_channels: 16, kernel: 1}}]", "one.yaml", 1);
  const Program program = compile(network, hardware_preset("medium"), {});
  const Accesses& accesses = program.layers[0].accesses;
  EXPECT_EQ(accesses.cbuf_bytes, 4U * 4 * 32 + 32 * 16        // loaded
                                     + 2U * 16 * 16           // features read
                                     + 2U * 16 * 16);         // weights read
  EXPECT_EQ(accesses.accumulator_bytes, 2U * 16 * 16 * 4 * 2  // read and written
                                            + 16U * 16 * 4);  // drained
}

// 3 x 3 windows over 6 x 6 pixels and their padding: one step each, with an output or without.
TEST(Accesses, OfADepthwiseLayer) {
  const Network network = import_yaml(
      "layers: [{depthwise_conv2d: {in: [6, 6, 16], kernel: 3, padding: same}}]", "dw.yaml", 1);
  const Program program = compile(network, hardware_preset("medium"), {});
  const Accesses& accesses = program.layers[0].accesses;
  EXPECT_EQ(accesses.cbuf_bytes, 6U * 6 * 16 + 16 * 16 + 8U * 8 * 16 + 16U * 16);
  EXPECT_EQ(accesses.accumulator_bytes, 36U * 16 * 4 * 2 + 36U * 16 * 4);
}

// Five taps in windows of at most four: the three of even columns and the two of odd ones, each
// over 15 outputs, take 17 and 16 steps.
TEST(Accesses, OfADepthwiseLayerWhoseTapsLieAStrideApart) {
  const Network network =
      import_yaml("layers: [{depthwise_conv2d: {in: [1, 33, 4], kernel: [1, 5], stride: [1, 2]}}]",
                  "dw.yaml", 1);
  const Program program = compile(network, hardware_preset("tiny"), {});
  const Accesses& accesses = program.layers[0].accesses;
  EXPECT_EQ(accesses.cbuf_bytes, 33U * 4 + 2 * 4 * 4         // loaded
                                     + (17 + 16) * 4         // features read
                                     + 2 * 4 * 4);           // weights read
  EXPECT_EQ(accesses.accumulator_bytes, 2U * 15 * 4 * 4 * 2  // read and written
                                            + 15 * 4 * 4);   // drained
}

TEST(Energy, IsTheSumOfTheTable) {
  const EnergyTable table{2, 3, 5, 7, 11, "test"};
  EXPECT_DOUBLE_EQ(energy_pj(table, {1, {10, 100}, 1000, 10000}), 2.0 + 30 + 500 + 7000 + 110000);
}

TEST(Energy, ObjectiveIsNeverWorseThanFirstFit) {
  const Network network = import_yaml(
      "layers:\n  - conv2d: {in: [40, 40, 16], out_channels: 96, kernel: 1}\n"
      "  - depthwise_conv2d: {kernel: 3, padding: same}\n"
      "  - conv2d: {out_channels: 24, kernel: 1}\n",
      "block.yaml", 1);
  const Hardware hw = hardware_preset("medium");
  const auto energy_of = [&](const Policy& policy) {
    const Program program = compile(network, hw, policy, Contents::Commands);
    const Counters totals = timing::estimate(program, policy.memory).totals;
    Effort effort;
    for (const LayerRecord& layer : program.layers) {
      effort.macs += layer.macs;
      effort.accesses += layer.accesses;
    }
    effort.external_bytes = read_bytes(totals) + counter(totals, isa::Counter::WriteBytes);
    effort.cycles = counter(totals, isa::Counter::Cycles);
    return energy_pj(policy.energy, effort);
  };
  Policy policy;
  const double first_fit = energy_of(policy);
  policy.name = PolicyName::Best;
  policy.objective = Objective::Energy;
  EXPECT_LT(energy_of(policy), first_fit);
  // Where bytes cost nothing and cycles all, it is the fewest cycles.
  policy.energy = {0, 0, 0, 0, 1, "cycles"};
  EXPECT_LT(energy_of(policy), 120'000);
}

}  // namespace
}  // namespace tessera

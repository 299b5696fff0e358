// Policy `best`: what it keeps in the cbuf.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "tests/shared_data.hpp"
#include "timing/machine/cost_model.hpp"

namespace tessera {
namespace {

// A convolution that is read twice, once as an addend.
const char* const kTwiceRead =
    "layers:\n  - conv2d: {in: [12, 12, 9], out_channels: 24, kernel: 3, padding: same}\n"
    "  - conv2d: {out_channels: 24, kernel: 3, padding: same}\n"
    "  - add: {from: [conv2d_0, conv2d_1]}\n  - avg_pool2d: {kernel: 2, stride: 2}\n";

TEST(Best, KeepsWhatTheNextLayerReads) {
  Policy policy;
  policy.name = PolicyName::Best;
  const Program program =
      compile(import_yaml(kTwiceRead, "best.yaml", 1), hardware_preset("medium"), policy);
  const PassRecord& first = program.layers[0].pass.value();
  EXPECT_TRUE(first.ofmap_kept);
  EXPECT_TRUE(first.ofmap_stored) << "an addend comes from memory";
  const PassRecord& second = program.layers[1].pass.value();
  EXPECT_TRUE(second.ifmap_kept);
  EXPECT_TRUE(second.ofmap_kept) << "for the pool";
  EXPECT_FALSE(second.ofmap_stored);
  EXPECT_TRUE(program.layers[3].pass.value().ofmap_stored) << "the network's output";
}

// Columns in strips, the first of which is narrower than the next: places are for the widest.
TEST(Best, FindsRoomForTheWidestStripOfAVerySmallBuffer) {
  Hardware hardware = hardware_preset("nano");
  hardware.cbuf_size = hardware.cbuf_capacity = 1024;
  hardware.cbuf_banks = 2;
  hardware.acc_words = 128;
  Policy policy;
  policy.name = PolicyName::Best;
  policy.memory = ExternalMemory{12, 10};
  const Network network = import_yaml(
      "layers:\n  - conv2d: {in: [40, 40, 1], out_channels: 8, kernel: 1}\n"
      "  - conv2d: {out_channels: 96, kernel: 5, padding: same}\n",
      "strips.yaml", 1);
  EXPECT_EQ(check_program(compile(network, hardware, policy)), std::vector<std::string>{});
}

// Programs for less of the hardware are among those that are tried, and say so.
TEST(Best, SaysWhatItWasMadeFor) {
  Policy policy;
  policy.name = PolicyName::Best;
  std::size_t less = 0;
  for (const char* preset : {"tiny", "small", "medium", "large"}) {
    const Hardware hardware = hardware_preset(preset);
    const Program program =
        compile(import_yaml(kTwiceRead, "best.yaml", 1), hardware, policy, Contents::Commands);
    EXPECT_EQ(program.hardware.acc_words, hardware.acc_words);
    EXPECT_EQ(program.hardware.cbuf_size, hardware.cbuf_size);
    Policy narrow = policy;
    narrow.from_less = false;
    const Program alone =
        compile(import_yaml(kTwiceRead, "best.yaml", 1), hardware, narrow, Contents::Commands);
    EXPECT_EQ(alone.made_for, "");
    const auto cycles = [&](const Program& p) {
      return counter(timing::estimate(p, policy.memory).totals, isa::Counter::Cycles);
    };
    EXPECT_LE(cycles(program), cycles(alone)) << preset;
    less += program.made_for.empty() ? 0 : 1;
  }
  EXPECT_GT(less, 0U);
}

// Whatever the array's sides: pixels of 40 channels begin new atoms, kernel groups need not.
TEST(Best, KeepsOnArraysOfAnyShape) {
  for (const auto& [atomic_c, atomic_k] : {std::pair{8U, 16U}, {16U, 8U}, {24U, 16U}, {12U, 10U}}) {
    SCOPED_TRACE(fmt::format("{} x {}", atomic_c, atomic_k));
    Hardware hardware = hardware_preset("medium");
    hardware.atomic_c = atomic_c;
    hardware.atomic_k = atomic_k;
    hardware.post_lanes = 8;
    hardware.cbuf_capacity = std::uint64_t{atomic_c} * hardware.cbuf_banks * 512;
    hardware.cbuf_size = hardware.cbuf_capacity;
    ASSERT_EQ(hardware_problem(hardware), "");
    Policy policy;
    policy.name = PolicyName::Best;
    const Network network = import_yaml(
        "layers:\n  - conv2d: {in: [6, 6, 16], out_channels: 40, kernel: 1}\n"
        "  - depthwise_conv2d: {kernel: 3, padding: same}\n"
        "  - conv2d: {out_channels: 16, kernel: 1}\n",
        "oblong.yaml", 1);
    const Program program = compile(network, hardware, policy);
    EXPECT_TRUE(check_program(program).empty());
    for (const std::size_t layer : {0U, 1U}) {
      EXPECT_TRUE(program.layers[layer].pass.value().ofmap_kept);
      EXPECT_FALSE(program.layers[layer].pass.value().ofmap_stored);
    }
  }
}

}  // namespace
}  // namespace tessera

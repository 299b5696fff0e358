// Cycle counts of the RTL: exact, so that every change of them shows.
#include <gtest/gtest.h>

#include <numeric>

#include "input/read_file.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tests/rtl/conformance.hpp"
#include "tests/rtl/test_bench.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

test::Outcome run(const Network& network, const char* preset,
                  PolicyName name = PolicyName::FirstFit) {
  Policy policy;
  policy.name = name;
  policy.memory = ExternalMemory{8.0, 64};
  test::Outcome outcome = test::conform(network, hardware_preset(preset), policy,
                                        test::seeded_inputs(network, 1), policy.memory);
  EXPECT_EQ(outcome.problem, "");
  return outcome;
}

std::uint64_t cycles_of(const test::Outcome& outcome) {
  return counter(outcome.result.totals, isa::Counter::Cycles);
}

// NVDLA's nv_small, with 64 MACs and a 64-bit bus as well, took 78 774 and 77 026 cycles for these
// two (Verilated RTL, from start to the last write).
TEST(Cycles, FiveByFiveWithUnequalStridesOnSmall) {
  const Network network = import_yaml(
      "layers: [{conv2d: {in: [33, 24, 55], kernel: 5, stride: [3, 4], out_channels: 25, padding: "
      "[2, 2, 3, 3]}}]",
      "a.yaml", 1);
  ASSERT_EQ(network.tensors[static_cast<std::size_t>(network.outputs[0])].shape,
            (std::vector<std::int32_t>{1, 12, 7, 25}));
  const std::uint64_t cycles = cycles_of(run(network, "small"));
  EXPECT_LT(cycles, 78774U);
  EXPECT_EQ(cycles, 67809U);
}

TEST(Cycles, ThreeByThreeOf128ChannelsOnSmall) {
  const Network network = import_yaml(
      "layers: [{conv2d: {in: [16, 8, 128], kernel: 3, out_channels: 32, padding: [1, 0, 2, 1]}}]",
      "b.yaml", 1);
  ASSERT_EQ(network.tensors[static_cast<std::size_t>(network.outputs[0])].shape,
            (std::vector<std::int32_t>{1, 17, 7, 32}));
  const std::uint64_t cycles = cycles_of(run(network, "small"));
  EXPECT_LT(cycles, 77026U);
  EXPECT_EQ(cycles, 75186U);
}

TEST(LongCycles, ThreeByThreeLayersOfResnet18OnMedium) {
  TESSERA_NEEDS_SHARED();
  const auto table = read_file(test::shared_dir() + "/benchmarks/topologies/Resnet18.csv");
  std::istringstream lines(std::string(table.begin(), table.end()));
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (kept.empty() || line.find(",3,3,") != std::string::npos) {
      kept += line + "\n";
    }
  }
  const test::Outcome outcome = run(import_csv(kept, "Resnet18 3x3", 1), "medium");
  ASSERT_EQ(outcome.program.layers.size(), 16U);
  const std::uint64_t busy = counter(outcome.result.totals, isa::Counter::ArrayBusy);
  EXPECT_GE(static_cast<double>(busy) / static_cast<double>(cycles_of(outcome)), 0.75);
  EXPECT_EQ(cycles_of(outcome), 5566715U);
}

// A 3x3 window takes 9 x atomic_c MACs per cycle; what is missing are padding and the first rows.
TEST(Cycles, DepthwiseOnMedium) {
  const Network network = import_yaml(
      "layers: [{depthwise_conv2d: {in: [112, 112, 32], kernel: 3, padding: same}}]", "d.yaml", 1);
  const test::Outcome outcome = run(network, "medium");
  const std::uint64_t busy = counter(outcome.result.totals, isa::Counter::ArrayBusy);
  EXPECT_EQ(busy, 2U * 114 * 114);  // two groups of 16 channels, each pixel and its padding once
  EXPECT_GE(static_cast<double>(outcome.program.layers[0].macs) / static_cast<double>(busy),
            0.96 * 9 * 16);
}

TEST(Cycles, OfResnet8) {
  TESSERA_NEEDS_SHARED();
  const Network network = load_network(test::shared_dir() + "/models/ic_resnet8/model.tflite", 1);
  EXPECT_EQ(cycles_of(run(network, "small")), 205986U);
  EXPECT_EQ(cycles_of(run(network, "medium")), 63772U);
}

struct Inference {
  const char* model;
  std::uint64_t cycles, arena;
};

void PrintTo(const Inference& inference, std::ostream* out) {
  *out << inference.model;
}

class CyclesWithPolicyBest : public testing::TestWithParam<Inference> {};

// Inference from the first command to the last write. Arm's estimates for an Ethos-U55 with as many
// MACs are 104 577, 47 980, 184 121 and 58 847 cycles for the array alone.
TEST_P(CyclesWithPolicyBest, OfAModel) {
  TESSERA_NEEDS_SHARED();
  const Network network =
      load_network(test::shared_dir() + "/models/" + GetParam().model + "/model.tflite", 1);
  const test::Outcome outcome = run(network, "medium", PolicyName::Best);
  EXPECT_EQ(cycles_of(outcome), GetParam().cycles);
  EXPECT_EQ(outcome.program.arena_bytes(), GetParam().arena);
}

INSTANTIATE_TEST_SUITE_P(Models, CyclesWithPolicyBest,
                         testing::Values(Inference{"ic_resnet8", 53490, 16384},
                                         Inference{"kws_dscnn", 15702, 512},
                                         Inference{"person_detect", 50203, 9216},
                                         Inference{"ad_autoencoder", 26551, 640}),
                         [](const auto& instance) { return std::string(instance.param.model); });

// Nine tenths of the array at work on a first layer: 7 x 7 taps of 3 channels fill 147 of ten times
// 16 lanes. Four kernel groups leave the loads enough time.
TEST(Cycles, OfFirstLayersWithFewChannels) {
  const struct {
    const char* layer;
    std::uint64_t busy;
    double share;
  } cases[] = {
      {"in: [112, 112, 3], out_channels: 64, kernel: 7, stride: 2", 125440, 0.9},
      {"in: [64, 64, 3], out_channels: 32, kernel: 3, stride: 2", 4096, 0.5},
      {"in: [64, 64, 1], out_channels: 32, kernel: 3, stride: 1", 8192, 0.5},
      {"in: [64, 64, 2], out_channels: 32, kernel: 3, stride: 1", 16384, 0.5},
      {"in: [64, 64, 4], out_channels: 32, kernel: 3, stride: 1", 24576, 0.5},
      {"in: [64, 64, 1], out_channels: 32, kernel: 5, stride: 1", 16384, 0.5},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.layer);
    const Network network = import_yaml(
        std::string("layers: [{conv2d: {") + c.layer + ", padding: same}}]", "first.yaml", 1);
    const test::Outcome outcome = run(network, "medium");
    const std::uint64_t busy = counter(outcome.result.totals, isa::Counter::ArrayBusy);
    EXPECT_EQ(busy, c.busy);
    EXPECT_GE(static_cast<double>(outcome.program.layers[0].macs) / 256,
              c.share * static_cast<double>(busy));
  }
}

// Its first blocks run row by row. The estimate for the same Ethos-U55 is 3 616 954 cycles for the
// array alone.
TEST(LongCycles, OfMobileNetV2WithPolicyBest) {
  const Network network = load_network(TESSERA_SOURCE_DIR "/configs/networks/mobilenet_v2.yaml", 1);
  const test::Outcome outcome = run(network, "medium", PolicyName::Best);
  EXPECT_LE(cycles_of(outcome), 1650000U);
  EXPECT_EQ(cycles_of(outcome), 1626493U);
}

TEST(Traffic, CountedByTheRtlIsWhatTheScheduleSays) {
  const Network network = load_network(TESSERA_SOURCE_DIR "/configs/networks/lenet5.yaml", 1);
  const test::Outcome outcome = run(network, "tiny");
  for (std::size_t i = 0; i < network.operators.size(); ++i) {
    const LayerRecord& layer = outcome.program.layers[i];
    if (!layer.pass) {
      continue;
    }
    const Counters& counters = outcome.result.layers[i].counters;
    EXPECT_EQ(read_bytes(counters) - counter(counters, isa::Counter::ReadCommandBytes),
              layer.traffic.read_bytes);
    EXPECT_EQ(counter(counters, isa::Counter::WriteBytes), layer.traffic.write_bytes);
  }
}

TEST(Bus, BurstsReach256BeatsAndSeveralReadsAreOutstanding) {
  test::TestBench bench("tiny");
  isa::Load load;
  bench.run(test::encode_all(
      {isa::LdSource{2, 4}, isa::LdShape{16000, 1, 1}, isa::LdStride{}, load, isa::End{}}));
  EXPECT_EQ(bench.device.bus_rules().longest_burst(), 256U);
  EXPECT_GT(bench.device.bus_rules().most_reads_outstanding(), 4U);
}

TEST(Bus, LoadsMoveABeatPerCycle) {
  test::TestBench bench("small");
  isa::Load load;
  bench.run(test::encode_all(
      {isa::LdSource{3, 8}, isa::LdShape{16384, 1, 1}, isa::LdStride{}, load, isa::End{}}));
  // 2049 beats, latency 64 for commands and for data.
  EXPECT_LT(bench.device.cycles(), 2049U + 2 * 64 + 100);
}

}  // namespace
}  // namespace tessera

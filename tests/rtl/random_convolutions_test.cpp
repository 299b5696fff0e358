// Random convolutions in every mode, on slow and stuttering memory, against the reference kernels.
// A failing case prints the configuration and the network that repeat it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tests/draws.hpp"
#include "tests/rtl/random_layers.hpp"
#include "tests/setups.hpp"

namespace tessera {
namespace {

using test::Kind;

using Parameters = std::tuple<std::string, std::string>;

// `large` takes the simulator many times as long as the others.
void check(const Parameters& parameters, Kind kind) {
  const auto& [preset, mode] = parameters;
  test::expect_always(preset == "large" ? 2 : 5, [&preset = preset, &mode = mode, kind] {
    test::run_case(test::draw_convolution(preset, mode, kind));
  });
}

std::string preset_and_mode(const testing::TestParamInfo<Parameters>& parameters) {
  std::string name =
      fmt::format("{}_{}", std::get<0>(parameters.param), std::get<1>(parameters.param));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

const auto kModes =
    testing::Values("auto", "direct", "ping-pong", "wait", "split-channels", "split-spatial",
                    "split-both", "least-traffic", "fewest-cycles");

class RandomConvolutions : public testing::TestWithParam<Parameters> {};

TEST_P(RandomConvolutions, EqualTheReference) {
  check(GetParam(), Kind::Convolution);
}

// Each mode on all presets but the two that take the simulator longest.
INSTANTIATE_TEST_SUITE_P(Modes, RandomConvolutions,
                         testing::Combine(testing::Values("micro", "nano", "tiny", "small"),
                                          kModes),
                         preset_and_mode);
INSTANTIATE_TEST_SUITE_P(Best, RandomConvolutions,
                         testing::Combine(testing::Values("tiny", "small"),
                                          testing::Values("fewest-cycles")),
                         preset_and_mode);

class RandomDepthwise : public testing::TestWithParam<Parameters> {};

TEST_P(RandomDepthwise, EqualTheReference) {
  check(GetParam(), Kind::Depthwise);
}

// All presets: each has a window of another shape.
INSTANTIATE_TEST_SUITE_P(Modes, RandomDepthwise,
                         testing::Combine(testing::Values("tiny", "small", "medium", "large"),
                                          kModes),
                         preset_and_mode);
// Without a window each pass has one atom of channels: nothing to cut.
INSTANTIATE_TEST_SUITE_P(WithoutWindow, RandomDepthwise,
                         testing::Combine(testing::Values("nano"),
                                          testing::Values("auto", "direct", "ping-pong", "wait",
                                                          "split-spatial", "least-traffic",
                                                          "fewest-cycles")),
                         preset_and_mode);

class RandomAveragePools : public testing::TestWithParam<Parameters> {};

TEST_P(RandomAveragePools, EqualTheReference) {
  check(GetParam(), Kind::AveragePool);
}

INSTANTIATE_TEST_SUITE_P(Modes, RandomAveragePools,
                         testing::Combine(testing::Values("tiny", "small", "medium"),
                                          testing::Values("auto", "split-both")),
                         preset_and_mode);

class RandomMaximumPools : public testing::TestWithParam<Parameters> {};

TEST_P(RandomMaximumPools, EqualTheReference) {
  check(GetParam(), Kind::MaximumPool);
}

INSTANTIATE_TEST_SUITE_P(Modes, RandomMaximumPools,
                         testing::Combine(testing::Values("tiny", "small", "medium"),
                                          testing::Values("auto", "split-both")),
                         preset_and_mode);

// Kernel rows that share atoms, in one and in several of them, with padding above, below and
// beside.
TEST(FoldedConvolutions, EqualTheReference) {
  std::string listings;
  for (const char* preset : {"small", "medium"}) {
    for (const char* layer :
         {"in: [13, 9, 1], kernel: 3", "in: [13, 9, 1], kernel: [7, 2]",
          "in: [14, 11, 1], kernel: 5", "in: [9, 12, 2], kernel: [5, 3], stride: 2",
          "in: [12, 12, 3], kernel: 7, stride: [2, 3]",
          "in: [25, 10, 1], kernel: [10, 4], stride: 2", "in: [11, 10, 3], kernel: [3, 2]"}) {
      const std::string layers =
          fmt::format("layers: [{{conv2d: {{{}, out_channels: 20, padding: same}}}}]", layer);
      SCOPED_TRACE(std::string(preset) + ": " + layers);
      const Network network = import_yaml(layers, "folded.yaml", 1);
      const auto outcome = test::conform(network, hardware_preset(preset), {},
                                         test::seeded_inputs(network, 1), ExternalMemory{});
      EXPECT_EQ(outcome.problem, "");
      const std::string listing = disassemble(outcome.program);
      EXPECT_NE(listing.find("LD_FOLD"), std::string::npos);
      listings += listing;
    }
  }
  EXPECT_NE(listings.find("unit_step=2"), std::string::npos) << "pixels of several atoms";
  EXPECT_NE(listings.find("blank=1"), std::string::npos) << "rows outside the picture";
}

// Sums of so many products that biases need all their bits: parameters of 12 bytes.
TEST(WideBiases, EqualTheReference) {
  for (const char* preset : {"tiny", "small"}) {
    const Network network = import_yaml(
        "inputs: {x: {shape: [1, 1, 1, 9000], scale: 0.02, zero_point: -128}}\n"
        "layers: [{conv2d: {from: x, out_channels: 5, kernel: 1}}]",
        "wide.yaml", 1);
    const auto outcome = test::conform(network, hardware_preset(preset), {},
                                       test::seeded_inputs(network, 1), ExternalMemory{});
    EXPECT_EQ(outcome.problem, "") << preset;
    EXPECT_NE(disassemble(outcome.program).find("pixel_bytes=12"), std::string::npos);
  }
}

// Tiles that go on where the one above stopped need more rows than the random layers have.
TEST(TallDepthwise, ResumesInEveryStride) {
  for (const int kernel : {2, 3}) {
    // Larger strides make two narrow strips of one tile each the better cut.
    for (int stride = 1; stride <= kernel; ++stride) {
      const std::string layers = fmt::format(
          "layers: [{{depthwise_conv2d: {{in: [{}, {}, 20], kernel: {}, stride: {}, padding: "
          "same}}}}]",
          33 * stride, 9 * stride, kernel, stride);
      SCOPED_TRACE(layers);
      const Network network = import_yaml(layers, "tall.yaml", 1);
      const auto outcome = test::conform(network, hardware_preset("medium"), {},
                                         test::seeded_inputs(network, 1), ExternalMemory{});
      EXPECT_EQ(outcome.problem, "");
      EXPECT_NE(disassemble(outcome.program).find("resume=1"), std::string::npos);
    }
  }
}

// A layer of which the objective traffic makes this tiling.
struct Tiling {
  const char* layer;
  std::uint64_t cbuf;
  const char* mode;
  bool feature_resident, blocks, whole;
};

test::Outcome expect_tiling(const Tiling& c) {
  const std::string layers = fmt::format("layers: [{{conv2d: {{{}}}}}]", c.layer);
  SCOPED_TRACE(layers);
  const Network network = import_yaml(layers, "tiles.yaml", 1);
  test::Outcome outcome =
      test::conform(network, test::hardware_with("small", c.cbuf),
                    test::best_for(Objective::Traffic), test::seeded_inputs(network, 1), {});
  EXPECT_EQ(outcome.problem, "");
  const PassRecord& pass = outcome.program.layers[0].pass.value();
  EXPECT_EQ(pass.long_name(), c.mode);
  const auto* resident = std::get_if<ResidentIfmap>(&pass.strategy);
  const bool blocks = std::holds_alternative<SumBlocks>(pass.strategy);
  EXPECT_EQ(resident != nullptr, c.feature_resident);
  EXPECT_EQ(blocks, c.blocks);
  EXPECT_EQ(blocks || (resident != nullptr && resident->whole_accumulators), c.whole);
  return outcome;
}

// Each kind of tile that the objective traffic knows beyond the published rules.
TEST(LeastTraffic, EveryTilingEqualsTheReference) {
  const Tiling cases[] = {
      {"in: [12, 12, 64], out_channels: 48, kernel: 3, padding: same", 10240, "split c8 (wait)",
       true, false, false},
      {"in: [20, 20, 32], out_channels: 80, kernel: 3, padding: same", 14336, "split c4 (wait)",
       true, false, true},
      {"in: [16, 16, 160], out_channels: 64, kernel: 3, padding: same", 6144, "split c20 (direct)",
       false, true, true},
      {"in: [40, 41, 3], out_channels: 24, kernel: 5, stride: 2, padding: same", 4096,
       "split, 1 row at once", false, false, false},
      {"in: [40, 24, 32], out_channels: 64, kernel: 3, padding: same", 14336,
       "split k2, 2 rows at once", false, false, false},
  };
  for (const Tiling& c : cases) {
    expect_tiling(c);
  }
  const test::Outcome strided =
      expect_tiling({"in: [19, 21, 40], out_channels: 40, kernel: 1, stride: 2", 5120,
                     "split, 4 rows at once", false, false, false});
  EXPECT_EQ(counter(strided.result.totals, isa::Counter::ReadFeatureBytes), 10U * 11 * 40)
      << "only the pixels that are read";
}

TEST(LongLeastTraffic, LargerTilingsEqualTheReference) {
  const Tiling cases[] = {
      {"in: [40, 64, 32], out_channels: 64, kernel: 3, padding: same", 14336,
       "split k2 1x2, 1 row at once", false, false, false},
      {"in: [40, 12, 64], out_channels: 128, kernel: 3, padding: same", 14336,
       "split c4 3x1 (wait, rolling)", true, false, false},
      {"in: [60, 40, 8], out_channels: 160, kernel: 9, padding: same", 20000,
       "split 2x1 (wait, rolling)", false, false, false},
  };
  for (const Tiling& c : cases) {
    expect_tiling(c);
  }
}

// Windows of the last row and column lie beside the picture.
TEST(LeastTraffic, OfPointwiseStridesIsThePixelsThatAreRead) {
  const Network network = import_yaml(
      "layers: [{conv2d: {in: [14, 12, 24], out_channels: 40, kernel: 1, stride: 2, padding: "
      "[0, 0, 1, 1]}}]",
      "strides.yaml", 1);
  Policy policy = test::best_for(Objective::Traffic);
  const auto outcome = test::conform(network, hardware_preset("small"), policy,
                                     test::seeded_inputs(network, 1), ExternalMemory{});
  EXPECT_EQ(outcome.problem, "");
  EXPECT_EQ(outcome.program.layers[0].output_shape, (std::vector<std::int32_t>{1, 8, 7, 40}));
  EXPECT_EQ(counter(outcome.result.totals, isa::Counter::ReadFeatureBytes), 7U * 6 * 24);
}

// What `best` tries beyond the published rules for fewer cycles, each in a layer where it pays.
TEST(FewestCycles, EveryVariantEqualsTheReference) {
  const char* const kSideBySide = "output columns side by side";
  const char* const kEarly = "work begins with the first channels";
  const struct {
    const char* layers;
    const char* reason;
    std::uint32_t macs_per_cycle;  // more than
  } cases[] = {
      {"layers: [{conv2d: {in: [16, 24, 40], out_channels: 1, kernel: 3, padding: same}}]",
       kSideBySide, 10},
      {"layers: [{conv2d: {in: [17, 30, 20], out_channels: 3, kernel: [4, 5], stride: [2, 1], "
       "dilation: [2, 1], padding: same}}]",
       kSideBySide, 20},
      // An addition rides on it.
      {"inputs: {x: {shape: [1, 12, 20, 40]}, y: {shape: [1, 12, 20, 2]}}\n"
       "layers: [{conv2d: {from: x, out_channels: 2, kernel: 3, padding: same}}, "
       "{add: {from: [conv2d_0, y]}}]",
       kSideBySide, 20},
      {"layers: [{conv2d: {in: [9, 9, 128], out_channels: 8, kernel: 3, padding: same}}]", kEarly,
       48},
  };
  Policy policy;
  policy.name = PolicyName::Best;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.layers);
    const Network network = import_yaml(c.layers, "variants.yaml", 1);
    const auto outcome = test::conform(network, hardware_preset("small"), policy,
                                       test::seeded_inputs(network, 1), ExternalMemory{});
    EXPECT_EQ(outcome.problem, "");
    const LayerRecord& layer = outcome.program.layers[0];
    EXPECT_NE(layer.pass.value().explanation.reason.find(c.reason), std::string::npos)
        << layer.pass->long_name() << ": " << layer.pass->explanation.reason;
    EXPECT_GT(layer.macs, counter(outcome.result.totals, isa::Counter::Cycles) * c.macs_per_cycle);
  }
}

}  // namespace
}  // namespace tessera

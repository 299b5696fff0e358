// The published rules, at their borders.
#include <gtest/gtest.h>

#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tessera/schedule.hpp"
#include "tests/setups.hpp"

namespace tessera {
namespace {

// 10x10x16 features (1600 bytes), 24 kernels of 3x3x16 (3456 bytes, a group of 8 is 1152).
ConvShape layer() {
  ConvShape shape;
  shape.name = "layer";
  shape.in_h = shape.in_w = 10;
  shape.in_c = 16;
  shape.out_h = shape.out_w = 8;
  shape.out_c = 24;
  shape.kernel_h = shape.kernel_w = 3;
  return shape;
}

std::string mode_at(std::uint64_t cbuf, const Policy& policy = {}) {
  return long_name(decide_layer(layer(), test::hardware_with("small", cbuf), policy).strategy);
}

TEST(FirstFit, SizesAreThoseOfTheBuffer) {
  const BufferSizes sizes =
      decide_layer(layer(), test::hardware_with("small", 131072), {}).explanation.sizes;
  EXPECT_EQ(sizes.total_feature, 1600U);
  EXPECT_EQ(sizes.total_weight, 3456U);
  EXPECT_EQ(sizes.min_weight, 1152U);
  ConvShape narrow = layer();
  narrow.in_c = 3;  // filled up to an atom of 8
  narrow.out_c = 5;
  const BufferSizes padded =
      decide_layer(narrow, test::hardware_with("small", 131072), {}).explanation.sizes;
  EXPECT_EQ(padded.total_feature, 800U);
  EXPECT_EQ(padded.total_weight, 9U * 8 * 5);
  EXPECT_EQ(padded.min_weight, 9U * 8 * 5);
}

TEST(FirstFit, TakesTheFirstRuleThatHoldsExactlyAtItsBorder) {
  EXPECT_EQ(mode_at(3456 + 1600), "direct");
  EXPECT_EQ(mode_at(3456 + 1600 - 8), "ping-pong");
  EXPECT_EQ(mode_at(2 * 1152 + 1600), "ping-pong");
  EXPECT_EQ(mode_at(2 * 1152 + 1600 - 8), "wait");
  EXPECT_EQ(mode_at(1152 + 1600), "wait");
  EXPECT_EQ(mode_at(1152 + 1600 - 8).substr(0, 5), "split");
}

TEST(FirstFit, ChannelSplitTakesTheSmallestNumberOfPartsThatFit) {
  Policy policy;
  policy.split = SplitChoice::Channels;
  // Two parts of one atom each: 800 + 576 bytes, all weights of a part 1728.
  EXPECT_EQ(mode_at(2744, policy), "split c2 (direct)");
  EXPECT_EQ(mode_at(800 + 2 * 576, policy), "split c2 (ping-pong)");
  EXPECT_EQ(mode_at(800 + 576, policy), "split c2 (wait)");
}

TEST(FirstFit, SpatialSplitTakesTheFewestTiles) {
  Policy policy;
  policy.split = SplitChoice::Spatial;
  // Two tiles of 4 output rows read 6 input rows: 960 + 1152 bytes.
  EXPECT_EQ(mode_at(960 + 1152, policy), "split 2x1 (wait)");
  // Three tiles (3, 3, 2 rows) read 5 rows: 800 + 1152 bytes.
  EXPECT_EQ(mode_at(800 + 1152, policy), "split 3x1 (wait)");
}

TEST(FirstFit, CutsChannelsAndSpaceWhenNeitherIsEnough) {
  const Strategy strategy = decide_layer(layer(), test::hardware_with("small", 800), {}).strategy;
  EXPECT_GT(channel_parts(strategy), 1U);
  EXPECT_GT(grid_of(strategy).tiles(), 1U);
}

TEST(FirstFit, AutomaticSplitHasTheSmallerTraffic) {
  for (std::uint64_t cbuf = 1400; cbuf < 2752; cbuf += 8) {
    const Hardware hw = test::hardware_with("small", cbuf);
    const auto bytes = [&](SplitChoice choice) {
      Policy policy;
      policy.split = choice;
      const Traffic traffic = traffic_of(layer(), hw, decide_layer(layer(), hw, policy).strategy);
      return traffic.read_bytes + traffic.write_bytes;
    };
    EXPECT_EQ(bytes(SplitChoice::Auto),
              std::min(bytes(SplitChoice::Channels), bytes(SplitChoice::Spatial)))
        << cbuf;
  }
}

TEST(FirstFit, NamesTheSmallestNeedWhenNothingFits) {
  // One output pixel of one atom: 9 * 8 feature bytes and a group's 9 * 8 * 8 weight bytes.
  EXPECT_NO_THROW(decide_layer(layer(), test::hardware_with("small", 648), {}));
  try {
    decide_layer(layer(), test::hardware_with("small", 640), {});
    FAIL() << "640 bytes are not enough";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("`layer`"), std::string::npos);
    EXPECT_NE(text.find("needs 648 bytes, the cbuf has 640"), std::string::npos) << text;
  }
}

TEST(FirstFit, TraceHoldsEveryInequalityUpToTheFirstThatHolds) {
  const Explanation decision =
      decide_layer(layer(), test::hardware_with("small", 2 * 1152 + 1600 - 8), {}).explanation;
  ASSERT_EQ(decision.trace.size(), 3U);
  EXPECT_FALSE(decision.trace[0].holds);
  EXPECT_EQ(decision.trace[0].numbers, "3456 + 1600 = 5056 > 3896");
  EXPECT_EQ(decision.trace[1].numbers, "2 * 1152 + 1600 = 3904 > 3896");
  EXPECT_EQ(decision.trace[2].numbers, "1152 + 1600 = 2752 <= 3896");
  EXPECT_TRUE(decision.trace[2].holds);
}

TEST(FirstFit, TraceHasTheSplitsThatMayBeTakenOnly) {
  const auto rules = [](SplitChoice choice) {
    Policy policy;
    policy.split = choice;
    std::vector<std::string> result;
    for (const Inequality& line :
         decide_layer(layer(), test::hardware_with("small", 2200), policy).explanation.trace) {
      result.push_back(line.rule);
    }
    return result;
  };
  std::vector<std::string> unsplit = {"direct", "ping-pong", "wait"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), unsplit.begin(), unsplit.end());
    return more;
  };
  EXPECT_EQ(rules(SplitChoice::Auto), with({"split by channels", "split by height and width"}));
  EXPECT_EQ(rules(SplitChoice::Channels), with({"split by channels"}));
  EXPECT_EQ(rules(SplitChoice::Spatial), with({"split by height and width"}));
}

TEST(ForcedMode, TakesTheModeOrRefuses) {
  Policy policy;
  policy.mode = ForcedMode::Wait;
  EXPECT_EQ(mode_at(131072, policy), "wait");
  policy.mode = ForcedMode::SplitSpatial;
  EXPECT_EQ(mode_at(131072, policy), "split 2x1 (direct)");
  policy.mode = ForcedMode::SplitChannels;
  EXPECT_EQ(mode_at(131072, policy), "split c2 (direct)");
  policy.mode = ForcedMode::SplitBoth;
  EXPECT_EQ(mode_at(131072, policy), "split c2 2x1 (direct)");
  policy.mode = ForcedMode::Direct;
  EXPECT_THROW(mode_at(3456, policy), InputError);
}

// Cuts of both kinds are looked at until more channel parts alone would be more pieces than the
// best has: here sixteen parts of five bands come behind eight parts of sixteen tiles.
TEST(FirstFit, CutsOfBothKindsAreLookedAtToTheEnd) {
  ConvShape shape;
  shape.name = "both";
  shape.in_h = shape.out_h = 41;
  shape.in_w = shape.out_w = 22;
  shape.in_c = 128;
  shape.out_c = 16;
  shape.kernel_h = shape.kernel_w = 3;
  shape.pad_top = shape.pad_left = 1;
  EXPECT_EQ(long_name(decide_layer(shape, test::hardware_with("small", 2560), {}).strategy),
            "split c16 5x1 (wait)");
}

}  // namespace
}  // namespace tessera

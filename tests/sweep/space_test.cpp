// What a sweep varies, from the command line.
#include "sweep/space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tessera/error.hpp"

namespace tessera::sweep {
namespace {

using Values = std::vector<std::string>;

SpaceRequest request() {
  SpaceRequest r;
  r.config = TESSERA_SOURCE_DIR "/configs/npu.yaml";
  return r;
}

std::string refusal(const SpaceRequest& r) {
  try {
    make_space(r);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Space, RangesDoubleOrStep) {
  EXPECT_EQ(expand_range("16KiB..128KiB", ""), (Values{"16KiB", "32KiB", "64KiB", "128KiB"}));
  EXPECT_EQ(expand_range("512 KiB..2 MiB", ""), (Values{"512KiB", "1MiB", "2MiB"}));
  EXPECT_EQ(expand_range("16KiB..100KiB", ""), (Values{"16KiB", "32KiB", "64KiB"}));
  EXPECT_EQ(expand_range("16KiB..40KiB:12KiB", ""), (Values{"16KiB", "28KiB", "40KiB"}));
  EXPECT_EQ(expand_range("1..8", ""), (Values{"1", "2", "4", "8"}));
  EXPECT_EQ(expand_range("4..4", ""), (Values{"4"}));
  EXPECT_EQ(expand_range("../model.tflite", ""), (Values{"../model.tflite"}));
  EXPECT_EQ(expand_range("best", ""), (Values{"best"}));
  for (const char* bad : {"8..4", "0..4", "1..x", "1..4:0", "1..4000000000:1"}) {
    EXPECT_THROW(expand_range(bad, "--cbuf"), InputError) << bad;
  }
}

TEST(Space, ListsAreSplitOutsideOfBracketsAndQuotes) {
  EXPECT_EQ(split_list("a, b ,c"), (Values{"a", "b", "c"}));
  EXPECT_EQ(split_list("{a: 1, b: 2},{a: 3}"), (Values{"{a: 1, b: 2}", "{a: 3}"}));
  EXPECT_EQ(split_list("[1, [2, 3]],\"x,y\",'z,'"), (Values{"[1, [2, 3]]", "\"x,y\"", "'z,'"}));
}

TEST(Space, SizesVaryFastestAndInOrder) {
  SpaceRequest r = request();
  r.cbuf = "64KiB,16KiB";
  r.networks = {"lenet5,alexnet"};
  r.sets = {"memory.latency=10,20", "seed=3"};
  const Space space = make_space(r);
  ASSERT_EQ(space.points(), 8U);
  EXPECT_EQ(space.fixed, Values{"seed=3"});
  EXPECT_EQ(space.axes.back().values, (Values{"16KiB", "64KiB"}));
  EXPECT_EQ(space.values(1), (Values{space.axes[0].values[0], "10", "64KiB"}));
  EXPECT_EQ(space.values(2), (Values{space.axes[0].values[0], "20", "16KiB"}));
  EXPECT_EQ(space.largest_cbuf(2), 3U);
  EXPECT_EQ(space.largest_cbuf(3), 3U);
}

TEST(Space, PresetsComeBeforeTheirValues) {
  SpaceRequest r = request();
  r.sets = {"hardware.cbuf.banks=4,8", "hardware=small,medium", "hardware.accumulators=256"};
  EXPECT_EQ(make_space(r).overrides(3),
            (Values{"hardware=medium", "hardware.accumulators=256", "hardware.cbuf.banks=8"}));
}

TEST(Space, MistakesAreNamed) {
  SpaceRequest r = request();
  r.cbuf = "16KiB,16384";
  EXPECT_EQ(refusal(r), "--cbuf: `16KiB` is there twice");
  r = request();
  r.sets = {"memory.latency=1,1"};
  EXPECT_EQ(refusal(r), "--set memory.latency: `1` is there twice");
  r.sets = {"memory.latency=1,2", "memory.latency=3"};
  EXPECT_EQ(refusal(r), "`memory.latency` is given twice");
  r.sets = {"memory.latency"};
  EXPECT_EQ(refusal(r), "--set memory.latency: write path.to.key=a,b,c");
  r.sets = {"a=1..1000000:1", "b=1,2"};
  EXPECT_EQ(refusal(r), "more than 1000000 points");
  r = request();
  r.cbuf = "big";
  EXPECT_NE(refusal(r).find("`big` is not a size"), std::string::npos);
}

std::string listed(const std::string& json) {
  // Tests run at the same time.
  const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string path = testing::TempDir() + "/tessera_" + test + ".json";
  std::ofstream(path) << json;
  return path;
}

TEST(Space, PointsAreListedOneByOne) {
  SpaceRequest r = request();
  r.networks = {"lenet5"};
  r.points = listed(R"([
    {"hardware": "small", "hardware.cbuf.size": "32KiB"},
    {"hardware": "tiny"},
    {"hardware.cbuf.size": 8192, "hardware": "small"}])");
  const Space space = make_space(r);
  ASSERT_EQ(space.points(), 3U);
  // Those that differ in the cbuf's size alone lie side by side, the smallest first.
  const auto size_of = [&](std::size_t point) { return space.overrides(point).rbegin()[1]; };
  EXPECT_EQ(size_of(0), "hardware.cbuf.size=8KiB");
  EXPECT_EQ(size_of(1), "hardware.cbuf.size=32KiB");
  EXPECT_EQ(space.overrides(1).back(), "hardware.cbuf.capacity=auto");
  EXPECT_EQ(space.overrides(2).front(), "hardware=tiny");
  EXPECT_TRUE(space.on_one_curve(0, 1));
  EXPECT_FALSE(space.on_one_curve(1, 2));
  EXPECT_EQ(space.largest_cbuf(0), 1U);
  EXPECT_EQ(space.largest_cbuf(2), 2U);
}

TEST(Space, SizesAreBuiltUnlessTheyAreLimitsOrTheCapacityIsGiven) {
  SpaceRequest r = request();
  r.networks = {"lenet5"};
  r.cbuf = "8KiB,16KiB";
  const auto says_built = [](const SpaceRequest& asked) {
    const auto sets = make_space(asked).overrides(0);
    return std::find(sets.begin(), sets.end(), "hardware.cbuf.capacity=auto") != sets.end();
  };
  EXPECT_TRUE(says_built(r));
  r.limits = true;
  EXPECT_FALSE(says_built(r));
  r.limits = false;
  r.sets = {"hardware.cbuf.capacity=128KiB"};
  EXPECT_FALSE(says_built(r));
  r.sets = {"hardware.cbuf.capacity=64KiB,128KiB"};
  EXPECT_FALSE(says_built(r));
}

TEST(Space, MistakesInAListAreNamed) {
  const auto refusal_of = [](const std::string& json) {
    SpaceRequest r = request();
    r.fixed = {"seed=2"};
    r.points = listed(json);
    return refusal(r);
  };
  EXPECT_NE(refusal_of("[]").find("list of 1 to"), std::string::npos);
  EXPECT_NE(refusal_of(R"([{"hardware": "small", "hardware": "tiny"}])")
                .find("key `hardware` is there twice in a point"),
            std::string::npos);
  EXPECT_NE(refusal_of("{").find("tessera_MistakesInAListAreNamed.json"), std::string::npos);
  EXPECT_NE(refusal_of("[1]").find("point 0 must be a map"), std::string::npos);
  EXPECT_NE(refusal_of(R"([{"a": 1}, {"a": 1}])").find("point 1 is the same as point 0"),
            std::string::npos);
  EXPECT_NE(refusal_of(R"([{"a": null}])").find("`a` has no value"), std::string::npos);
  EXPECT_NE(refusal_of(R"([{"seed": 1}])").find("`seed` is given for all points"),
            std::string::npos);
  EXPECT_NE(refusal_of(R"([{"network": "nix"}])").find("network `nix`"), std::string::npos);
  SpaceRequest r = request();
  r.cbuf = "8KiB,16KiB";
  r.points = listed(R"([{"hardware": "tiny"}])");
  EXPECT_NE(refusal(r).find("may have one value"), std::string::npos);
}

TEST(Shard, EveryPointIsInExactlyOne) {
  for (std::size_t count : {1U, 2U, 3U, 7U}) {
    for (std::size_t point = 0; point < 20; ++point) {
      std::size_t owners = 0;
      for (std::size_t i = 1; i <= count; ++i) {
        owners += Shard{i, count}.has(point) ? 1 : 0;
      }
      EXPECT_EQ(owners, 1U);
    }
  }
  EXPECT_EQ(parse_shard("2/3").number, 2U);
  for (const char* bad : {"0/3", "4/3", "1", "1/", "/2", "a/b", "1/2/3", "-1/2"}) {
    EXPECT_THROW(parse_shard(bad), InputError) << bad;
  }
}

}  // namespace
}  // namespace tessera::sweep

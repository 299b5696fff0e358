// What is made of a sweep's points, against a second, slower way to say it.
#include "sweep/analysis.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sweep/export.hpp"
#include "sweep/neighbours.hpp"

namespace tessera::sweep {
namespace {

// Two curves of four sizes.
Space two_curves() {
  Space space;
  space.axes = {{"memory.latency", {"10", "20"}}, {kCbufKey, {"1KiB", "2KiB", "4KiB", "8KiB"}}};
  return space;
}

// The same of designs that compete.
Space two_designs() {
  Space space = two_curves();
  space.axes[0] = {"hardware.accumulators", {"128", "256"}};
  return space;
}

std::vector<PointResult> points_with(const std::vector<std::uint64_t>& cycles,
                                     const std::string& objective) {
  std::vector<PointResult> points;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    PointResult p;
    p.index = i;
    p.status = cycles[i] == 0 ? Status::Failed : Status::Ok;
    p.objective = objective;
    p.cbuf_bytes = std::uint64_t{1024} << (i % 4);
    p.cbuf_capacity_bytes = p.cbuf_bytes;
    p.program_of = i;
    p.cycles = cycles[i];
    p.own_cycles = cycles[i];
    p.macs_per_cycle = 64;
    p.external_read_bytes = 1000 - cycles[i] % 100;
    p.layers = {{"a", "CONV_2D", cycles[i] % 2 == 0 ? "direct" : "split 2x1 (wait)", 1, 1, 1}};
    points.push_back(p);
  }
  return points;
}

// Runs what is asked for; a program takes the same anywhere.
void settle(const Space& space, std::vector<PointResult>& points) {
  const std::vector<PointResult> own = points;
  Neighbours neighbours(space, points);
  for (auto trials = neighbours.next(); !trials.empty(); trials = neighbours.next()) {
    for (const Trial& trial : trials) {
      PointResult result = own[trial.point];
      result.cycles = own[trial.program_of].cycles;
      result.program_of = trial.program_of;
      neighbours.done(result);
    }
  }
}

// The next smaller size that did not fail, and the same size with the longer latency, lend their
// programs, and those that were lent to them.
std::uint64_t least_below(const std::vector<std::uint64_t>& cycles, std::size_t i) {
  std::uint64_t least = cycles[i];
  for (std::size_t j = i; j % 4 != 0;) {
    if (cycles[--j] != 0) {
      least = std::min(least, least_below(cycles, j));
      break;
    }
  }
  return i < 4 && cycles[i + 4] != 0 ? std::min(least, least_below(cycles, i + 4)) : least;
}

// Latency falls, sizes grow: all of them are more.
RC_GTEST_PROP(Neighbours, WithPolicyBestMoreNeverCostsMore, ()) {
  const auto cycles =
      *rc::gen::container<std::vector<std::uint64_t>>(8, rc::gen::inRange<std::uint64_t>(0, 50));
  auto points = points_with(cycles, "cycles");
  settle(two_curves(), points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    RC_ASSERT(points[i].index == i);
    RC_ASSERT(points[i].cbuf_bytes == std::uint64_t{1024} << (i % 4));
    RC_ASSERT(points[i].own_cycles == cycles[i]);
    if (cycles[i] == 0) {
      continue;
    }
    RC_ASSERT(points[i].cycles == least_below(cycles, i));
    RC_ASSERT(cycles[points[i].program_of] == points[i].cycles);
  }
}

TEST(Neighbours, OtherPoliciesStayAsTheyAre) {
  auto points = points_with({10, 20, 30, 40, 4, 3, 2, 1}, "");
  EXPECT_TRUE(Neighbours(two_curves(), points).next().empty());
}

TEST(Neighbours, AProgramThatIsWorseThereIsNotTaken) {
  auto points = points_with({10, 20, 5, 5, 9, 9, 9, 9}, "cycles");
  const Space space = two_curves();
  Neighbours neighbours(space, points);
  auto trials = neighbours.next();
  ASSERT_FALSE(trials.empty());
  EXPECT_EQ(trials[0].point, 0U);
  EXPECT_EQ(trials[0].program_of, 4U) << "of the longer latency";
  PointResult worse = points[0];
  worse.cycles = 11;
  neighbours.done(worse);
  EXPECT_EQ(points[0].cycles, 10U);
  for (const Trial& again : neighbours.next()) {
    EXPECT_FALSE(again.point == 0 && again.program_of == 4) << "tried once";
  }
}

TEST(Neighbours, WhatIsMoreAndWhatIsNeither) {
  EXPECT_EQ(direction_of("hardware.cbuf.size"), 1);
  EXPECT_EQ(direction_of("memory.latency"), -1);
  EXPECT_EQ(direction_of("hardware.array.atomic_c"), 0);
  EXPECT_EQ(direction_of("memory"), 0);
}

RC_GTEST_PROP(Answers, TheFrontHasWhatNothingBeats, ()) {
  const auto cycles =
      *rc::gen::container<std::vector<std::uint64_t>>(8, rc::gen::inRange<std::uint64_t>(0, 300));
  const auto points = points_with(cycles, "");
  const auto front = pareto_front(two_designs(), points);
  const auto costs = [](const PointResult& p) {
    return std::vector<std::uint64_t>{p.cycles, p.external_bytes(), p.cbuf_bytes, p.macs_per_cycle};
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool beaten = points[i].status != Status::Ok;
    for (const PointResult& other : points) {
      const auto a = costs(other);
      const auto b = costs(points[i]);
      bool no_worse = other.status == Status::Ok && a != b;
      for (std::size_t k = 0; k < a.size(); ++k) {
        no_worse = no_worse && a[k] <= b[k];
      }
      beaten = beaten || no_worse;
    }
    RC_ASSERT(front[i] == !beaten);
  }
}

TEST(Answers, SmallestBufferWithinAFewPercent) {
  const Results results =
      evaluate(two_curves(), points_with({120, 104, 101, 100, 0, 200, 105, 103}, ""));
  ASSERT_EQ(results.curves.size(), 2U);
  const auto size = [&](std::size_t curve, std::size_t tolerance) {
    return results.points[results.curves[curve].within[tolerance]].cbuf_bytes;
  };
  EXPECT_EQ(size(0, 0), 4096U);
  EXPECT_EQ(size(0, 1), 2048U);
  EXPECT_EQ(size(0, 2), 2048U);
  EXPECT_EQ(size(1, 0), 8192U);
  EXPECT_EQ(size(1, 1), 4096U);
  EXPECT_EQ(results.curves[1].points.size(), 3U) << "the failed one is left out";
  EXPECT_EQ(results.curves[0].label, "memory.latency=10");
}

TEST(Answers, ModesChangeWhereTheyDo) {
  const Results results = evaluate(two_curves(), points_with({4, 2, 3, 1, 2, 2, 2, 2}, ""));
  ASSERT_EQ(results.curves[0].changes.size(), 1U);
  const LayerModes& layer = results.curves[0].changes[0];
  ASSERT_EQ(layer.modes.size(), 2U);
  EXPECT_EQ(layer.modes[0].mode, "direct");
  EXPECT_EQ(layer.modes[1].mode, "split 2x1 (wait)");
  EXPECT_EQ(layer.modes[1].cbuf_bytes, 4096U);
  EXPECT_TRUE(results.curves[1].changes.empty());
  EXPECT_NE(to_terminal(results).find("1 KiB direct, 4 KiB split"), std::string::npos)
      << to_terminal(results);
}

// A memory is no design: its points do not compete with those of another one.
TEST(Answers, PointsCompeteWithinOneEnvironment) {
  const Results results =
      evaluate(two_curves(), points_with({200, 150, 120, 100, 60, 50, 40, 40}, ""));
  const std::string text = to_terminal(results);
  EXPECT_NE(text.find("memory.latency=10  1 KiB     200   +100.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("memory.latency=20  1 KiB      60    +50.0 %"), std::string::npos) << text;
  EXPECT_NE(text.find("the fewest cycles are at the end of the range: memory.latency=10; a larger"),
            std::string::npos)
      << text;
  const Results both =
      evaluate(two_designs(), points_with({200, 150, 120, 100, 60, 50, 40, 40}, ""));
  EXPECT_EQ(both.fewest, std::vector<std::size_t>(8, 6));
  EXPECT_NE(to_terminal(both).find("hardware.accumulators=128  1 KiB     200   +400.0 %"),
            std::string::npos)
      << to_terminal(both);
}

// What is left to the host without a time for it is work that nobody counts.
TEST(Answers, PointsThatLeaveMoreToTheHostDoNotCompete) {
  std::vector<PointResult> points = points_with({200, 150, 120, 100, 60, 50, 40, 40}, "");
  for (std::size_t i = 4; i < points.size(); ++i) {
    points[i].host_layers = 3;
    points[i].uncounted_work = 1000;
  }
  const Results results = evaluate(two_designs(), points);
  EXPECT_EQ(results.fewest, std::vector<std::size_t>(8, 3));
  for (std::size_t i = 4; i < points.size(); ++i) {
    EXPECT_FALSE(results.competes[i]);
    EXPECT_FALSE(results.on_front[i]);
  }
  EXPECT_TRUE(results.on_front[3]);
  const std::string text = to_terminal(results);
  EXPECT_NE(text.find("4 points leave more to the host"), std::string::npos) << text;
  // A smaller buffer that leaves a layer to the host is no answer either.
  for (PointResult& point : points) {
    point.uncounted_work = point.cbuf_bytes < 4096 ? 1000 : 0;
  }
  const Results sizes = evaluate(two_designs(), points);
  EXPECT_EQ(sizes.points[sizes.curves[0].within[2]].cbuf_bytes, 8192U);
}

TEST(Answers, SeveralClocksAreComparedByTime) {
  std::vector<PointResult> points = points_with({200, 150, 120, 100, 300, 250, 220, 160}, "");
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].clock_mhz = i < 4 ? 100 : 200;
  }
  const Results results = evaluate(two_designs(), points);
  EXPECT_TRUE(results.by_time);
  EXPECT_EQ(results.fewest, std::vector<std::size_t>(8, 7));
  EXPECT_TRUE(results.on_front[7]);
  const std::string text = to_terminal(results);
  EXPECT_NE(text.find("vs fastest"), std::string::npos) << text;
  points[0].clock_mhz = 0;
  EXPECT_FALSE(evaluate(two_designs(), points).by_time) << "one has no clock";
}

TEST(Export, ManyPointsAreFewLines) {
  Space space;
  space.axes = {{"hardware.accumulators", {}}, {kCbufKey, {"1KiB", "2KiB", "4KiB", "8KiB"}}};
  std::vector<std::uint64_t> cycles;
  for (std::uint64_t i = 0; i < 500; ++i) {
    cycles.push_back(i % 7 == 3 ? 0 : 1000 + (i * 7919) % 1009);
    if (i % 4 == 0) {
      space.axes[0].values.push_back(std::to_string(i));
    }
  }
  auto points = points_with(cycles, "");
  for (PointResult& point : points) {
    point.error = point.status == Status::Failed
                      ? "needs " + std::to_string(point.index) + " bytes, the cbuf has 64"
                      : "";
  }
  const std::string text = to_terminal(evaluate(space, points));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 110) << text;
  EXPECT_NE(text.find("500 points; with the fewest cycles:"), std::string::npos) << text;
  EXPECT_NE(text.find("the cbuf has 64\n    and 70 more like it\n"), std::string::npos) << text;
}

TEST(Export, CsvQuotesWhatNeedsIt) {
  auto points = points_with({1, 2, 3, 4, 5, 6, 7, 0}, "");
  points[7].error = "line 1, \"x\"\nline 2";
  const std::string csv = to_csv(evaluate(two_curves(), points));
  EXPECT_NE(csv.find("failed"), std::string::npos);
  EXPECT_NE(csv.find(",\"line 1, \"\"x\"\"\nline 2\"\n"), std::string::npos) << csv;
}

TEST(Point, TextHoldsEverything) {
  PointResult p = points_with({7}, "traffic")[0];
  p.error = "a \"quoted\" error\n";
  p.verified = false;
  p.energy_pj = 1.0 / 3;
  p.status = Status::Wrong;
  const PointResult q = from_text(to_text(p));
  EXPECT_EQ(to_text(q), to_text(p));
  EXPECT_EQ(q.error, p.error);
  EXPECT_EQ(q.energy_pj, p.energy_pj);
  EXPECT_EQ(q.verified, p.verified);
  EXPECT_EQ(q.layers[0].mode, p.layers[0].mode);
}

}  // namespace
}  // namespace tessera::sweep

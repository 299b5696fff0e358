// What is made of a sweep's points, against a second, slower way to say it.
#include "sweep/answers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sweep/export.hpp"

namespace tessera::sweep {
namespace {

// Two curves of four sizes.
Space two_curves() {
  Space space;
  space.axes = {{"memory.latency", {"10", "20"}}, {kCbufKey, {"1KiB", "2KiB", "4KiB", "8KiB"}}};
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
    p.program_cbuf_bytes = p.cbuf_bytes;
    p.cycles = cycles[i];
    p.own_cycles = cycles[i];
    p.macs_per_cycle = 64;
    p.external_read_bytes = 1000 - cycles[i] % 100;
    p.layers = {{"a", "CONV_2D", cycles[i] % 2 == 0 ? "direct" : "split 2x1 (wait)", 1, 1, 1}};
    points.push_back(p);
  }
  return points;
}

RC_GTEST_PROP(Answers, WithPolicyBestMoreBufferNeverCostsMore, ()) {
  const auto cycles =
      *rc::gen::container<std::vector<std::uint64_t>>(8, rc::gen::inRange<std::uint64_t>(0, 50));
  auto points = points_with(cycles, "cycles");
  carry_over(two_curves(), points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    RC_ASSERT(points[i].index == i);
    RC_ASSERT(points[i].cbuf_bytes == std::uint64_t{1024} << (i % 4));
    RC_ASSERT(points[i].own_cycles == cycles[i]);
    std::uint64_t least = cycles[i];
    for (std::size_t j = i / 4 * 4; cycles[i] != 0 && j < i; ++j) {
      least = cycles[j] == 0 ? least : std::min(least, cycles[j]);
    }
    RC_ASSERT(points[i].cycles == least);
    RC_ASSERT(points[i].program_cbuf_bytes <= points[i].cbuf_bytes);
  }
  const auto once = points;
  carry_over(two_curves(), points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    RC_ASSERT(to_text(points[i]) == to_text(once[i]));
  }
}

TEST(Answers, OtherPoliciesStayAsTheyAre) {
  auto points = points_with({10, 20, 30, 40, 4, 3, 2, 1}, "");
  carry_over(two_curves(), points);
  EXPECT_EQ(points[3].cycles, 40U);
  EXPECT_EQ(points[3].program_cbuf_bytes, points[3].cbuf_bytes);
}

RC_GTEST_PROP(Answers, TheFrontHasWhatNothingBeats, ()) {
  const auto cycles =
      *rc::gen::container<std::vector<std::uint64_t>>(8, rc::gen::inRange<std::uint64_t>(0, 300));
  const auto points = points_with(cycles, "");
  const auto front = pareto_front(two_curves(), points);
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

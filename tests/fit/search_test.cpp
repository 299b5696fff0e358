// The search of `cosim fit` against hardware drawn at random, and against itself.
#include "fit/search.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>

#include "cli/hardware/fit_placer.hpp"
#include "fit/result.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tests/draws.hpp"
#include "tests/own_folder.hpp"

namespace tessera::fit {
namespace {

namespace fs = std::filesystem;

const char* const kConfig = TESSERA_SOURCE_DIR "/configs/npu.yaml";

Question question_of(const std::string& part, const std::vector<std::string>& networks,
                     double bandwidth = 0) {
  Question question;
  question.part = &fpga::find_part(part);
  question.bandwidth = bandwidth;
  for (const std::string& network : networks) {
    question.config = load_config(kConfig, {"network=" + network});
    question.networks.push_back(std::make_shared<const Network>(load_configured(question.config)));
  }
  return question;
}

class FitSearch : public testing::Test {
 protected:
  void SetUp() override { folder_ = test::own_folder("fit"); }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name = "points.sqlite") const {
    return (folder_ / name).string();
  }

  Result result(const Evaluator& evaluator, const SearchRequest& request, const Place& place = {}) {
    Points points(file(), "test", false);
    Search search(evaluator, request, points);
    Progress silent(true);
    EXPECT_TRUE(search.run(silent));
    if (place) {
      search.place(place, silent);
    }
    return result_of(evaluator, request, search);
  }

  fs::path folder_;
};

TEST(FitMoves, CanBeBuiltAndAreAllDifferent) {
  SplitMix64 random(7);
  for (int i = 0; i < 400; ++i) {
    const Hardware hardware = drawn(random, i < 300 ? Control::Units : Control::Microcode);
    ASSERT_EQ(hardware_problem(hardware), "");
    std::set<std::string> texts = {text_of(hardware)};
    for (const Move& move : moves_of(hardware)) {
      EXPECT_EQ(hardware_problem(move.hardware), "") << move.what;
      EXPECT_EQ(move.hardware.control, hardware.control);
      EXPECT_TRUE(texts.insert(text_of(move.hardware)).second) << move.what;
    }
    EXPECT_GT(texts.size(), 10U);
  }
}

// A search may only say what a configuration can.
TEST(FitMoves, TextIsHardwareOfAConfiguration) {
  SplitMix64 random(8);
  for (int i = 0; i < 75; ++i) {
    const std::string text = text_of(drawn(random, i < 50 ? Control::Units : Control::Microcode));
    EXPECT_EQ(text_of(load_config(kConfig, {"hardware=" + text}).hardware), text);
  }
}

class FitAnywhere : public FitSearch, public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Parts, FitAnywhere, testing::Values("ecp5-25f", "ice40-up5k"),
                         [](const auto& part) { return std::string(part.param).substr(0, 4); });

TEST_P(FitAnywhere, NothingDrawnAtRandomIsBetter) {
  const Evaluator evaluator(question_of(GetParam(), {"lenet5"}));
  SearchRequest request;
  request.points = 2000;
  request.jobs = 2;
  const Result found = result(evaluator, request);
  const double best = found.milliseconds[found.best];
  SplitMix64 random(99);
  std::size_t good = 0;
  for (int i = 0; i < test::cases(200); ++i) {
    const Hardware hardware = drawn(random, evaluator.control());
    const Outcome outcome = evaluator.run(hardware);
    if (outcome.good()) {
      ++good;
      EXPECT_GE(evaluator.milliseconds(outcome.speeds[0], outcome.estimate.mhz), 0.97 * best)
          << text_of(hardware);
    }
  }
  EXPECT_GT(good, 15U);
}

TEST_F(FitSearch, IsTheSameWithAnyNumberOfProcessesAndFromPointsThatAreThere) {
  const Evaluator evaluator(question_of("ecp5-12f", {"lenet5"}));
  SearchRequest request;
  request.points = 500;
  const std::string alone = to_json(result(evaluator, request));
  EXPECT_EQ(to_json(result(evaluator, request)), alone);  // nothing is looked at again
  fs::remove(file());
  request.jobs = 3;
  EXPECT_EQ(to_json(result(evaluator, request)), alone);
}

// Looking with `best` alone takes a hundred times as long.
TEST_F(FitSearch, WithPolicyBestBeginsWhereFirstFitEnds) {
  Question question = question_of("ecp5-25f", {"lenet5"});
  const Evaluator first_fit(question);
  question.config.policy.name = PolicyName::Best;
  const Evaluator evaluator(question);
  SearchRequest request;
  request.points = 30;
  request.jobs = 2;
  Progress silent(true);
  Points points(file("best.sqlite"), "test", false);
  const auto search = searched(evaluator, request, points, silent);
  ASSERT_TRUE(search);
  const Result found = result_of(evaluator, request, *search);
  EXPECT_EQ(found.examined, search->candidates().size() + request.points);
  const double best = found.milliseconds[found.best];
  // What the second policy makes most of is among its first candidates.
  for (const Hardware& begun : search->beginning().hardware) {
    EXPECT_TRUE(std::any_of(search->candidates().begin(), search->candidates().end(),
                            [&](const Candidate& c) {
                              return c.hardware.atomic_c == begun.atomic_c &&
                                     c.hardware.atomic_k == begun.atomic_k &&
                                     c.hardware.has(isa::Feature::Keep) &&
                                     c.outcome.estimate.brams > 32;
                            }))
        << text_of(begun);
  }
  // The best of the other policy, and what chance draws, under this one.
  const Result quick = result(first_fit, request);
  const Outcome outcome = evaluator.run(quick.candidates[quick.best].hardware);
  ASSERT_TRUE(outcome.good()) << outcome.problem << outcome.lacks;
  EXPECT_LE(best, evaluator.milliseconds(outcome.speeds[0], outcome.estimate.mhz));
  SplitMix64 random(5);
  for (int i = 0; i < 20; ++i) {
    const Hardware hardware = drawn(random, Control::Units);
    const Outcome chance = evaluator.run(hardware);
    if (chance.good()) {
      EXPECT_GE(evaluator.milliseconds(chance.speeds[0], chance.estimate.mhz), 0.97 * best)
          << text_of(hardware);
    }
  }
}

// Maxima go to the host without the depthwise window; its time is not known here.
TEST_F(FitSearch, LeavesOutNothingThatTheNetworkNeeds) {
  Question question = question_of("ecp5-25f", {"lenet5"});
  question.networks = {std::make_shared<const Network>(
      import_yaml("layers: [{conv2d: {in: [16, 16, 4], out_channels: 8, kernel: 3}}, "
                  "{max_pool2d: {kernel: 2, stride: 2}}]",
                  "pool.yaml", 1))};
  const Evaluator evaluator(question);
  Hardware hardware = hardware_preset("tiny");
  EXPECT_TRUE(evaluator.run(hardware).good());
  hardware.features &= ~(1U << static_cast<unsigned>(isa::Feature::Depthwise));
  EXPECT_NE(evaluator.run(hardware).problem.find("host"), std::string::npos);
  SearchRequest request;
  request.points = 2000;
  request.objective.goal = Goal::ThroughputPerLut;
  const Result found = result(evaluator, request);
  EXPECT_TRUE(found.candidates[found.best].hardware.has(isa::Feature::Depthwise));
  // What nothing of the network needs is what a small design does without.
  EXPECT_FALSE(found.candidates[found.best].hardware.has(isa::Feature::Operands));
}

TEST_F(FitSearch, TheSmallestKeepsItsSpeed) {
  const Evaluator evaluator(question_of("ecp5-85f", {"lenet5"}));
  SearchRequest request;
  request.points = 800;
  request.objective = {Goal::Smallest, 2000};
  const Result fast = result(evaluator, request);
  request.objective.fps = 200;
  const Result slow = result(evaluator, request);
  const auto luts = [](const Result& r) { return r.candidates[r.best].outcome.estimate.luts; };
  EXPECT_GE(1000 / fast.milliseconds[fast.best], 2000);
  EXPECT_GE(1000 / slow.milliseconds[slow.best], 200);
  EXPECT_LT(luts(slow), luts(fast));
}

TEST_F(FitSearch, AMemoryWithLittleBandwidthCosts) {
  const auto fastest = [&](double bandwidth) {
    const Evaluator evaluator(question_of("ecp5-25f", {"lenet5"}, bandwidth));
    const Outcome outcome = evaluator.run(hardware_preset("tiny"));
    return evaluator.milliseconds(outcome.speeds[0], outcome.estimate.mhz);
  };
  EXPECT_GT(fastest(20e6), 1.3 * fastest(500e6));
}

TEST_F(FitSearch, SeveralNetworksCountTogether) {
  Question question = question_of("ecp5-25f", {"lenet5"});
  question.networks.push_back(std::make_shared<const Network>(import_yaml(
      "layers: [{conv2d: {in: [32, 32, 8], out_channels: 24, kernel: 3}}]", "second.yaml", 1)));
  const Evaluator evaluator(question);
  SearchRequest request;
  request.points = 150;
  const Result found = result(evaluator, request);
  const Candidate& best = found.candidates[found.best];
  ASSERT_EQ(best.outcome.speeds.size(), 2U);
  EXPECT_NEAR(found.milliseconds[found.best],
              evaluator.milliseconds(best.outcome.speeds[0], found.mhz[found.best]) +
                  evaluator.milliseconds(best.outcome.speeds[1], found.mhz[found.best]),
              1e-9);
}

// A placer of which the estimates know nothing: large designs are slow, the largest do not fit.
TEST_F(FitSearch, PlacesUntilNothingPromisesMore) {
  const Evaluator evaluator(question_of("ecp5-25f", {"lenet5"}));
  SearchRequest request;
  request.points = 600;
  request.placements = 40;
  std::size_t refused = 0;
  std::uint32_t largest = 0;  // smaller than the first one
  const Place place = [&](const Hardware& hardware, std::uint32_t) {
    const fpga::Estimate estimate = fpga::estimate(evaluator.question().part[0], hardware);
    largest = largest == 0 ? estimate.luts - 1 : largest;
    if (estimate.luts > largest) {
      ++refused;
      return Placed{"does not fit", evaluator.question().part->luts + 1, 0, 0, 0, 0};
    }
    return Placed{"",
                  estimate.luts,
                  estimate.ffs,
                  estimate.brams,
                  estimate.dsps,
                  estimate.mhz * (1 - static_cast<double>(estimate.luts) / 60000)};
  };
  const Result found = result(evaluator, request, place);
  const Candidate& best = found.candidates[found.best];
  ASSERT_TRUE(best.placed.has_value());
  EXPECT_EQ(best.placed->problem, "");
  EXPECT_EQ(refused, 1U) << "one that does not fit says enough of those that are as large";
  EXPECT_LT(found.clock_factor, 0.9);
  std::size_t placed = 0;
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    placed += found.candidates[i].placed.has_value() ? 1 : 0;
    if (!found.candidates[i].placed) {
      EXPECT_GE(found.milliseconds[i], found.milliseconds[found.best]);
    }
  }
  EXPECT_LT(placed, request.placements);
}

TEST_F(FitSearch, LooksFurtherBehindAnUnluckyPlacement) {
  const Evaluator evaluator(question_of("ecp5-25f", {"lenet5"}));
  SearchRequest request;
  request.points = 600;
  request.placements = 3;
  std::size_t placed = 0;
  const Place place = [&](const Hardware& hardware, std::uint32_t) {
    const fpga::Estimate e = fpga::estimate(evaluator.question().part[0], hardware);
    return Placed{"", e.luts, e.ffs, e.brams, e.dsps, ++placed == 1 ? 0.8 * e.mhz : e.mhz};
  };
  const Result found = result(evaluator, request, place);
  EXPECT_EQ(placed, 2U) << "the second one is as good as the others promise";
  EXPECT_EQ(found.mhz[found.best], found.candidates[found.best].outcome.estimate.mhz);
}

// What hardly differs is placed as well, behind the first one four at a time, and the luckiest is
// the best; the same with any number of jobs.
TEST_F(FitSearch, TakesTheLuckiestOfEquals) {
  const Evaluator evaluator(question_of("ecp5-25f", {"lenet5"}));
  std::string lucky;
  const auto placed_with = [&](std::size_t jobs) {
    SearchRequest request;
    request.points = 600;
    request.jobs = jobs;
    request.placements = 20;
    request.chance = 0.25;
    std::mutex mutex;
    std::set<std::string> placed;
    const Place place = [&](const Hardware& hardware, std::uint32_t) {
      const fpga::Estimate e = fpga::estimate(evaluator.question().part[0], hardware);
      const std::scoped_lock guard(mutex);
      placed.insert(text_of(hardware));
      if (lucky.empty() && placed.size() == 3) {
        lucky = text_of(hardware);
      }
      const double luck = text_of(hardware) == lucky ? 1.4 : 1;
      return Placed{"", e.luts, e.ffs, e.brams, e.dsps, luck * e.mhz};
    };
    const Result found = result(evaluator, request, place);
    const Candidate& best = found.candidates[found.best];
    EXPECT_EQ(best.text, lucky);
    EXPECT_EQ(found.mhz[found.best], 1.4 * best.outcome.estimate.mhz);
    return placed;
  };
  const std::set<std::string> one_at_a_time = placed_with(1);
  EXPECT_EQ(one_at_a_time.size(), 20U) << "one's luck says nothing of the others";
  EXPECT_EQ(placed_with(4), one_at_a_time);
}

// The three best of those that were placed once; what was second then may be the best now.
TEST_F(FitSearch, LeadersGetTheOtherSeeds) {
  const Evaluator evaluator(question_of("ecp5-25f", {"lenet5"}));
  const auto found_with = [&](std::uint32_t seeds, std::vector<std::string>& again) {
    SearchRequest request;
    request.points = 600;
    request.placements = 9;
    request.seeds = seeds;
    request.chance = 0.25;
    const Place place = [&](const Hardware& hardware, std::uint32_t count) {
      const fpga::Estimate e = fpga::estimate(evaluator.question().part[0], hardware);
      double luck = 1;
      if (count > 1) {
        EXPECT_EQ(count, seeds);
        again.push_back(text_of(hardware));
        luck = again.size() == 2 ? 1.4 : 1;
      }
      return Placed{"", e.luts, e.ffs, e.brams, e.dsps, luck * e.mhz, false, count};
    };
    return result(evaluator, request, place);
  };
  std::vector<std::string> again;
  const Result once = found_with(1, again);
  EXPECT_TRUE(again.empty());
  const Result found = found_with(3, again);
  ASSERT_EQ(again.size(), 3U);
  EXPECT_EQ(again.front(), once.candidates[once.best].text);
  EXPECT_EQ(found.candidates[found.best].text, again[1]);
  EXPECT_EQ(found.candidates[found.best].placed->seed, 3U);
}

TEST_F(FitSearch, WhatIsDeliveredIsTheFastestSeeds) {
  const Evaluator evaluator(question_of("ecp5-25f", {"lenet5"}));
  Progress silent(true);
  const FitPlacer placer(evaluator, nullptr, silent, false);
  const Candidate candidate{hardware_preset("nano"), "", {}, Placed{"", 1, 1, 1, 1, 80, false, 3}};
  const fpga::FlowRequest request = placer.delivery(candidate, folder_);
  EXPECT_EQ(request.first_seed, 3U);
  EXPECT_EQ(request.seeds, 1U);
  EXPECT_FALSE(request.route);
  EXPECT_EQ(request.hardware.atomic_c, candidate.hardware.atomic_c);
}

TEST_F(FitSearch, WhatAPlacementThrowsGoesOn) {
  const Evaluator evaluator(question_of("ecp5-25f", {"lenet5"}));
  SearchRequest request;
  request.points = 300;
  request.jobs = 2;
  request.placements = 3;
  request.chance = 0.25;
  std::atomic<std::size_t> placed = 0;
  const Place place = [&](const Hardware& hardware, std::uint32_t) {
    if (++placed == 2) {
      throw std::runtime_error("no placer");
    }
    const fpga::Estimate e = fpga::estimate(evaluator.question().part[0], hardware);
    return Placed{"", e.luts, e.ffs, e.brams, e.dsps, e.mhz};
  };
  EXPECT_THROW(result(evaluator, request, place), std::runtime_error);
}

TEST_F(FitSearch, WhatIsInTheWayDoesNotFit) {
  const Evaluator evaluator(question_of("ecp5-12f", {"lenet5"}));
  SearchRequest request;
  request.points = 600;
  const Result found = result(evaluator, request);
  ASSERT_FALSE(found.limits.empty());
  for (const Limit& limit : found.limits) {
    EXPECT_GT(limit.gain, 0) << limit.change;
    EXPECT_NE(limit.lacks, "") << limit.change;
  }
}

TEST_F(FitSearch, NothingThatFitsIsAnError) {
  const Evaluator evaluator(question_of("ecp5-12f", {"lenet5"}));
  SearchRequest request;
  request.points = 1;  // the preset `large`
  Points points(file(), "test", false);
  Search search(evaluator, request, points);
  Progress silent(true);
  ASSERT_TRUE(search.run(silent));
  EXPECT_THROW(static_cast<void>(result_of(evaluator, request, search)), InputError);
}

TEST_F(FitSearch, PointsOfAnotherQuestionAreRefused) {
  { const Points points(file(), "one", false); }
  EXPECT_THROW(Points(file(), "two", false), InputError);
  EXPECT_NO_THROW(Points(file(), "two", true));
  EXPECT_NO_THROW(Points(file(), "two", false));
}

}  // namespace
}  // namespace tessera::fit

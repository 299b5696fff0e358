// Whole sweeps, as scripts run them.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "sweep/neighbours.hpp"
#include "sweep/run.hpp"
#include "tests/app/cli.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

using test::Finished;
using test::text_of;
using test::write_text;

const char* const kBase = "sweep --config " TESSERA_SOURCE_DIR "/configs/npu.yaml --engine model ";

class SweepCli : public test::Cli {
 protected:
  Finished sweep(const std::string& folder, const std::string& arguments) {
    return run(kBase + arguments + " --out " + path(folder));
  }
  [[nodiscard]] std::string result(const std::string& folder, const std::string& name) const {
    return text_of(path(folder + "/" + name));
  }
  void expect_same(const std::string& a, const std::string& b) const {
    for (const char* name : {"results.csv", "results.json", "points.sqlite"}) {
      EXPECT_NE(result(a, name), "") << name;
      EXPECT_EQ(result(a, name) == result(b, name), true) << name;
    }
  }
};

const char* const kFew = "--network lenet5 --cbuf 8KiB..64KiB --set memory.latency=10,100 ";

TEST_F(SweepCli, SameBytesWhateverTheJobs) {
  const Finished one = sweep("one", std::string(kFew) + "--jobs 1");
  EXPECT_EQ(one.code, 0) << one.err;
  EXPECT_NE(one.out.find("smallest cbuf within"), std::string::npos) << one.out;
  EXPECT_EQ(sweep("four", std::string(kFew) + "--jobs 4").code, 0);
  expect_same("one", "four");
  const std::string csv = result("one", "results.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 9);
  EXPECT_EQ(csv.rfind("point,network,memory.latency,hardware.cbuf.size,cbuf_bytes,", 0), 0U);
  for (const char* column :
       {"cycles", "external_read_bytes", "external_write_bytes", "arena_bytes", "status"}) {
    EXPECT_NE(csv.find("," + std::string(column) + ","), std::string::npos) << column;
  }
}

TEST_F(SweepCli, PointsEqualSingleRuns) {
  ASSERT_EQ(sweep("s", "--network lenet5 --cbuf 16KiB,64KiB --set policy=first-fit,best").code, 0);
  const auto json = nlohmann::json::parse(result("s", "results.json"));
  ASSERT_EQ(json["points"].size(), 4U);
  for (const auto& point : json["points"]) {
    const std::string run_it = fmt::format(
        "--config {}/configs/npu.yaml --engine model --network lenet5 --quiet --json - --set "
        "policy={} --set hardware.cbuf.size={} --set hardware.cbuf.capacity={}",
        TESSERA_SOURCE_DIR, point["policy"].get<std::string>(),
        point["cbuf_bytes"].get<std::uint64_t>(),
        point["cbuf_capacity_bytes"].get<std::uint64_t>());
    const auto alone = nlohmann::json::parse(run(run_it).out);
    EXPECT_EQ(point["cbuf_capacity_bytes"], point["cbuf_bytes"]) << "sizes are built sizes";
    EXPECT_EQ(alone["totals"]["cycles"], point["own_cycles"]) << run_it;
    if (point["program_of"] != point["point"]) {
      EXPECT_LT(point["cycles"], point["own_cycles"]);
      continue;
    }
    EXPECT_EQ(alone["totals"]["external_read_bytes"], point["external_read_bytes"]);
    EXPECT_EQ(alone["memory"]["arena_bytes"], point["arena_bytes"]);
  }
}

TEST_F(SweepCli, APartAddsAreaAndClockAndTheFrontIsOfThem) {
  const std::string what =
      "--network lenet5 --set hardware=tiny --set hardware.array.atomic_c=4,16 --set "
      "hardware.features=all,none --cbuf 4KiB,16KiB --part ecp5-12f";
  const Finished outcome = sweep("area", what);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("inferences/s"), std::string::npos) << outcome.out;
  const auto json = nlohmann::json::parse(result("area", "results.json"));
  EXPECT_EQ(json["part"], "ecp5-12f");
  const auto& points = json["points"];
  ASSERT_EQ(points.size(), 8U);
  for (const auto& point : points) {
    const double inferences = point["mhz"].get<double>() * 1e6 /
                              static_cast<double>(point["cycles"].get<std::uint64_t>());
    EXPECT_NEAR(point["inferences_per_second"].get<double>() / inferences, 1, 0.01);
    EXPECT_EQ(point["fits"].get<bool>(), point["luts"] <= 24288 && point["ffs"] <= 24288 &&
                                             point["brams"] <= 56 && point["dsps"] <= 28);
    EXPECT_TRUE(point["fits"].get<bool>() || !point["pareto"].get<bool>());
  }
  // Points: atomic_c, then features, then cbuf.
  EXPECT_GT(points[0]["luts"], points[2]["luts"]) << "features cost lookup tables";
  EXPECT_GT(points[4]["luts"], points[0]["luts"]) << "and so do wider arrays";
  EXPECT_LT(points[0]["brams"], points[1]["brams"]) << "a buffer of just the point's size";
  sweep("again", what + " --jobs 1");
  expect_same("area", "again");
}

TEST_F(SweepCli, HardwareWithoutEstimatesIsRefused) {
  const Finished outcome =
      sweep("none", "--network lenet5 --part ice40-up5k --set hardware=nano,micro");
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.out.find("for ice40-up5k there are estimates of `microcode` only"),
            std::string::npos)
      << outcome.out;
  const Finished unknown = sweep("unknown", "--network lenet5 --part lifcl-40");
  EXPECT_NE(unknown.code, 0);
  EXPECT_NE(unknown.err.find("for lifcl-40 there are no estimates"), std::string::npos)
      << unknown.err;
  EXPECT_FALSE(std::filesystem::exists(path("unknown")));  // at once, not point by point
  EXPECT_NE(sweep("none", "--network lenet5 --part ecp5-12").err.find("did you mean"),
            std::string::npos);
  EXPECT_NE(sweep("none", "--network lenet5 --place").err.find("--place needs --part"),
            std::string::npos);
  EXPECT_NE(sweep("none", "--network lenet5 --part ecp5-12f --place --shard 1/2")
                .err.find("a share does not know it"),
            std::string::npos);
}

TEST_F(SweepCli, EnginesVerifyTheirPoints) {
  const Finished outcome = run("sweep --config " TESSERA_SOURCE_DIR
                               "/configs/npu.yaml --network lenet5 --set hardware=tiny --cbuf "
                               "4KiB,8KiB --set engine=rtl,tlm,model --out " +
                               path("s"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto points = nlohmann::json::parse(result("s", "results.json"))["points"];
  ASSERT_EQ(points.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(points[i]["cycles"], points[i % 2]["cycles"]) << i;
    EXPECT_EQ(points[i]["verified"].is_null(), i >= 4);
    EXPECT_NE(points[i]["verified"], false);
  }
}

TEST_F(SweepCli, AFailingPointIsARowAndTheRestGoesOn) {
  const Finished outcome =
      sweep("s", "--network lenet5 --cbuf 64,16KiB --set hardware.cbuf.banks=65,8");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("3 of 4 points failed or are wrong"), std::string::npos)
      << outcome.err;
  const auto points = nlohmann::json::parse(result("s", "results.json"))["points"];
  EXPECT_EQ(points[0]["status"], "failed");
  EXPECT_NE(points[0]["error"].get<std::string>().find("banks"), std::string::npos);
  EXPECT_EQ(points[2]["status"], "failed");
  EXPECT_NE(points[2]["error"].get<std::string>().find("does not fit the cbuf"), std::string::npos);
  EXPECT_EQ(points[3]["status"], "ok");
}

TEST_F(SweepCli, AQuestionWithoutAnswerIsAnErrorAtOnce) {
  const Finished key = sweep("s", "--network lenet5 --set policy.nmae=a,b");
  EXPECT_EQ(key.code, 2);
  EXPECT_NE(key.err.find("did you mean `name`"), std::string::npos) << key.err;
  EXPECT_FALSE(std::filesystem::exists(path("s/points.sqlite")));
  EXPECT_EQ(sweep("s", "--network nosuch").code, 2);
  EXPECT_EQ(sweep("s", "--network lenet5 --cbuf 9..1").code, 2);
  EXPECT_EQ(run(kBase + std::string(kFew)).code, 2) << "--out is missing";
}

TEST_F(SweepCli, AskedTwiceForThousandsOfPoints) {
  for (const char* how : {"", "submit --slurm --dry-run "}) {
    const Finished many = run("sweep " + std::string(how) +
                              "lenet5 --engine model --cbuf 8KiB..64KiB:1 --out " + path("m"));
    EXPECT_EQ(many.code, 2);
    EXPECT_NE(many.err.find("57345 points; give --yes if you mean it"), std::string::npos)
        << many.err;
  }
}

TEST_F(SweepCli, GoesOnWhereItWasInterrupted) {
  // Points that take a fraction of the time until they are cut short.
  const std::string points = "--network first_light --cbuf 1KiB..16KiB --set policy=best ";
  ASSERT_EQ(sweep("whole", points).code, 0);
  // Killed hard, again and again, at any moment: in the end all is there, and nothing else.
  // Later each time, for busy machines.
  int rounds = 0;
  const auto cut_short = [&] {
    const std::string command =
        fmt::format("timeout -s KILL {:.2f} {} {} {} --quiet --jobs 2 --out {} 2>/dev/null",
                    0.25 + 0.01 * rounds, COSIM, kBase, points, path("cut"));
    return WEXITSTATUS(std::system(command.c_str())) != 0;
  };
  while (cut_short()) {
    ASSERT_LT(++rounds, 200) << "no progress";
  }
  expect_same("whole", "cut");
  // A softer interrupt says so, and leaves points.
  write_text(path("interrupt.sh"),
             fmt::format("{} {} --network mobilenet_v1 --cbuf 8KiB..1MiB:1KiB --jobs 2 --out {} &\n"
                         "sleep 3; kill -INT $!; wait $!\n",
                         COSIM, kBase, path("soft")));
  const Finished soft = execute("sh " + path("interrupt.sh"));
  EXPECT_EQ(soft.code, 1) << soft.err;
  EXPECT_NE(soft.err.find("the same command goes on from there"), std::string::npos) << soft.err;
}

TEST_F(SweepCli, AFolderHoldsOneSweep) {
  ASSERT_EQ(sweep("s", "--network lenet5 --cbuf 16KiB").code, 0);
  const Finished other = sweep("s", "--network lenet5 --cbuf 32KiB");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("points of another sweep"), std::string::npos) << other.err;
  EXPECT_EQ(sweep("s", "--network lenet5 --cbuf 16KiB --fresh").code, 0);
  // A build of today does not go on where another one stopped.
  const std::string copy = std::string(COSIM) + "_of_yesterday";  // finds its presets there
  write_text(copy, text_of(COSIM) + " ");
  std::filesystem::permissions(copy, std::filesystem::perms::owner_all);
  const Finished rebuilt =
      execute(copy + " " + kBase + "--network lenet5 --cbuf 16KiB --quiet --out " + path("s"));
  std::filesystem::remove(copy);
  EXPECT_EQ(rebuilt.code, 2);
  EXPECT_NE(rebuilt.err.find("another build of the program"), std::string::npos) << rebuilt.err;
  // The network's contents count, not only its name.
  write_text(path("n.yaml"), "layers:\n  - conv2d: {in: [4, 4, 8], out_channels: 8, kernel: 1}\n");
  const std::string arguments = "--cbuf 16KiB --network " + path("n.yaml");
  const Finished first = sweep("t", arguments);
  ASSERT_EQ(first.code, 0) << first.err;
  write_text(path("n.yaml"), text_of(path("n.yaml")) + "# changed\n");
  EXPECT_EQ(sweep("t", arguments).code, 2);
  write_text(path("u.sqlite"), "no database");
  EXPECT_EQ(run("sweep merge --out " + path("v") + " " + path("u.sqlite")).code, 2);
}

TEST_F(SweepCli, WithoutSharesThereIsNothingToMerge) {
  std::filesystem::create_directories(path("empty"));
  for (const char* folder : {"empty", "missing"}) {
    const Finished none = run("sweep merge --out " + path(folder));
    EXPECT_EQ(none.code, 2);
    EXPECT_NE(none.err.find(path(folder) + ": has no points-*-of-*.sqlite"), std::string::npos)
        << none.err;
  }
}

TEST_F(SweepCli, SharesMakeTheWhole) {
  const std::string points =
      "--network lenet5 --cbuf 8KiB,32KiB --set memory.latency=10,100 --set policy=best ";
  ASSERT_EQ(sweep("whole", points).code, 0);
  for (const char* shard : {"3/3", "1/3"}) {
    EXPECT_EQ(sweep("parts", points + "--shard " + shard).code, 0);
  }
  const std::string merge = "sweep merge --quiet --out " + path("parts");
  const Finished missing = run(merge);
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("1 of 3 shares missing: 2/3"), std::string::npos) << missing.err;
  EXPECT_EQ(sweep("parts", points + "--shard 2/3").code, 0);
  EXPECT_EQ(run(merge).code, 0);
  expect_same("whole", "parts");
  EXPECT_EQ(run(merge).code, 0) << "twice is as good as once";
  expect_same("whole", "parts");
  const std::string share = path("parts/points-1-of-3.sqlite");
  const Finished twice = run(merge + " " + share + " " + share);
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.err.find("share 1 of 3 is there twice"), std::string::npos) << twice.err;
  EXPECT_EQ(sweep("others", "--network lenet5 --cbuf 16KiB,32KiB --shard 2/3").code, 0);
  const Finished other = run(merge + " " + share + " " + path("others/points-2-of-3.sqlite"));
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("another sweep"), std::string::npos) << other.err;
}

// With policy `best` more buffer never costs more, and each
// number is one that a program really takes.
void expect_no_loss(const std::vector<std::string>& models, const std::string& sizes,
                    const std::string& hardware, bool limits) {
  std::vector<std::string> networks = models;
  for (std::string& network : networks) {
    if (network != "lenet5") {
      network = fmt::format("{}/models/{}/model.tflite", test::shared_dir(), network);
    }
  }
  sweep::SpaceRequest request;
  request.config = TESSERA_SOURCE_DIR "/configs/npu.yaml";
  request.networks = networks;
  request.cbuf = sizes;
  request.limits = limits;
  request.sets = {"hardware=" + hardware};
  request.fixed = {"engine=model", "policy=best"};
  const sweep::Space space = sweep::make_space(request);
  sweep::PointRunner runner(space);
  std::vector<sweep::PointResult> points;
  points.reserve(space.points());
  for (std::size_t i = 0; i < space.points(); ++i) {
    points.push_back(runner.run(i));
  }
  sweep::Neighbours neighbours(space, points);
  for (auto trials = neighbours.next(); !trials.empty(); trials = neighbours.next()) {
    for (const sweep::Trial& trial : trials) {
      neighbours.done(runner.run(trial.point, trial.program_of));
    }
  }
  const sweep::Results results = sweep::evaluate(space, points);
  std::size_t carried = 0;
  for (const sweep::Curve& curve : results.curves) {
    for (std::size_t k = 1; k < curve.points.size(); ++k) {
      const sweep::PointResult& small = results.points[curve.points[k - 1]];
      const sweep::PointResult& large = results.points[curve.points[k]];
      // One buffer takes any of its limits' programs as it is; in a larger one banks are longer,
      // and what meets in them is another matter: less than a thousandth.
      EXPECT_LE(large.cycles, limits ? small.cycles : small.cycles + small.cycles / 1000)
          << curve.label << " at " << large.cbuf_bytes;
      carried += large.program_of != large.index ? 1 : 0;
    }
    EXPECT_LT(results.points[curve.points.back()].cycles,
              results.points[curve.points.front()].cycles)
        << curve.label << ": the size makes no difference";
  }
  std::printf("%zu of %zu points run a smaller buffer's program\n", carried, points.size());
}

TEST(SweepProperty, MoreBufferNeverCostsMoreWithPolicyBest) {
  expect_no_loss({"lenet5"}, "6KiB,32KiB", "small", false);
  expect_no_loss({"lenet5"}, "6KiB,32KiB", "small", true);
}

TEST(SweepProperty, MoreOfABufferNeverCostsAModelMoreWithPolicyBest) {
  TESSERA_NEEDS_SHARED();
  expect_no_loss({"kws_dscnn"}, "6KiB,32KiB", "small", true);
}

TEST(LongSweepProperty, MoreBufferNeverCostsMoreWithPolicyBest) {
  TESSERA_NEEDS_SHARED();
  for (const bool limits : {false, true}) {
    expect_no_loss({"lenet5", "ic_resnet8", "kws_dscnn", "person_detect", "ad_autoencoder"},
                   "6KiB,10KiB,16KiB,23KiB,40KiB,64KiB,100KiB,160KiB,256KiB", "small,medium",
                   limits);
  }
}

}  // namespace
}  // namespace tessera

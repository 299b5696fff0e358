// `cosim fit` as scripts see it.
#include <nlohmann/json.hpp>
#include <set>

#include "tests/app/cli.hpp"

namespace tessera {
namespace {

using test::Finished;
using test::text_of;

class FitCli : public test::Cli {
 protected:
  Finished fit(const std::string& arguments) {
    return run("fit --config " TESSERA_SOURCE_DIR "/configs/npu.yaml --out " + path("out") + " " +
               arguments);
  }
};

TEST_F(FitCli, TheBestIsAConfigurationThatRunsInAsManyCycles) {
  const Finished outcome =
      fit("--part ecp5-25f --network lenet5 --points 300 --no-place --quiet --json " +
          path("fit.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(text_of(path("fit.json")));
  EXPECT_EQ(json.at("schema"), "tessera.fit/1");
  EXPECT_EQ(json.at("part"), "ecp5-25f");
  EXPECT_EQ(json.at("objective"), "latency");
  // No row but the best one's has its array, buffer, bus and nothing else said of it.
  const Finished told = fit("--part ecp5-25f --network lenet5 --points 300 --no-place");
  const std::size_t table = told.out.find("\ncandidate ");
  ASSERT_NE(table, std::string::npos) << told.out;
  std::set<std::string> rows;
  std::size_t count = 0;
  for (const std::string& line : test::lines_of(told.out.substr(table + 1))) {
    if (line.empty()) {
      break;
    }
    ++count;
    // Without milliseconds and area: what tells the hardware apart.
    rows.insert(line.substr(0, 43) + line.substr(std::min<std::size_t>(line.size(), 101)));
  }
  EXPECT_GT(count, 3U) << told.out;
  EXPECT_EQ(rows.size(), count) << told.out;
  const auto& best = json.at("candidates").at(json.at("best").get<std::size_t>());
  EXPECT_TRUE(best.at("front"));
  EXPECT_EQ(text_of(path("out/fit.json")), text_of(path("fit.json")));
  const Finished ran =
      run("--config " + path("out/best.yaml") + " --engine tlm --quiet --json " + path("run.json"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto result = nlohmann::json::parse(text_of(path("run.json")));
  EXPECT_EQ(result.at("totals").at("cycles"), best.at("cycles").at(0));
}

TEST_F(FitCli, IsTakenUpWhereItWasLeft) {
  const std::string arguments = "--part ecp5-12f --network lenet5 --points 200 --no-place --quiet";
  ASSERT_EQ(fit(arguments).code, 0);
  const std::string first = text_of(path("out/fit.json"));
  // Half of the points are lost.
  ASSERT_EQ(
      execute("python3 -c \"import sqlite3; d = sqlite3.connect('" + path("out/points.sqlite") +
              "'); d.execute('DELETE FROM points WHERE rowid % 2 = 0'); d.commit()\"")
          .code,
      0);
  ASSERT_EQ(fit(arguments).code, 0);
  EXPECT_EQ(text_of(path("out/fit.json")), first);
  const Finished other = fit("--part ecp5-25f --network lenet5 --points 200 --no-place --quiet");
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("another question"), std::string::npos) << other.err;
}

TEST_F(FitCli, FillLeavesRoomForTheRouter) {
  const auto luts = [&](const std::string& fill) {
    const Finished outcome =
        fit("--part ecp5-25f --network lenet5 --points 400 --no-place --quiet --fresh " + fill);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(text_of(path("out/fit.json")));
    EXPECT_EQ(json.at("fill_percent"), fill.empty() ? 100 : 50);
    return json.at("candidates")
        .at(json.at("best").get<std::size_t>())
        .at("estimated")
        .at("luts")
        .get<int>();
  };
  constexpr int kHalf = 24288 / 2;
  EXPECT_GT(luts(""), kHalf);
  const int least = luts("--fill 50");
  EXPECT_LE(least, kHalf);
  EXPECT_GT(least, kHalf / 2);
  EXPECT_NE(text_of(path("out/fit.json")).find("LUT4 of 12144 (to be filled, of 24288)"),
            std::string::npos);
  EXPECT_EQ(fit("--part ecp5-25f --network lenet5 --no-place --fill 0").code, 2);
}

// All that is drawn at first is too large, or leaves additions to the host.
TEST_F(FitCli, TheLeastThatRunsANetworkIsFound) {
  test::write_text(
      path("sum.yaml"),
      "name: sum\nlayers:\n"
      "  - conv2d: {name: a, in: [8, 8, 16], out_channels: 16, kernel: 3, padding: 1}\n"
      "  - conv2d: {name: b, out_channels: 16, kernel: 3, padding: 1}\n"
      "  - add: {name: c, from: [b, a], activation: relu}\n");
  const Finished outcome = fit("--part ecp5-12f --network " + path("sum.yaml") +
                               " --fill 45 --points 320 --no-place --quiet");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(text_of(path("out/fit.json")));
  const auto& best = json.at("candidates").at(json.at("best").get<std::size_t>());
  EXPECT_EQ(best.at("hardware").at("features").at("operands"), "yes");
  EXPECT_LE(best.at("estimated").at("luts").get<int>(), 24288 * 45 / 100);
}

TEST_F(FitCli, ABoardBringsItsPartItsMemoryAndItsClocks) {
  const Finished outcome = fit(
      "--board colorlight-i5 --network lenet5 --points 150 --no-place --json " + path("fit.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("its bitstream: cosim fpga --board colorlight-i5 --config "),
            std::string::npos)
      << outcome.out;
  const auto json = nlohmann::json::parse(text_of(path("fit.json")));
  EXPECT_EQ(json.at("board"), "colorlight-i5");
  EXPECT_EQ(json.at("part"), "ecp5-25f");
  const auto& best = json.at("candidates").at(json.at("best").get<std::size_t>());
  // The board's memory at the clock that the PLL makes: the same cycles again.
  const Finished ran =
      run("--config " + path("out/best.yaml") + " --engine tlm --quiet --json " + path("run.json"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto result = nlohmann::json::parse(text_of(path("run.json")));
  EXPECT_EQ(result.at("totals").at("cycles"), best.at("cycles").at(0));
  for (const auto& [wrong, words] :
       {std::pair<std::string, std::string>{"--board none", "no such board"},
        {"--board ulx3s --part ecp5-25f", "excludes"},
        {"--part ecp5-25f --no-place --seeds 2", "excludes"},
        {"--part ecp5-25f --seeds 0", "--seeds"},
        {"--board ulx3s --bandwidth 100", "excludes"},
        {"", "give --part or --board"}}) {
    const Finished refused = fit(wrong + " --network lenet5 --no-place");
    EXPECT_EQ(refused.code, 2) << wrong;
    EXPECT_NE(refused.err.find(words), std::string::npos) << refused.err;
  }
}

// Its weights stay in the board's flash, which counts.
TEST_F(FitCli, AProgramThatStaysInTheFlashIsCountedSo) {
  test::write_text(path("large.yaml"),
                   "name: large\nlayers:\n"
                   "  - conv2d: {in: [3, 3, 64], out_channels: 256, kernel: 3}\n");
  const Finished outcome = fit("--board icebreaker --network " + path("large.yaml") +
                               " --points 60 --no-place --quiet --json " + path("fit.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(text_of(path("fit.json")));
  const auto& best = json.at("candidates").at(json.at("best").get<std::size_t>());
  const Finished ran = run("--config " + path("out/best.yaml") + " --engine model --quiet --json " +
                           path("run.json"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto result = nlohmann::json::parse(text_of(path("run.json")));
  EXPECT_GT(result.at("hardware").at("rom_cycles_per_beat"), 16);
  EXPECT_EQ(result.at("totals").at("cycles"), best.at("cycles").at(0));
}

TEST_F(FitCli, EveryBoardHasHardwareThatFits) {
  for (const auto& [board, luts, speed] :
       {std::tuple<std::string, double, double>{"ulx3s", 8000, 100},
        {"tang-nano-20k", 8000, 100},
        {"icebreaker", 4000, 20}}) {
    const Finished outcome =
        fit("--board " + board +
            " --network lenet5 --points 120 --no-place --quiet --fresh --json " + path("fit.json"));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(text_of(path("fit.json")));
    const auto& best = json.at("candidates").at(json.at("best").get<std::size_t>());
    EXPECT_GT(best.at("estimated").at("luts"), luts) << board;
    EXPECT_GT(best.at("inferences_per_second").at(0), speed) << board;
  }
}

TEST_F(FitCli, WhatIsSetIsInTheBestConfiguration) {
  const Finished outcome =
      fit("--part ecp5-25f --network lenet5 --points 120 --no-place --quiet --bandwidth 300 "
          "--set memory.latency=77 --set policy.name=best --set policy.objective=traffic");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto fit = nlohmann::json::parse(text_of(path("out/fit.json")));
  const auto& best = fit.at("candidates").at(fit.at("best").get<std::size_t>());
  const Finished ran = run("--config " + path("out/best.yaml") + " --engine model --quiet --json " +
                           path("run.json"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto result = nlohmann::json::parse(text_of(path("run.json")));
  EXPECT_EQ(result.at("hardware").at("memory_latency_cycles"), 77);
  EXPECT_EQ(result.at("policy"), "best");
  // One run searches longer than thousands of candidates can.
  const auto promised = best.at("cycles").at(0).get<double>();
  EXPECT_NEAR(result.at("totals").at("cycles").get<double>(), promised, promised / 50);
}

TEST_F(FitCli, WhatNothingReachesIsNoAnswer) {
  const Finished outcome =
      fit("--part ecp5-25f --network lenet5 --points 40 --no-place --quiet --objective smallest "
          "--fps 1000000");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("keeps 1e+06 inferences/s"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("the most is"), std::string::npos) << outcome.err;
}

TEST_F(FitCli, BadQuestionsAreAnsweredClearly) {
  const struct {
    const char* arguments;
    const char* says;
  } cases[] = {
      {"--part nonsense --network lenet5", "no such part"},
      {"--part lifcl-40 --network lenet5", "for lifcl-40 there are no estimates"},
      {"--part ecp5-25f --network lenet5 --objective speed", "throughput-per-lut"},
      {"--part ecp5-25f --network lenet5 --objective smallest", "--fps"},
      {"--part ecp5-25f --network lenet5 --fps 100", "--fps"},
      {"--part ecp5-25f --network lenet5 --set hardware.cbuf.size=8KiB", "what fit looks for"},
      {"--part ecp5-25f --network no_such_network", "no_such_network"},
      {"--part ecp5-12f --network lenet5 --points 1 --no-place --quiet", "nothing among 1"},
  };
  for (const auto& c : cases) {
    const Finished outcome = fit(c.arguments);
    EXPECT_EQ(outcome.code, 2) << c.arguments;
    EXPECT_NE(outcome.err.find(c.says), std::string::npos) << c.arguments << "\n" << outcome.err;
  }
}

}  // namespace
}  // namespace tessera

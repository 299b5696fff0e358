// Pages in a browser without a screen: charts drawn, numbers those of the JSON, nothing fetched.
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <nlohmann/json.hpp>
#include <set>

#include "report/report_html.hpp"
#include "tests/app/cli.hpp"

namespace tessera {
namespace {

using Json = nlohmann::json;
using test::Cli;
using test::Finished;
using test::text_of;
using test::write_text;

std::string from_base64(const std::string& text) {
  std::string bytes(text.size(), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  EXPECT_GE(size, 0);
  bytes.resize(static_cast<std::size_t>(std::max(size, 0)));
  return bytes.substr(0, bytes.rfind('}') + 1);
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t at = text.find(begin);
  if (at == std::string::npos) {
    return "";
  }
  const std::size_t from = at + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

class Page : public test::Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    if (execute("command -v chromium").code != 0) {
      GTEST_SKIP() << "skipped: chromium is not installed";
    }
    write_text(path("plain.html"), "<p>it runs</p>");
    if (const Finished plain = browser("plain.html");
        plain.out.find("it runs") == std::string::npos) {
      GTEST_SKIP() << "skipped: chromium does not run here: " << plain.err;
    }
    if (!std::filesystem::exists(TESSERA_WEB_DIR "/node_modules/echarts/dist/echarts.min.js")) {
      GTEST_SKIP() << "skipped: the charting library is not here (scripts/web-assets.sh)";
    }
  }

  // A page's DOM on standard output, by a browser that has no network.
  Finished browser(const std::string& page) {
    return execute(
        fmt::format("HOME={0} timeout 120 chromium --headless=new --no-sandbox --disable-gpu "
                    "--disable-dev-shm-usage --user-data-dir={0}/profile --window-size=1300,2400 "
                    "--host-resolver-rules='MAP * ~NOTFOUND' --enable-logging=stderr --dump-dom "
                    "file://{0}/{1}",
                    dir_.string(), page));
  }

  // What the probe found, with the page opened in a browser that has no network.
  Json opened(const std::string& page) {
    std::string html = text_of(page);
    EXPECT_NE(html, "");
    html.insert(html.rfind("</body>"),
                "<script>" + text_of(TESSERA_SOURCE_DIR "/tests/report/probe.js") + "</script>");
    write_text(path("probed.html"), html);
    const Finished outcome = browser("probed.html");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const char* bad : {"CONSOLE", "Uncaught", "Refused to"}) {
      EXPECT_EQ(outcome.err.find(bad), std::string::npos) << outcome.err;
    }
    const std::string probe = between(outcome.out, "<pre id=\"probe\">", "</pre>");
    EXPECT_NE(probe, "") << outcome.err;
    return probe.empty() ? Json() : Json::parse(from_base64(probe));
  }

  void expect_drawn(const Json& found, const std::vector<std::string>& charts) {
    for (const std::string& name : charts) {
      ASSERT_TRUE(found["charts"].contains(name)) << name;
      EXPECT_GE(found["charts"][name]["colours"], 4) << name << " is blank";
      EXPECT_NE(found["charts"][name]["label"], "") << name;
    }
    EXPECT_EQ(found["charts"].size(), charts.size());
    EXPECT_EQ(found["external"], Json::array());
  }
};

const char* const kConfig = "--config " TESSERA_SOURCE_DIR "/configs/npu.yaml --engine model ";

TEST_F(Page, OfARunShowsTheJsonsNumbers) {
  const Finished outcome = run(std::string(kConfig) + "--set policy=best --quiet --report " +
                               path("r.html") + " --json " + path("r.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json run = Json::parse(text_of(path("r.json")));
  const Json found = opened(path("r.html"));
  ASSERT_FALSE(found.is_null());
  expect_drawn(found, {"bars", "roofline", "memory", "timeline"});
  const Json& layers = run["layers"];
  ASSERT_EQ(found["rows"].size(), layers.size());
  const char* const causes[] = {"array_busy", "stall_weights", "stall_bank",
                                "wait_load",  "wait_store",    "compute_other"};
  std::uint64_t stacked = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Json& row = found["rows"][i];
    EXPECT_EQ(row[0], layers[i]["name"]);
    EXPECT_EQ(row[2], layers[i]["mode"]);
    EXPECT_EQ(row[5], std::to_string(layers[i]["cycles"].get<std::uint64_t>()));
    EXPECT_EQ(row[9], std::to_string(layers[i]["external_read_bytes"].get<std::uint64_t>()));
    for (std::size_t c = 0; c < std::size(causes); ++c) {
      const Json& bar = found["charts"]["bars"]["series"][c]["data"][i];
      EXPECT_EQ(bar, layers[i]["counters"][causes[c]]);
      stacked += bar.get<std::uint64_t>();
    }
  }
  EXPECT_EQ(stacked, run["totals"]["cycles"]);
  // Charts and rows are reached by Tab; an arrow moves on from the row that had the focus.
  EXPECT_EQ(found["focusable"], layers.size() + 4);
  EXPECT_EQ(found["chosen"], Json::array({layers[1]["name"]}));
  EXPECT_GT(found["charts"]["timeline"]["series"][0]["data"].size(), 100U);
}

TEST_F(Page, OfAComparisonShowsWhereValuesDiffer) {
  const auto differences = [](int values, int different, const Json& steps) {
    return Json{{"values", values},
                {"different", different},
                {"greatest", different > 0 ? 2 : 0},
                {"steps", steps}};
  };
  const Json same = {{0, 8}};
  Json json{{"schema", "tessera.comparison/1"},
            {"network", "net"},
            {"model", "net.tflite"},
            {"runtime", "xnnpack"},
            {"version", "a runtime 1.0"},
            {"numerics", "tflm"},
            {"inputs", "seed 1"},
            {"equal", false},
            {"compared", 2},
            {"first", 2}};
  json["operators"] = {
      {{"name", "first"},
       {"op", "CONV_2D"},
       {"known", true},
       {"on_theirs", true},
       {"output", "a"},
       {"alone", differences(8, 0, same)},
       {"whole", differences(8, 0, same)},
       {"agree", Json::array()}},
      {{"name", "hidden"}, {"op", "RESHAPE"}, {"known", false}, {"on_theirs", true}},
      {{"name", "last"},
       {"op", "ADD"},
       {"known", true},
       {"on_theirs", false},
       {"output", "b"},
       {"alone", differences(6, 3, {{-2, 1}, {0, 3}, {1, 2}})},
       {"whole", differences(6, 4, {{-2, 1}, {0, 2}, {1, 3}})},
       {"agree", {"xnnpack"}}}};
  json["outputs"] = {{{"name", "b"}, {"whole", json["operators"][2]["whole"]}}};
  json["alternatives"] = {{{"numerics", "xnnpack"}, {"different", 0}}};
  json["map"] = {{"rows", 2}, {"columns", 3}, {"greatest", {0, 1, 0, 2, 1, 0}}};
  json["notes"] = {"a note </script> & more"};
  write_text(path("c.html"), comparison_html(json.dump()));
  const Json found = opened(path("c.html"));
  ASSERT_FALSE(found.is_null());
  expect_drawn(found, {"operators", "steps", "places"});
  ASSERT_EQ(found["rows"].size(), 2U);
  EXPECT_EQ(found["rows"][1][0], "last");
  EXPECT_EQ(found["rows"][1][3], "3");
  EXPECT_EQ(found["rows"][1][5], "4");
  const Json& charts = found["charts"];
  EXPECT_EQ(charts["operators"]["series"][0]["data"], Json({0, 50}));
  EXPECT_EQ(charts["steps"]["series"][0]["data"].size(), 3U);
  EXPECT_EQ(charts["places"]["series"][0]["data"].size(), 6U);
}

// Every command of each lane is a rectangle, or part of bars that are as busy as all of them.
TEST_F(Page, TheTimelineHasAllOfEachLane) {
  for (const char* network : {"lenet5", "resnet18", "resnet50"}) {
    SCOPED_TRACE(network);
    const Finished outcome = run(std::string(kConfig) + "--set hardware=medium --network " +
                                 network + " --quiet --report " + path("r.html"));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::string html = text_of(path("r.html"));
    const Json data =
        Json::parse(between(html, R"(<script type="application/json" id="data">)", "</script>"));
    const Json& timeline = data["timeline"];
    const Json found = opened(path("r.html"));
    ASSERT_FALSE(found.is_null());
    const Json& lanes = found["lanes"];
    ASSERT_EQ(lanes.size(), 5U + timeline["banks"].get<std::size_t>());
    std::array<std::size_t, 5> items{};
    std::array<double, 5> busy{};
    for (const Json& slice : timeline["slices"]) {
      ++items[slice[0].get<std::size_t>()];
      busy[slice[0].get<std::size_t>()] += slice[4].get<double>();
    }
    for (const Json& slice : timeline["bus"]) {
      ++items[3 + slice[0].get<std::size_t>()];
      busy[3 + slice[0].get<std::size_t>()] += slice[3].get<double>();
    }
    bool is_any_summed = false;
    for (std::size_t lane = 0; lane < items.size(); ++lane) {
      SCOPED_TRACE(lanes[lane]["lane"].get<std::string>());
      EXPECT_EQ(lanes[lane]["items"], items[lane]);
      if (lanes[lane]["summed"].get<bool>()) {
        is_any_summed = true;
        EXPECT_NEAR(lanes[lane]["busy"].get<double>(), busy[lane], 1e-6 * busy[lane] + 1);
      } else {
        EXPECT_EQ(lanes[lane]["shapes"], items[lane]);
      }
    }
    EXPECT_EQ(is_any_summed, std::string(network) != "lenet5");
  }
}

// On paper: all charts and rows, no scroll bars. 15 layers of a table, four charts: some pages.
TEST_F(Page, PrintsOnPaper) {
  ASSERT_EQ(run(std::string(kConfig) + "--quiet --report " + path("probed.html")).code, 0);
  const Finished outcome = execute(
      fmt::format("HOME={0} timeout 120 chromium --headless=new --no-sandbox --disable-gpu "
                  "--disable-dev-shm-usage --user-data-dir={0}/profile --no-pdf-header-footer "
                  "--print-to-pdf={0}/out.pdf file://{0}/probed.html",
                  dir_.string()));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string pdf = text_of(path("out.pdf"));
  EXPECT_EQ(pdf.substr(0, 5), "%PDF-");
  std::size_t pages = 0;
  for (std::size_t at = pdf.find("/Type /Page\n"); at != std::string::npos;
       at = pdf.find("/Type /Page\n", at + 1)) {
    ++pages;
  }
  EXPECT_GE(pages, 2U);
  EXPECT_LE(pages, 8U);
}

TEST_F(Page, OfASweepShowsItsPoints) {
  const Finished outcome =
      run("sweep " + std::string(kConfig) +
          "--network lenet5,mobilenet_v1 --cbuf 64,8KiB..64KiB --quiet --out " + path("s") +
          " --report " + path("s.html"));
  ASSERT_EQ(outcome.code, 1) << outcome.err;
  const Json sweep = Json::parse(text_of(path("s/results.json")));
  const Json found = opened(path("s.html"));
  ASSERT_FALSE(found.is_null());
  expect_drawn(found, {"curves", "pareto"});
  const Json& curves = found["charts"]["curves"]["series"];
  ASSERT_EQ(curves.size(), 2U);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t p = 0; p < 4; ++p) {
      const Json& point = sweep["points"][5 * c + 1 + p];
      EXPECT_EQ(curves[c]["data"][p][1], point["cycles"]);
      EXPECT_EQ(curves[c]["data"][p][0], point["cbuf_bytes"].get<double>() / 1024);
    }
  }
  EXPECT_EQ(found["charts"]["pareto"]["series"][0]["data"].size(), 8U);
  // Two rows of smallest sizes, then all points, those that failed too.
  ASSERT_EQ(found["rows"].size(), 12U);
  EXPECT_EQ(found["rows"][2][3], "failed");
}

// Two keys and the network: fields by both, lines through all; filters and order.
TEST_F(Page, OfASweepOfSeveralKeys) {
  const Finished outcome = run("sweep " + std::string(kConfig) +
                               "--network lenet5,first_light --cbuf 16KiB..64KiB --set "
                               "memory.bytes_per_cycle=2,8 --quiet --out " +
                               path("k") + " --report " + path("k.html"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json sweep = Json::parse(text_of(path("k/results.json")));
  const Json found = opened(path("k.html"));
  ASSERT_FALSE(found.is_null());
  expect_drawn(found, {"curves", "heat", "heat-1", "parallel", "pareto"});
  std::multiset<std::uint64_t> cycles;
  std::multiset<std::uint64_t> fields;
  std::vector<std::uint64_t> left;
  for (const Json& point : sweep["points"]) {
    cycles.insert(point["cycles"].get<std::uint64_t>());
    if (point["network"] == "first_light") {
      left.push_back(point["cycles"].get<std::uint64_t>());
    }
  }
  for (const char* name : {"heat", "heat-1"}) {
    for (const Json& field : found["charts"][name]["series"][0]["data"]) {
      fields.insert(field[2].get<std::uint64_t>());
    }
  }
  EXPECT_EQ(fields, cycles);
  EXPECT_EQ(found["charts"]["parallel"]["series"][0]["data"].size(), 12U);
  const Json& filtered = found["filtered"];
  EXPECT_EQ(filtered["without"], "lenet5");
  EXPECT_EQ(filtered["count"], "6 of 12 points");
  std::sort(left.rbegin(), left.rend());
  EXPECT_EQ(filtered["cycles"], Json(left));
  EXPECT_EQ(filtered["drawn"], Json::parse(R"([["curves", 6], ["heat", 0], ["heat-1", 6],
                                               ["parallel", 6], ["pareto", 6]])"));
}

TEST_F(Page, OfADesignShowsItsModulesAndItsCriticalPath) {
  Json design = Json::parse(
      R"({"schema": "tessera.fpga/1", "part": "ecp5-25f", "hardware": {"name": "tiny", "AtomicC": 4, "AtomicK": 4},
    "luts": 15000, "luts_available": 24288, "ffs": 5000, "ffs_available": 24288, "brams": 30, "brams_available": 56,
    "dsps": 26, "dsps_available": 28, "fmax_mhz": 41.5, "bitstream": "design.bit", "tools": {"yosys": "0.70"},
    "critical_path": [{"module": "u_load", "what": "clk-to-q", "ns": 0.5}, {"module": "u_load", "what": "routing", "ns": 1.5},
                      {"module": "u_store", "what": "logic", "ns": 2.0}],
    "modules": [{"module": "u_store/u_drain", "luts": 2000, "ffs": 500, "brams": 1, "dsps": 9},
                {"module": "u_compute", "luts": 900, "ffs": 100, "brams": 0, "dsps": 16}, {"module": "", "luts": 50, "ffs": 0, "brams": 0, "dsps": 0}],
    "network": "lenet5", "cycles": 65156, "inferences_per_second": 636.9})");
  write_text(path("design.html"), design_html(design.dump()));
  Json found = opened(path("design.html"));
  ASSERT_FALSE(found.is_null());
  expect_drawn(found, {"resources", "modules", "path"});
  const Json& charts = found["charts"];
  EXPECT_EQ(charts["resources"]["series"][0]["data"], Json({61.8, 20.6, 53.6, 92.9}));
  EXPECT_EQ(charts["modules"]["series"][0]["data"], Json({2000, 900, 50}));
  EXPECT_EQ(charts["path"]["series"][0]["data"], Json({0.5, 2.0})) << "logic of two modules";
  EXPECT_EQ(charts["path"]["series"][1]["data"], Json({1.5, 0})) << "routing";
  ASSERT_EQ(found["rows"].size(), 3U);
  EXPECT_EQ(found["rows"][0], Json({"u_store/u_drain", "2000", "500", "1", "9"}));
  EXPECT_EQ(found["rows"][2][0], "(top)");
  EXPECT_EQ(found["head"][0], "tiny on ecp5-25f");
  // A board: its clock is what the figures are at.
  design["board"] = "ulx3s";
  design["clock_mhz"] = 40;
  write_text(path("board.html"), design_html(design.dump()));
  found = opened(path("board.html"));
  ASSERT_FALSE(found.is_null());
  EXPECT_EQ(found["head"][0], "tiny on ulx3s (ecp5-25f)");
  EXPECT_NE(found["head"][1].get<std::string>().find("41.5 MHz reached, its clock has 40 MHz"),
            std::string::npos);
  design.erase("board");
  design.erase("clock_mhz");
  // Counted only: no clock and no path.
  design["fmax_mhz"] = nullptr;
  design["inferences_per_second"] = nullptr;
  design["critical_path"] = Json::array();
  write_text(path("counted.html"), design_html(design.dump()));
  found = opened(path("counted.html"));
  ASSERT_FALSE(found.is_null());
  expect_drawn(found, {"resources", "modules"});
}

TEST_F(Page, OfAFitShowsTheFrontAndWhatIsInTheWay) {
  const Finished outcome = run(
      "fit --config " TESSERA_SOURCE_DIR
      "/configs/npu.yaml --part ecp5-12f --network lenet5 --points 250 --no-place --quiet --out " +
      path("fit") + " --report " + path("fit.html"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json fit = Json::parse(text_of(path("fit/fit.json")));
  const Json found = opened(path("fit.html"));
  ASSERT_FALSE(found.is_null());
  expect_drawn(found, {"front", "where", "limits"});
  const Json& charts = found["charts"];
  EXPECT_EQ(charts["front"]["series"][0]["data"].size(), fit["candidates"].size());
  EXPECT_EQ(charts["where"]["series"].size(), 4U);
  EXPECT_EQ(charts["limits"]["series"][0]["data"].size(),
            std::min<std::size_t>(fit["limits"].size(), 8));
  ASSERT_EQ(found["rows"].size(), fit["candidates"].size());
  EXPECT_EQ(found["rows"][fit["best"].get<std::size_t>()][7], "best");
}

TEST_F(Page, FiveHundredLayersAreDrawn) {
  std::string network = "layers:\n  - conv2d: {in: [8, 8, 8], out_channels: 8, kernel: 1}\n";
  for (int i = 1; i < 500; ++i) {
    network += "  - conv2d: {out_channels: 8, kernel: 1}\n";
  }
  write_text(path("n.yaml"), network);
  const Finished outcome = run(std::string(kConfig) + "--quiet --network " + path("n.yaml") +
                               " --report " + path("r.html"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json found = opened(path("r.html"));
  ASSERT_FALSE(found.is_null());
  expect_drawn(found, {"bars", "roofline", "memory", "timeline"});
  EXPECT_EQ(found["rows"].size(), 500U);
}

TEST_F(Page, NamesFromOutsideStayText) {
  write_text(path("n.yaml"),
             "name: \"</script><b>x\"\nlayers:\n  - conv2d: {name: \"</script><script>alert(1)"
             "</script>\", in: [4, 4, 8], out_channels: 8, kernel: 1}\n");
  const Finished outcome = run(std::string(kConfig) + "--quiet --network " + path("n.yaml") +
                               " --report " + path("r.html"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json found = opened(path("r.html"));
  ASSERT_FALSE(found.is_null());
  EXPECT_EQ(found["rows"][0][0], "</script><script>alert(1)</script>");
}

TEST_F(Page, AMissingLibraryIsAMissingTool) {
  const Finished outcome = run(std::string(kConfig) + "--quiet --report " + path("r.html"),
                               "TESSERA_ECHARTS=/nowhere/echarts.js");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("scripts/web-assets.sh"), std::string::npos) << outcome.err;
}

TEST_F(Cli, TraceHasLanesAndSlices) {
  const Finished outcome =
      run(std::string(kConfig) + "--quiet --trace " + path("t.json") + " --json " + path("r.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json trace = Json::parse(text_of(path("t.json")));
  const Json run = Json::parse(text_of(path("r.json")));
  EXPECT_EQ(trace["otherData"]["cycles"], run["totals"]["cycles"]);
  std::map<int, std::string> lanes;
  std::map<std::string, std::uint64_t> bytes;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "M") {
      if (event["name"] == "thread_name") {
        lanes[event["tid"].get<int>()] = event["args"]["name"];
      }
      continue;
    }
    ASSERT_EQ(event["ph"], "X");
    const std::string lane = lanes.at(event["tid"].get<int>());
    bytes[lane] += event["args"]["bytes"].get<std::uint64_t>();
    if (lane.rfind("bus", 0) != 0) {
      EXPECT_TRUE(event["args"].contains("layer") && event["args"].contains("tile"));
    }
  }
  EXPECT_EQ(lanes.size(), 5U);
  EXPECT_EQ(bytes["store"], run["totals"]["external_write_bytes"]);
  EXPECT_EQ(bytes["load"] + run["totals"]["counters"]["read_command_bytes"].get<std::uint64_t>(),
            run["totals"]["external_read_bytes"]);
}

TEST_F(Cli, ColourOnlyWhereItIsWanted) {
  const auto printed = [&](const std::string& environment) {
    return execute(fmt::format("env -u NO_COLOR TERM=xterm {} script -qec '{} {}' /dev/null",
                               environment, COSIM, kConfig))
        .out;
  };
  if (execute("command -v script").code != 0) {
    GTEST_SKIP() << "skipped: `script` is not installed";
  }
  EXPECT_NE(printed("").find("\x1b[3"), std::string::npos) << printed("");
  EXPECT_EQ(printed("NO_COLOR=1").find("\x1b[3"), std::string::npos);
  EXPECT_EQ(printed("TERM=dumb").find("\x1b[3"), std::string::npos);
  EXPECT_EQ(run(kConfig).out.find('\x1b'), std::string::npos) << "no terminal";
  for (const char* line : {"60", "80", "200"}) {
    const std::string out = run(kConfig, std::string("COLUMNS=") + line).out;
    const std::size_t table = out.find("\n\n") + 2;
    EXPECT_LE(out.find('\n', table) - table, std::stoul(line));
  }
}

}  // namespace
}  // namespace tessera

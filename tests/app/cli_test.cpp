// The command line as scripts see it: exit codes, what is printed where, JSON, files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/app/cli.hpp"
#include "tests/shared_data.hpp"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using std::string_literals::operator""s;

using test::Cli;
using test::Finished;
using test::text_of;
using test::write_text;

const std::string kDefault = "--config " TESSERA_SOURCE_DIR "/configs/npu.yaml";

TEST_F(Cli, SimulatesTheDefaultConfiguration) {
  const Finished outcome = simulate();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("conv1"), std::string::npos);
  EXPECT_NE(outcome.out.find("verified: every layer equals the reference"), std::string::npos);
  EXPECT_EQ(outcome.err, "");
}

// Whoever has a network needs no configuration.
TEST_F(Cli, ANetworkIsEnough) {
  const std::string at = "--engine model --json - ";
  const auto configured = nlohmann::json::parse(simulate(at).out);
  EXPECT_EQ(nlohmann::json::parse(run("lenet5 " + at).out), configured);
  EXPECT_EQ(nlohmann::json::parse(run("--network lenet5 " + at).out), configured);
  EXPECT_EQ(run("explain lenet5").out, run("explain " + kDefault).out);
  EXPECT_EQ(run("plan lenet5").out, run("plan " + kDefault).out);
  const Finished sweep = run("sweep lenet5 --engine model --cbuf 8KiB,16KiB --out " + path("s"));
  EXPECT_EQ(sweep.code, 0) << sweep.err;
  EXPECT_NE(sweep.out.find("lenet5  16 KiB"), std::string::npos) << sweep.out;
  const Finished none = run("");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("give a network, such as `cosim lenet5`"), std::string::npos) << none.err;
}

TEST_F(Cli, SlipsOfThePenGetASuggestion) {
  const auto refused = [&](const std::string& arguments, const std::string& says) {
    const Finished outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.err.rfind("cosim: ", 0), 0U) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  };
  refused("swep lenet5", "`swep` is no command and no network (did you mean `sweep`?)");
  refused("lenet55", "did you mean `lenet5`?");
  refused("sweep --cbuff 8KiB", "`--cbuff` is not known here (did you mean `--cbuf`?)");
  refused("lenet5 --jsn a.json", "`--jsn` is not known here (did you mean `--json`?)");
  refused("--quiet sweep lenet5", "`--quiet` stands before the command");
  refused("fit lenet5", "--out is required");
  refused("help swep", "did you mean `sweep`?");
  EXPECT_NE(run("help sweep").out.find("cosim sweep [OPTIONS]"), std::string::npos);
  EXPECT_NE(run("help").out.find("explore"), std::string::npos);
}

TEST_F(Cli, WhatCannotBeReadOrWrittenSaysWhatMay) {
  const auto refused = [&](const Finished& outcome, int code, const std::string& says) {
    EXPECT_EQ(outcome.code, code);
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  };
  refused(run("--config " + dir_.string()), 2, "is a folder; a file is expected");
  refused(run("lenet5 --engine model --report " + path("r.pdf")), 2,
          "allowed are names that end with .html");
  write_text(path("cache"), "no folder");
  refused(run("lenet5 --set hardware.cbuf.capacity=192KiB", "TESSERA_CACHE_DIR=" + path("cache")),
          3, "TESSERA_CACHE_DIR names another folder");
}

TEST_F(Cli, ExplainSaysWhereTheTimeGoesAndWhatWouldHelp) {
  const std::string text = run("explain lenet5 --layer conv1").out;
  for (const char* says : {"conv1 (CONV_2D)", "  => direct", "time: 4 984 cycles, 23.4 % of",
                           "with all lanes at work", "in vain"}) {
    EXPECT_NE(text.find(says), std::string::npos) << says << '\n' << text;
  }
  // What is told adds up.
  const auto layer = nlohmann::json::parse(run("lenet5 --engine model --json -").out)["layers"][0];
  std::uint64_t sum = 0;
  for (const char* key :
       {"array_busy", "stall_weights", "stall_bank", "wait_load", "wait_store", "compute_other"}) {
    sum += layer["counters"][key].get<std::uint64_t>();
  }
  EXPECT_NEAR(static_cast<double>(sum), 4984, 64);
  const std::string what_if = run("explain lenet5 --what-if --set policy=best").out;
  EXPECT_NE(run("explain lenet5 --set policy=best").out.find("decided for 256 of 512 accumulators"),
            std::string::npos);
  EXPECT_EQ(text.find("decided for"), std::string::npos) << "first-fit's is for all";
  EXPECT_NE(what_if.find("memory.bytes_per_cycle 8 -> 16, hardware.bus_bytes 8 -> 16"),
            std::string::npos)
      << "more than the bus takes is of no use: " << what_if;
  const std::string of_host = run("explain lenet5 --what-if --layer softmax").out;
  EXPECT_NE(of_host.find("host"), std::string::npos) << of_host;
  EXPECT_EQ(of_host.find("nan"), std::string::npos) << of_host;
  EXPECT_NE(what_if.find("hardware.cbuf.banks 8 -> 16"), std::string::npos) << what_if;
  EXPECT_NE(run("explain lenet5 --what-if --layer cnv1").err.find("did you mean `conv1`?"),
            std::string::npos);
}

TEST_F(Cli, TwoRunsBesideEachOther) {
  const std::string run_it = "lenet5 --engine model --quiet --json ";
  ASSERT_EQ(run(run_it + path("a.json")).code, 0);
  ASSERT_EQ(run(run_it + path("b.json") + " --set policy=best").code, 0);
  const Finished outcome = run("diff " + path("a.json") + " " + path("b.json"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto cycles = [&](const char* name) {
    return nlohmann::json::parse(text_of(path(name)))["totals"]["cycles"].get<double>();
  };
  EXPECT_NE(
      outcome.out.find(fmt::format("{:+.1f} %", 100 * (cycles("b.json") / cycles("a.json") - 1))),
      std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("fc3          direct -> row-by-row"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("2 layers are the same"), std::string::npos) << outcome.out;
  EXPECT_EQ(run("diff " + path("a.json") + " " + path("a.json")).out.find("conv1"),
            std::string::npos);
  EXPECT_NE(run("diff --all " + path("a.json") + " " + path("a.json")).out.find("conv1"),
            std::string::npos);
  ASSERT_EQ(run(run_it + path("d.json") +
                " --set hardware.clock=200MHz --set host=microcontroller --set memory.latency=9")
                .code,
            0);
  const std::string settings = run("diff " + path("a.json") + " " + path("d.json")).out;
  EXPECT_NE(settings.find("clock_mhz null -> 200.0"), std::string::npos) << settings;
  EXPECT_NE(settings.find("memory_latency_cycles 64 -> 9"), std::string::npos) << settings;
  EXPECT_NE(settings.find("with the host"), std::string::npos) << settings;
  EXPECT_NE(settings.find("milliseconds: 0 -> "), std::string::npos) << settings;
  write_text(path("e.json"), R"({"schema": "tessera.run/1"})");
  EXPECT_NE(run("diff " + path("a.json") + " " + path("e.json")).err.find("not as `cosim --json`"),
            std::string::npos);
  write_text(path("c.json"), R"({"schema": "tessera.sweep/1"})");
  EXPECT_NE(run("diff " + path("a.json") + " " + path("c.json"))
                .err.find("its schema is `tessera.sweep/1`"),
            std::string::npos);
}

TEST_F(Cli, APlanNamesItsPeak) {
  write_text(path("p.csv"), "id,lower,upper,size\na,0,2,40\nb,1,3,60\nc,2,4,50\n");
  const std::string problem = "plan --problem " + path("p.csv");
  EXPECT_NE(run(problem).out.find("most bytes at 2: 110, taken by b (60), c (50)\n"),
            std::string::npos)
      << run(problem).out;
  const auto peak = nlohmann::json::parse(run(problem + " --quiet --json -").out)["peak"];
  EXPECT_EQ(peak["step"], 2);
  EXPECT_EQ(peak["bytes"], 110);
  EXPECT_EQ(peak["buffers"], (std::vector<std::string>{"b", "c"}));
  EXPECT_NE(run("plan lenet5").out.find("most bytes at conv1: 4 736, taken by conv1 (4 736)"),
            std::string::npos)
      << run("plan lenet5").out;
}

// Outputs on inputs are something that greedy planners do not look for.
TEST_F(Cli, APlanClaimsNoMoreThanItLookedFor) {
  const std::string greedy = run("plan lenet5 --planner greedy-size").out;
  EXPECT_NE(greedy.find("no plan for this order without writing in place is smaller"),
            std::string::npos)
      << greedy;
  EXPECT_EQ(run("plan lenet5").out.find("without writing in place"), std::string::npos);
  EXPECT_NE(run("plan lenet5 --alignment 4096").err.find("lie at multiples of 64 bytes"),
            std::string::npos);
}

TEST_F(Cli, AnEmptyArgumentIsAnUnsetVariable) {
  const Finished outcome = run("sweep lenet5 --cbuf '' --out " + path("s"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("after `--cbuf`, is empty"), std::string::npos) << outcome.err;
}

TEST_F(Cli, TimesAndEnergyAreInTheTable) {
  const Finished outcome =
      run("lenet5 --engine model --set hardware.clock=500MHz --set "
          "energy=45nm --set hardware.cbuf.size=16KiB");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* says : {"16 of 128 KiB cbuf", "energy uJ", "share %", " ms at 500 MHz, ",
                           " inferences per second, ", " GB/s of 4 GB/s"}) {
    EXPECT_NE(outcome.out.find(says), std::string::npos) << says << '\n' << outcome.out;
  }
  const auto json =
      nlohmann::json::parse(run("lenet5 --engine model --json - --set hardware.clock=500MHz").out);
  EXPECT_EQ(json["hardware"]["clock_mhz"], 500);
  const auto& totals = json["totals"];
  EXPECT_DOUBLE_EQ(totals["milliseconds"].get<double>(), totals["cycles"].get<double>() / 500e3);
  EXPECT_DOUBLE_EQ(totals["inferences_per_second"].get<double>(),
                   1000 / totals["milliseconds"].get<double>());
  EXPECT_TRUE(
      nlohmann::json::parse(run("lenet5 --engine model --json -").out)["totals"]["milliseconds"]
          .is_null());
}

TEST_F(Cli, JsonFollowsTheContract) {
  const Finished outcome = simulate("--json -");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["schema"], "tessera.run/1");
  EXPECT_EQ(json["hardware"]["atomic_c"], 8);
  EXPECT_EQ(json["network"], "lenet5");
  EXPECT_EQ(json["engine"], "rtl");
  EXPECT_EQ(json["verified"], true);
  const char* const summed[] = {"macs", "cycles", "ideal_cycles", "external_read_bytes",
                                "external_write_bytes"};
  std::map<std::string, std::uint64_t> sums;
  ASSERT_EQ(json["layers"].size(), 9U);
  for (const auto& layer : json["layers"]) {
    for (const char* key :
         {"name", "op", "mode", "split", "macs", "cycles", "ideal_cycles", "utilization",
          "external_read_bytes", "external_write_bytes", "cbuf_peak_bytes"}) {
      EXPECT_TRUE(layer.contains(key)) << key;
    }
    for (const char* key : summed) {
      sums[key] += layer[key].get<std::uint64_t>();
    }
    EXPECT_EQ(layer["mode"] == "host" || layer["mode"] == "no-copy", layer["split"].is_null());
  }
  for (const char* key : summed) {
    EXPECT_EQ(json["totals"][key], sums[key]) << key;
  }
  EXPECT_EQ(json["layers"][0]["ideal_cycles"], 117600 / 64);
  EXPECT_EQ(json["layers"][4]["op"], "RESHAPE");
  EXPECT_EQ(json["layers"][4]["mode"], "no-copy");
  EXPECT_EQ(json["layers"][4]["external_write_bytes"], 0);
  for (const char* key : {"arena_bytes", "lower_bound_bytes", "proved_optimal", "order_bytes",
                          "in_place_saved_bytes"}) {
    EXPECT_TRUE(json["memory"].contains(key)) << key;
  }
}

TEST_F(Cli, SameInputSameBytes) {
  const Finished first = simulate("--quiet --json " + path("a.json"));
  const Finished second = simulate("--quiet --json " + path("b.json"));
  EXPECT_EQ(first.code, 0);
  EXPECT_EQ(first.out + first.err + second.out + second.err, "");
  EXPECT_EQ(text_of(path("a.json")), text_of(path("b.json")));
  EXPECT_NE(text_of(path("a.json")), "");
  EXPECT_EQ(simulate("--quiet --seed 2 --output " + path("other.bin")).code, 0);
  EXPECT_EQ(simulate("--quiet --seed 1 --output " + path("one.bin")).code, 0);
  EXPECT_NE(text_of(path("other.bin")), text_of(path("one.bin")));
}

TEST_F(Cli, ReadsAndWritesTensors) {
  write_text(path("in.bin"), std::string(1024, '\x11'));
  const std::string common = "--quiet --input " + path("in.bin");
  EXPECT_EQ(simulate(common + " --output " + path("out.npy")).code, 0);
  EXPECT_EQ(simulate(common + " --output " + path("out.bin")).code, 0);
  const std::string npy = text_of(path("out.npy"));
  EXPECT_EQ(text_of(path("out.bin")).size(), 10U);
  ASSERT_GT(npy.size(), 10U);
  EXPECT_EQ(npy.substr(npy.size() - 10), text_of(path("out.bin")));
  write_text(path("in.bin"), "short");
  const Finished outcome = simulate(common);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("in.bin"), std::string::npos);
  EXPECT_NE(outcome.err.find("1024"), std::string::npos);
}

// Inputs with a dimension more in front are steps; what one run leaves, another goes on with.
TEST_F(Cli, StepsFollowEachOther) {
  write_text(path("net.yaml"),
             "inputs: {x: {shape: [1, 1, 1, 8], scale: 1, zero_point: 0}, "
             "h: {shape: [1, 1, 1, 8], scale: 1, zero_point: 0}}\n"
             "layers:\n  - add: {name: n, from: [x, h], scale: 1, zero_point: 0}\n"
             "state: [{input: h, output: n}]\n");
  write_text(path("x.bin"),
             std::string(8, '\x01') + std::string(8, '\x02') + std::string(8, '\x03'));
  const std::string run = path("net.yaml") + " --set engine=tlm --set hardware=tiny";
  const Finished all = simulate(run + " --set steps=3 --input " + path("x.bin") + " --output " +
                                path("y.bin") + " --json " + path("run.json"));
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(text_of(path("y.bin")),
            std::string(8, '\x01') + std::string(8, '\x03') + std::string(8, '\x06'));
  EXPECT_NE(all.out.find("verified: every layer of every step"), std::string::npos);
  EXPECT_NE(all.out.find("states: 1 of 8 bytes"), std::string::npos);
  const auto json = nlohmann::json::parse(text_of(path("run.json")));
  const auto& steps = json["steps"];
  EXPECT_EQ(steps["count"], 3);
  EXPECT_EQ(steps["cycles"].size(), 3U);
  EXPECT_EQ(steps["difference_cycles"].get<int>(),
            steps["first_cycles"].get<int>() - steps["steady_cycles"].get<int>());
  EXPECT_EQ(
      simulate(run + " --set steps=2 --input " + path("x.bin") + " --states-out " + path("left"))
          .code,
      0);
  write_text(path("last.bin"), std::string(8, '\x03'));
  EXPECT_EQ(simulate(run + " --input " + path("last.bin") + " --states-in " + path("left") +
                     " --output " + path("z.bin"))
                .code,
            0);
  EXPECT_EQ(text_of(path("z.bin")), std::string(8, '\x06'));
  const auto refused = [&](const std::string& arguments, const std::string& text) {
    const Finished outcome = simulate(run + arguments);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  };
  refused(" --input " + path("x.bin"), "24 bytes of data");
  refused(" --set steps=4 --input " + path("x.bin"), "holds 3 steps; `steps` asks for 4");
  refused(" --states-in " + path("none"), "is no folder");
  const Finished stateless = simulate("--set engine=tlm --states-out " + path("left"));
  EXPECT_NE(stateless.err.find("the network has no states"), std::string::npos) << stateless.err;
}

TEST_F(Cli, WavesAreReadableByGtkwave) {
  if (std::system("command -v fst2vcd >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "skipped: GTKWave's fst2vcd is not on this machine";
  }
  write_text(path("net.yaml"),
             "layers: [{conv2d: {in: [4, 4, 3], kernel: 3, padding: same, out_channels: 5}}]");
  const Finished outcome =
      simulate("--set hardware=nano --network " + path("net.yaml") + " --waves " + path("out.fst"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  ASSERT_EQ(std::system(fmt::format("fst2vcd {} >{}", path("out.fst"), path("out.vcd")).c_str()),
            0);
  std::ifstream vcd(path("out.vcd"));
  std::set<std::string> names;
  std::size_t changes = 0;
  for (std::string line; std::getline(vcd, line);) {
    if (line.rfind("$var", 0) == 0) {
      std::istringstream words(line);
      std::string word;
      std::string name;
      words >> word >> word >> word >> word >> name;
      names.insert(name);
    }
    changes += line.empty() || line[0] == '$' ? 0 : 1;
  }
  for (const char* name : {"clk_i", "m_arvalid_o", "m_wvalid_o", "irq_o", "compute_to_store"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
  EXPECT_GT(changes, 5000U);
}

TEST_F(Cli, ExplainShowsEveryInequality) {
  const Finished outcome =
      run("explain --config " TESSERA_SOURCE_DIR
          "/configs/npu.yaml --network alexnet --set hardware.cbuf.size=32KiB --layer conv2");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  // 5x5x96 kernels, 256 of them, on 27x27x96, atomic_c = atomic_k = 8.
  for (const char* part :
       {"total_weight + total_feature <= total_cbuf", "614400 + 69984 = 684384 > 32768",
        "2 * 19200 + 69984 = 108384 > 32768", "19200 + 69984 = 89184 > 32768",
        "23328 + 6400 = 29728 <= 32768", "12288 + 19200 = 31488 <= 32768", "=> split c3 (wait)",
        "external bytes: 4942080 by channels, 8983008 by height and width"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
  }
}

TEST_F(Cli, ExplainListsTheCommandStream) {
  const Finished outcome =
      run("explain --listing --config " TESSERA_SOURCE_DIR "/configs/npu.yaml");
  ASSERT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("CONV"), std::string::npos);
  EXPECT_NE(outcome.out.find("END"), std::string::npos);
}

TEST_F(Cli, LabelsNameTheClass) {
  TESSERA_NEEDS_SHARED();
  const std::string model = test::shared_dir() + "/models/person_detect";
  const auto classify = [&](const char* picture) {
    return simulate(
        fmt::format("--set hardware=medium --network {0}/model.tflite --input {0}/{1} "
                    "--set labels='[no person, person]'",
                    model, picture));
  };
  const Finished person = classify("person.input.bin");
  EXPECT_EQ(person.code, 0) << person.err;
  EXPECT_NE(person.out.find("class: person "), std::string::npos) << person.out;
  EXPECT_NE(classify("no_person.input.bin").out.find("class: no person "), std::string::npos);
  // From a file, and with a number of them that does not fit.
  write_text(path("names.txt"), "no person\r\nperson\n");
  write_text(path("npu.yaml"), fmt::format("hardware: medium\nnetwork: {}/model.tflite\nlabels: "
                                           "names.txt\n",
                                           model));
  const Finished file =
      run(fmt::format("--config {} --input {}/person.input.bin --json -", path("npu.yaml"), model));
  EXPECT_EQ(nlohmann::json::parse(file.out)["classes"][0]["label"], "person");
  const Finished wrong = simulate("--set labels='[a, b, c]'");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("3 labels, but the network's outputs have 10 values"), std::string::npos)
      << wrong.err;
}

TEST_F(Cli, ImportedModelsRunAsLayerLists) {
  TESSERA_NEEDS_SHARED();
  const std::string model = test::shared_dir() + "/models/kws_dscnn/model.tflite";
  const Finished import = run(fmt::format("import {} --out {}", model, path("kws.yaml")));
  EXPECT_EQ(import.code, 0) << import.err;
  const auto result = [&](const std::string& network) {
    const Finished outcome = simulate("--network " + network + " --output " + path("o.bin"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return text_of(path("o.bin"));
  };
  EXPECT_EQ(result(model), result(path("kws.yaml")));
  EXPECT_EQ(run(fmt::format("import {} --out {}", model, path("kws.txt"))).code, 2);
  EXPECT_EQ(run(fmt::format("import {} --out /proc/kws.yaml", model)).code, 2);
}

TEST_F(Cli, BadUsageIsTwo) {
  EXPECT_EQ(run("").code, 2);
  EXPECT_EQ(run("--config").code, 2);
  EXPECT_EQ(run("--config /nowhere/npu.yaml").code, 2);
  EXPECT_EQ(simulate("--no-such-option").code, 2);
  EXPECT_EQ(simulate("--engine verilog").code, 2);
  EXPECT_EQ(simulate("--network no_such_network").code, 2);
  EXPECT_EQ(simulate("--set hardware.cbuf.sze=32KiB").code, 2);
  EXPECT_EQ(simulate("--set hardware.cbuf.size=3parsecs").code, 2);
  EXPECT_EQ(simulate("--seed -1").code, 2);
  EXPECT_EQ(simulate("--json /nowhere/out.json").code, 2);
  EXPECT_EQ(simulate("--waves /nowhere/out.fst").code, 2);
  EXPECT_EQ(simulate("--output /nowhere/out.npy").code, 2);
  EXPECT_EQ(run("--help").code, 0);
  EXPECT_EQ(run("--version").code, 0);
}

TEST_F(Cli, BadInputNamesItsPlace) {
  const Finished key = with_config("hardware: small\nmemry: {latency: 3}\nnetwork: lenet5\n");
  EXPECT_EQ(key.code, 2);
  EXPECT_NE(key.err.find("npu.yaml:2:1: unknown key `memry`"), std::string::npos) << key.err;
  EXPECT_NE(key.err.find("did you mean `memory`?"), std::string::npos) << key.err;
  const Finished value = with_config(
      "hardware: {preset: small, cbuf: {size: 1 MiB, capacity: 128 KiB}}\nnetwork: lenet5\n");
  EXPECT_EQ(value.code, 2);
  EXPECT_NE(value.err.find("npu.yaml:1:"), std::string::npos) << value.err;
  EXPECT_NE(value.err.find("131072"), std::string::npos) << value.err;
  write_text(path("cut.tflite"), "\x1c\0\0\0TFL3 and then nothing"s);
  const Finished model = simulate("--network " + path("cut.tflite"));
  EXPECT_EQ(model.code, 2);
  EXPECT_NE(model.err.find("cut.tflite"), std::string::npos) << model.err;
}

TEST_F(Cli, MissingToolIsThree) {
  const Finished outcome =
      simulate("", fmt::format("PATH=/nowhere TESSERA_CACHE_DIR={}", path("cache")));
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("`verilator` is needed"), std::string::npos) << outcome.err;
}

// What the verification is for: a fault in the RTL is found and named, and the exit code says it.
TEST_F(Cli, WrongResultIsOne) {
  for (const char* part : {"rtl", "sim", "include", "configs"}) {
    fs::copy(fs::path(TESSERA_SOURCE_DIR) / part, dir_ / part, fs::copy_options::recursive);
  }
  std::string lane = text_of(dir_ / "rtl" / "store" / "requant_lane.sv");
  const std::string rounding = "half_up = product_q[0]";
  const std::size_t at = lane.find(rounding);
  ASSERT_NE(at, std::string::npos);
  write_text(dir_ / "rtl" / "store" / "requant_lane.sv",
             lane.replace(at, rounding.size(), "half_up = 1'b0"));
  // Verilator's own part is in the build's cache; what is broken here has a key of its own there.
  const fs::path cache = fs::path(COSIM).parent_path() / "share/tessera/cache";
  const Finished outcome = simulate(
      "--set hardware=nano",
      fmt::format("TESSERA_DATA_DIR={} TESSERA_CACHE_DIR={}", dir_.string(), cache.string()));
  EXPECT_EQ(outcome.code, 1) << outcome.out << outcome.err;
  EXPECT_NE(outcome.err.find("differs from the reference kernels"), std::string::npos)
      << outcome.err;
}

TEST_F(Cli, PlansANetworkWithoutSimulating) {
  const Finished plan =
      run("plan --config " TESSERA_SOURCE_DIR "/configs/npu.yaml --json " + path("plan.json") +
          " --svg " + path("plan.svg") + " --out " + path("plan.csv"));
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.out.find("peak = lower bound"), std::string::npos) << plan.out;
  const auto json = nlohmann::json::parse(text_of(path("plan.json")));
  EXPECT_EQ(json["schema"], "tessera.plan/1");
  EXPECT_TRUE(json["proved_optimal"]);
  EXPECT_FALSE(json["buffers"].empty());
  EXPECT_EQ(text_of(path("plan.svg")).substr(0, 4), "<svg");
  EXPECT_EQ(text_of(path("plan.csv")).substr(0, 27), "id,lower,upper,size,offset\n");
  // The addresses of a run are the plan's.
  const auto simulated = nlohmann::json::parse(simulate("--json -").out);
  EXPECT_EQ(simulated["memory"]["arena_bytes"], json["arena_bytes"]);
}

TEST_F(Cli, PlansAndChecksProblemsOfFiles) {
  write_text(path("p.csv"), "id,lower,upper,size\na,0,2,40\nb,1,3,60\nc,2,4,50\n");
  const std::string problem = "plan --problem " + path("p.csv");
  const Finished fits = run(problem + " --capacity 110 --out " + path("plan.csv"));
  EXPECT_EQ(fits.code, 0) << fits.err;
  const Finished too_small = run(problem + " --capacity 100");
  EXPECT_EQ(too_small.code, 1);
  EXPECT_NE(too_small.out.find("TOO LARGE"), std::string::npos);
  EXPECT_EQ(run("plan --problem " + path("plan.csv") + " --check").code, 0);
  const Finished anew = run("plan --problem " + path("plan.csv"));
  EXPECT_EQ(anew.code, 2);
  EXPECT_NE(anew.err.find("column `offset` holds a plan; give --check"), std::string::npos);
  write_text(path("bad.csv"), "id,lower,upper,size,offset\na,0,2,40,0\nb,1,3,60,20\n");
  const Finished bad = run("plan --problem " + path("bad.csv") + " --check");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("buffers a [0, 40) and b [20, 80) are alive together"), std::string::npos);
  EXPECT_EQ(run(problem + " --planner greedysize").code, 2);
  EXPECT_NE(run(problem + " --planner greedysize").err.find("did you mean `"), std::string::npos);
  EXPECT_EQ(run("plan").code, 2);
  EXPECT_EQ(run(problem + " --graph " + path("p.csv")).code, 2);
}

TEST_F(Cli, PlansOperatorGraphs) {
  write_text(path("g.csv"),
             "id,op,output_elements,inputs\nin,Input,40,\na,Conv,60,in\ns,Split,40,in\n"
             "b,Conv,40,a\nc,Concat,80,s b\nout,Conv,80,c\n");
  const std::string graph = "plan --quiet --json - --graph " + path("g.csv");
  const auto best = nlohmann::json::parse(run(graph).out);
  EXPECT_TRUE(best["proved_optimal"]);
  EXPECT_EQ(best["peak_by_order"]["exact"], best["peak_by_order"]["bound"]);
  const auto removal = nlohmann::json::parse(run(graph + " --planner removal").out);
  EXPECT_EQ(removal["arena_bytes"], 160);
  EXPECT_EQ(removal["removed"].size(), 1U);
  const auto doubled = nlohmann::json::parse(run(graph + " --bytes-per-element 2").out);
  EXPECT_EQ(doubled["arena_bytes"], 2 * best["arena_bytes"].get<int>());
}

TEST_F(Cli, RunsSeveralModelsInCheckedMemory) {
  write_text(path("npu.yaml"),
             "hardware: small\nmodels:\n  - {network: lenet5, name: a, keep_outputs: no}\n"
             "  - {network: lenet5, name: b}\n");
  const Finished outcome = run("--check-memory --config " + path("npu.yaml"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("a/conv1"), std::string::npos);
  EXPECT_NE(outcome.out.find("b/conv1"), std::string::npos);
  const Finished plan = run("plan --config " + path("npu.yaml"));
  EXPECT_NE(plan.out.find("equal weights are stored once"), std::string::npos) << plan.out;
}

}  // namespace
}  // namespace tessera

// What is read of the tools' logs and reports, on text that nextpnr 0.11 printed.
#include <gtest/gtest.h>

#include <filesystem>

#include "fpga/netlist.hpp"
#include "fpga/parts/area_dataset.hpp"
#include "fpga/placer.hpp"
#include "fpga/placer_progress.hpp"
#include "fpga/report.hpp"
#include "tessera/config.hpp"
#include "tessera/error.hpp"
#include "tests/files.hpp"

namespace tessera::fpga {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLog = R"(Info: Packing LUTs...
Info: Device utilisation:
Info: 	          TRELLIS_IO:       4/    197     2%
Info: 	                DCCA:       1/     56     1%
Info: 	              DP16KD:      30/     56    53%
Info: 	          MULT18X18D:      36/     28   128%
Info: 	          TRELLIS_FF:    6565/  24288    27%
Info: 	        TRELLIS_COMB:   17278/  24288    71%
ERROR: Unable to place cell 'a', no BELs remaining to implement cell type 'MULT18X18D'
)";

constexpr const char* kReport = R"({"critical_paths": [
  {"from": "<async>", "to": "posedge clk", "path": [
    {"delay": 90.0, "type": "routing", "from": {"cell": "a", "port": "O"}, "to": {"cell": "b", "port": "I"}}]},
  {"from": "posedge clk", "to": "posedge clk", "path": [
    {"delay": 0.5, "type": "clk-to-q", "from": {"cell": "x", "port": "CLK"},
     "to": {"cell": "u_npu.u_load.u_packer.count_q_TRELLIS_FF_Q", "port": "Q"}},
    {"delay": 1.25, "type": "routing", "from": {"cell": "x", "port": "Q"},
     "to": {"cell": "u_npu.u_load.u_packer.count_q_LUT4_A", "port": "A"}},
    {"delay": 0.25, "type": "logic", "from": {"cell": "x", "port": "A"},
     "to": {"cell": "u_npu.u_store.u_drain.word_q_LUT4_B", "port": "Z"}}]}],
 "fmax": {"clk": {"achieved": 31.5, "constraint": 80.0}}, "utilization": {}})";

constexpr const char* kClocks =
    R"(Info: Max frequency for clock         'link_clk': 145.50 MHz (PASS at 12.00 MHz)
Info: Max frequency for clock '$glbnet$clk_i$TRELLIS_IO_IN': 27.25 MHz (FAIL at 80.00 MHz)
Info: Routing..
Warning: Max frequency for clock '$glbnet$clk_i$TRELLIS_IO_IN': 31.50 MHz (FAIL at 80.00 MHz)
)";

std::string written(const std::string& name, const std::string& text) {
  const fs::path path = fs::path(testing::TempDir()) / name;
  fs::create_directories(path.parent_path());
  test::write_text(path.string(), text);
  return path.string();
}

TEST(Parts, UnknownOnesAreNamedWithAllThereAre) {
  try {
    find_part("ecp5-25");
    FAIL();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("--part ecp5-25: no such part (did you mean `ecp5-25f`?)"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("ice40-up5k"), std::string::npos);
  }
}

TEST(Parts, WhatIsMissingNamesAPartThatHasIt) {
  const Utilisation used = utilisation_in(written("placer.log", kLog));
  EXPECT_EQ(used.cells.at("TRELLIS_COMB").first, 17278U);
  const std::string text = what_is_missing(find_part("ecp5-25f"), used, hardware_preset("small"));
  EXPECT_NE(text.find("36 18x18 multipliers, of which it has 28; ecp5-45f, ecp5-85f has them"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("smaller presets that fit by their estimates: nano, tiny"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("LUT4"), std::string::npos) << "there are enough of them: " << text;
  EXPECT_EQ(what_is_missing(find_part("ecp5-45f"), used, hardware_preset("small")), "");
}

TEST(Parts, WithoutEstimatesNoPresetIsNamed) {
  const Part& part = find_part("lifcl-40");
  EXPECT_FALSE(has_estimates(part));
  EXPECT_THROW(estimated_control(part), InputError);
  const Utilisation used =
      utilisation_in(written("nexus.log",
                             "Info: \t          OXIDE_COMB:   40000/  32256   124%\n"
                             "Info: \t         MULT18_CORE:      22/     56    39%\n"));
  const std::string text = what_is_missing(part, used, hardware_preset("small"));
  EXPECT_NE(text.find("40000 LUT4, of which it has 32256; no part of this family has them"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("presets"), std::string::npos) << text;
}

TEST(Parts, PathsBetweenRegistersCountAndNameModules) {
  written("routed/placer.log", kClocks);
  const fs::path report = written("routed/report.json", kReport);
  const Placement placement = read_placement(report.parent_path(), 3);
  EXPECT_EQ(placement.seed, 3U);
  EXPECT_DOUBLE_EQ(placement.promised_mhz, 27.25) << "before routing, of the slowest clock";
  EXPECT_DOUBLE_EQ(placement.mhz, 31.5);
  ASSERT_EQ(placement.critical_path.size(), 3U);
  EXPECT_EQ(placement.critical_path[1].module, "u_load/u_packer");
  EXPECT_EQ(placement.critical_path[2].module, "u_store/u_drain");
}

TEST(Parts, DesignsThatWereNotRoutedHaveAPromise) {
  const fs::path log = written("placed/placer.log", kClocks);
  const Placement placement = read_placement(log.parent_path(), 1);
  EXPECT_DOUBLE_EQ(placement.promised_mhz, 27.25);
  EXPECT_EQ(placement.mhz, 0);
  Design design;
  design.part = &find_part("ecp5-25f");
  design.placements = {placement};
  EXPECT_NE(to_text(design, {}).find("not routed; the placer promises 27.2 MHz"),
            std::string::npos);
  EXPECT_NE(to_json(design, {}).find("\"fmax_mhz\": null"), std::string::npos);
  EXPECT_THROW(promised_in(written("placed/silent.log", "Info: Routing..\n")), std::runtime_error);
}

TEST(Parts, LogsSayHowFarThePlacerIs) {
  const auto progress_of = [](const std::string& log) {
    return progress_in(written("progress/placer.log", log));
  };
  EXPECT_EQ(progress_in("/nowhere/placer.log").what, "packing");
  std::string log =
      "Info: Packing IOs..\n"
      "Info:     at iteration #7, type ALL: wirelen solved = 88443, spread = 179312, legal = "
      "344538; time = 6.98s\n";
  EXPECT_EQ(progress_of(log).what, "placing, round 7");
  log += "Info:   at iteration #25: temp = 0.000000, timing cost = 2603, wirelen = 189670\n";
  EXPECT_EQ(progress_of(log).what, "improving the placement, round 25");
  EXPECT_EQ(progress_of(log).done, 0U);
  // As the first router says it, which the ECP5 has.
  const std::string first =
      log +
      "Info: Routing 99876 arcs.\n"
      "Info:            |   (re-)routed arcs  |   delta    | remaining|       time spent     |\n"
      "Info:    IterCnt |  w/ripup   wo/ripup |  w/r  wo/r |      arcs| batch(sec) total(sec)|\n"
      "Info:       5000 |     1734       3265 |  385   615 |     97727|       1.17       7.86|\n";
  EXPECT_EQ(progress_of(first).what, "routing, 97 727 of 99 876 connections to go");
  EXPECT_EQ(progress_of(first).done, 2149U);
  EXPECT_EQ(progress_of(first).whole, 99876U);
  // As the second one does.
  EXPECT_EQ(progress_of(log + "Info:     iter=17 wires=476130 overused=24903 overuse=25769\n").what,
            "routing, 24 903 wires used twice");
  // Cut off anywhere.
  for (std::size_t length = 0; length < first.size(); ++length) {
    EXPECT_EQ(progress_of(first.substr(0, length)).done, 0U) << length;
  }
}

TEST(Parts, CellsBelongToInstances) {
  EXPECT_EQ(module_of("u_npu.u_cbuf.gen_banks[3].u_bank.mem.0.0"), "u_cbuf/u_bank");
  EXPECT_EQ(module_of("in_q_TRELLIS_FF_Q"), "");
}

TEST(Parts, PitchesAreOfLogicOnlyWhereNoMultiplierIsLeft) {
  Hardware hardware = hardware_preset("tiny");
  Part part = find_part("ecp5-25f");
  const std::uint32_t others = other_multipliers(*part.family, hardware);
  const auto logic = [&](Multipliers multipliers, std::uint32_t left) {
    hardware.multipliers = multipliers;
    part.dsps = others + left;
    const LogicMultipliers made = logic_multipliers(part, hardware);
    return std::make_pair(made.array, made.pitches);
  };
  using Logic = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(logic(Multipliers::Auto, 20), Logic(0, 0));
  EXPECT_EQ(logic(Multipliers::Auto, 15), Logic(5, 0));
  EXPECT_EQ(logic(Multipliers::Auto, 3), Logic(16, 1));
  EXPECT_EQ(logic(Multipliers::Luts, 20), Logic(16, 0));
  EXPECT_EQ(logic(Multipliers::Luts, 0), Logic(16, 4));
  EXPECT_EQ(logic(Multipliers::Dsp, 0), Logic(0, 0));
}

TEST(Parts, ReportSaysWhatEachModuleTakes) {
  Design design;
  design.part = &find_part("ecp5-25f");
  design.hardware = hardware_preset("tiny");
  design.usage = {12000, 6000, 30, 28};
  design.modules = {{"u_compute", {5000, 2000, 8, 16}}, {"", {60, 200, 0, 0}}};
  design.placements = {{1, 26, 30.25, {{"u_load", "logic", 20.0}, {"u_load", "routing", 13.0}}},
                       {2, 25, 29.5, {}}};
  const std::string text = to_text(design, Speed{"lenet", 100000});
  EXPECT_NE(text.find("33.00"), std::string::npos) << "steps of a module are one line\n" << text;
  EXPECT_NE(text.find("30.2 MHz with seed 1, the slowest of 2 has 29.5"), std::string::npos)
      << text;
  EXPECT_NE(text.find("302.5 inferences per second"), std::string::npos) << text;
  const std::string json = to_json(design, Speed{"lenet", 100000});
  EXPECT_NE(json.find("\"schema\": \"tessera.fpga/1\""), std::string::npos);
  EXPECT_NE(json.find("\"luts_available\": 24288"), std::string::npos);
}

}  // namespace
}  // namespace tessera::fpga

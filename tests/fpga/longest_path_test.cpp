// The longest path by the placer's delays, on lines as nextpnr 0.11 writes them.
// tests/fpga/placed.sh compares that of a whole design with what the placer promises.
#include "fpga/longest_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fpga/placer.hpp"
#include "tests/own_folder.hpp"

namespace tessera::fpga {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWays = R"((DELAYFILE
  (TIMESCALE 1ps)
  (CELL
    (CELLTYPE "top")
    (INSTANCE )
    (DELAY
      (ABSOLUTE
        (INTERCONNECT \$gbuf\$clk_i/CLKO u_npu.u_load.a_FF/CLK (0:0:0) (0:0:0))
        (INTERCONNECT u_npu.u_load.a_FF/Q u_npu.u_store.x\[1\].b_LUT/A (900:1000:1100) (900:1000:1100))
        (INTERCONNECT u_npu.u_store.x\[1\].b_LUT/F u_npu.u_store.c_FF/DI (480:480:480) (480:480:480))
        (INTERCONNECT u_npu.u_load.a_FF/Q u_npu.u_store.c_FF/CE (1000:1000:1000) (1000:1000:1000))
)";

constexpr const char* kCells = R"(      )
    )
    )
  (CELL
    (CELLTYPE "TRELLIS_FF")
    (INSTANCE u_npu.u_load.a_FF)
    (DELAY
      (ABSOLUTE
        (IOPATH CLK Q (430:477:525) (430:477:525))
      )
    )
    )
  (CELL
    (CELLTYPE "TRELLIS_COMB")
    (INSTANCE u_npu.u_store.x\[1\].b_LUT)
    (DELAY
      (ABSOLUTE
        (IOPATH A F (175:200:236) (175:200:236))
      )
    )
    )
  (CELL
    (CELLTYPE "TRELLIS_FF")
    (INSTANCE u_npu.u_store.c_FF)
    (TIMINGCHECK
      (SETUPHOLD (posedge DI) (posedge CLK) (0:0:0) (267:285:303))
      (SETUPHOLD (posedge CE) (posedge CLK) (140:144:151) (0:0:0))
    )
    )
))";

class LongestPath : public ::testing::Test {
 protected:
  void SetUp() override { folder_ = test::own_folder("fpga"); }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path written(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

  fs::path folder_;
};

TEST_F(LongestPath, GoesFromClockToSetup) {
  const std::vector<PathStep> path = longest_path_in(written("a.sdf", std::string(kWays) + kCells));
  ASSERT_EQ(path.size(), 5U);
  const auto expect = [&](std::size_t i, const char* module, const char* what, double ns) {
    EXPECT_EQ(path[i].module, module) << i;
    EXPECT_EQ(path[i].what, what) << i;
    EXPECT_NEAR(path[i].ns, ns, 1e-9) << i;
  };
  expect(0, "u_load", "clk-to-q", 0.525);
  expect(1, "u_load", "routing", 1.1);
  expect(2, "u_store", "logic", 0.236);
  expect(3, "u_store", "routing", 0.48);
  expect(4, "u_store", "setup", 0);  // the hold time is none
}

TEST_F(LongestPath, CellsThatWaitForEachOtherAreNoPath) {
  const fs::path sdf = written("loop.sdf", std::string(kWays) +
                                               "(INTERCONNECT u_npu.u_store.x\\[1\\].b_LUT/F "
                                               "u_npu.u_store.x\\[1\\].b_LUT/A (1:1:1) (1:1:1))\n" +
                                               kCells);
  EXPECT_TRUE(longest_path_in(sdf).empty());
  EXPECT_THROW(longest_path_in(folder_ / "none.sdf"), std::runtime_error);
  EXPECT_TRUE(longest_path_in(written("empty.sdf", "")).empty());
}

// Only what explains the promise is kept, and of the delays nothing.
TEST_F(LongestPath, IsKeptWhereItIsThePromise) {
  const auto kept = [&](const char* promise) {
    static_cast<void>(written("placer.log", promise));
    static_cast<void>(written("delays.sdf", std::string(kWays) + kCells));
    keep_longest_path(folder_);
    EXPECT_FALSE(fs::exists(folder_ / "delays.sdf"));
    return read_placement(folder_, 1).critical_path;
  };
  EXPECT_TRUE(
      kept("Info: Max frequency for clock 'clk_i': 430.11 MHz (PASS at 80.00 MHz)\n").empty());
  const std::vector<PathStep> path =
      kept("Info: Max frequency for clock 'clk_i': 427.17 MHz (PASS at 80.00 MHz)\n");
  ASSERT_EQ(path.size(), 5U);
  EXPECT_EQ(path[2].module, "u_store");
}

}  // namespace
}  // namespace tessera::fpga

// Pools over all pixels, which are any rectangle of as many.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tests/rtl/conformance.hpp"

namespace tessera {
namespace {

// As they are they would need 25 and 32 windows of `tiny` one above the other; 5 x 25 and 8 x 16
// pixels do not.
TEST(Pools, OverMoreRowsThanThereAreWindowsRunOnTheArray) {
  for (const char* pool : {"avg_pool2d", "max_pool2d"}) {
    for (const auto& [rows, cols] : {std::pair{25, 5}, {32, 4}}) {
      const Network network =
          import_yaml(fmt::format("layers: [{{{}: {{in: [{}, {}, 9], kernel: [{}, {}]}}}}]", pool,
                                  rows, cols, rows, cols),
                      "pool.yaml", 1);
      const test::Outcome outcome =
          test::conform(network, hardware_preset("tiny"), {}, test::seeded_inputs(network, 1), {});
      EXPECT_EQ(outcome.problem, "") << pool << rows;
      EXPECT_EQ(outcome.program.layers[0].host_reason, "") << pool << rows;
    }
  }
}

// Where no rectangle fits, rows overlap, and what is seen twice counts once: 67 and 127 are primes,
// 125 has no factors that are small enough for kernels without a window.
TEST(Pools, ThatNoRectangleFitsSeeRowsThatOverlap) {
  struct Case {
    const char* hardware;
    const char* pool;
    std::int32_t rows, cols;
  };
  for (const Case& c : {Case{"tiny", "avg_pool2d", 67, 1}, Case{"tiny", "max_pool2d", 67, 1},
                        Case{"nano", "avg_pool2d", 25, 5}, Case{"micro", "avg_pool2d", 25, 5},
                        Case{"nano", "avg_pool2d", 1, 127}, Case{"micro", "avg_pool2d", 67, 1}}) {
    const Network network =
        import_yaml(fmt::format("layers: [{{{}: {{in: [{}, {}, 9], kernel: [{}, {}]}}}}]", c.pool,
                                c.rows, c.cols, c.rows, c.cols),
                    "pool.yaml", 1);
    const test::Outcome outcome = test::conform(network, hardware_preset(c.hardware), {},
                                                test::seeded_inputs(network, 1), {});
    EXPECT_EQ(outcome.problem, "") << c.hardware << c.rows;
    EXPECT_EQ(outcome.program.layers[0].host_reason, "") << c.hardware << c.rows;
  }
}

TEST(Pools, OverMorePixelsThanKernelsHaveRunOnTheHost) {
  const Network network =
      import_yaml("layers: [{avg_pool2d: {in: [257, 1, 9], kernel: [257, 1]}}]", "pool.yaml", 1);
  const test::Outcome outcome =
      test::conform(network, hardware_preset("nano"), {}, test::seeded_inputs(network, 1), {});
  EXPECT_EQ(outcome.problem, "");
  EXPECT_EQ(outcome.program.layers[0].host_reason,
            "kernel width is 257, the command set allows 16");
}

}  // namespace
}  // namespace tessera

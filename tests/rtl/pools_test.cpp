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

// A prime number: the only other rectangle is a row of 17 windows.
TEST(Pools, ThatNoRectangleFitsRunOnTheHost) {
  const Network network =
      import_yaml("layers: [{avg_pool2d: {in: [67, 1, 9], kernel: [67, 1]}}]", "pool.yaml", 1);
  const test::Outcome outcome =
      test::conform(network, hardware_preset("tiny"), {}, test::seeded_inputs(network, 1), {});
  EXPECT_EQ(outcome.problem, "");
  EXPECT_EQ(outcome.program.layers[0].host_reason,
            "its kernel needs 1 x 17 windows of the array, the command set allows 16");
}

}  // namespace
}  // namespace tessera

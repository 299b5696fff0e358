// Paddings that are layers, in front of convolutions that pad as well.
#include <gtest/gtest.h>

#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tests/rtl/conformance.hpp"

namespace tessera {
namespace {

TEST(Padding, OfALayerAndOfTheConvolutionBehindItAddUp) {
  const Network network = import_yaml(
      "layers:\n"
      "  - pad: {in: [9, 8, 5], before: [0, 1, 2, 0], after: [0, 2, 0, 0]}\n"
      "  - conv2d: {out_channels: 7, kernel: 3, padding: [1, 0, 0, 2]}\n"
      "  - pad: {before: [0, 2, 1, 0], after: [0, 0, 2, 0]}\n"
      "  - depthwise_conv2d: {kernel: 3, padding: [1, 2, 1, 1]}\n",
      "pads.yaml", 1);
  for (const char* preset : {"small", "tiny"}) {
    const Hardware hardware = hardware_preset(preset);
    const test::Outcome outcome =
        test::conform(network, hardware, {}, test::seeded_inputs(network, 1), {});
    EXPECT_EQ(outcome.problem, "") << preset;
    EXPECT_TRUE(outcome.program.layers[0].rides_on.has_value());
    EXPECT_TRUE(outcome.program.layers[2].rides_on.has_value());
  }
}

// Windows that see nothing but padding.
TEST(Padding, MayBeWiderThanTheKernel) {
  const Network network = import_yaml(
      "layers:\n"
      "  - pad: {in: [5, 10, 1], before: [0, 0, 0, 0], after: [0, 0, 4, 0]}\n"
      "  - conv2d: {out_channels: 9, kernel: 3}\n",
      "wide.yaml", 1);
  const test::Outcome outcome =
      test::conform(network, hardware_preset("small"), {}, test::seeded_inputs(network, 1), {});
  EXPECT_EQ(outcome.problem, "");
  EXPECT_TRUE(outcome.program.layers[0].rides_on.has_value());
}

}  // namespace
}  // namespace tessera

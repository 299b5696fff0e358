// Convolutions with few outputs, as ones with more outputs and fewer columns.
#include "scheduler/tiling/column_packing.hpp"

#include <gtest/gtest.h>

#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "tests/setups.hpp"

namespace tessera {
namespace {

ConvShape wide_conv(std::int32_t width, std::int32_t out_c, std::int32_t kernel,
                    std::int32_t stride) {
  ConvShape shape;
  shape.in_h = 10;
  shape.out_h = 10 - kernel + 1;
  shape.out_w = width;
  shape.in_w = (width - 1) * stride + kernel;
  shape.in_c = 32;
  shape.out_c = out_c;
  shape.kernel_h = shape.kernel_w = kernel;
  shape.stride_w = stride;
  return shape;
}

TEST(ColumnPacking, FillsTheArraysKernelsAsFarAsThatPays) {
  const auto wide = pack_columns(wide_conv(24, 1, 3, 1), hardware_preset("small"));
  ASSERT_TRUE(wide);
  // Eight would take 192 steps less, but weights that need 384 cycles more on the bus.
  EXPECT_EQ(wide->columns, 6);
  EXPECT_EQ(wide->shape.out_c, 6);
  EXPECT_EQ(wide->shape.out_w, 4);
  EXPECT_EQ(wide->shape.kernel_w, 8);
  EXPECT_EQ(wide->shape.stride_w, 6);
}

TEST(ColumnPacking, LeavesAFullArrayAndWhatTheCommandSetCannotSay) {
  const Hardware hw = hardware_preset("small");
  EXPECT_FALSE(pack_columns(wide_conv(24, 8, 3, 1), hw));
  EXPECT_FALSE(pack_columns(wide_conv(24, 1, 1, 1), hw)) << "no taps to share";
  EXPECT_FALSE(pack_columns(wide_conv(23, 1, 3, 1), hw)) << "a prime number of columns";
  EXPECT_FALSE(pack_columns(wide_conv(24, 1, 8, 8), hw)) << "strides beyond 8";
  ConvShape depthwise = wide_conv(24, 32, 3, 1);
  depthwise.depthwise = true;
  EXPECT_FALSE(pack_columns(depthwise, hw));
}

TEST(ColumnPacking, TakesWhatIsAddedAlongWhenItLiesWithoutGaps) {
  const Network network = import_yaml(
      "inputs: {x: {shape: [1, 10, 26, 32]}, y: {shape: [1, 8, 24, 1]}}\n"
      "layers:\n  - conv2d: {from: x, out_channels: 1, kernel: 3}\n"
      "  - add: {from: [conv2d_0, y]}\n",
      "sum.yaml", 1);
  const Program program =
      compile(network, hardware_preset("small"), test::best_for(Objective::Cycles));
  ASSERT_TRUE(program.layers[1].rides_on);
  EXPECT_NE(program.layers[0].pass.value().explanation.reason.find("columns side by side"),
            std::string::npos)
      << program.layers[0].pass->explanation.reason;
  EXPECT_EQ(check_program(program), std::vector<std::string>{});
}

// A kernel of 1 x 2 taps of one channel, dilated, for three columns with stride 1.
TEST(ColumnPacking, MovesKernelsByTheStride) {
  ConvShape plain;
  plain.out_w = 3;
  plain.in_c = 1;
  plain.out_c = 2;
  plain.kernel_w = 2;
  plain.dilation_w = 2;
  LayerKernel kernel;
  kernel.weights = {1, 2, 3, 4};
  kernel.biases = {10, 20};
  kernel.factors = {{100, 1}, {200, 2}};
  const LayerKernel wide = pack_columns(kernel, plain, 3);
  EXPECT_EQ(wide.weights, (std::vector<std::uint8_t>{1, 0, 2, 0, 0,  //
                                                     3, 0, 4, 0, 0,  //
                                                     0, 1, 0, 2, 0,  //
                                                     0, 3, 0, 4, 0,  //
                                                     0, 0, 1, 0, 2,  //
                                                     0, 0, 3, 0, 4}));
  EXPECT_EQ(wide.biases, (std::vector<std::uint32_t>{10, 20, 10, 20, 10, 20}));
  EXPECT_EQ(wide.factors.size(), 6U);
  EXPECT_EQ(wide.factors[3].multiplier, 200);
}

}  // namespace
}  // namespace tessera

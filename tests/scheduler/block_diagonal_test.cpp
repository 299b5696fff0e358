// Depthwise layers on hardware without the depthwise window: how many channels are convolved where
// all of a pixel's lie.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scheduler/lower/lowering.hpp"
#include "scheduler/lower/tiling.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"

namespace tessera {
namespace {

std::vector<ArrayPass> pieces_of(const std::string& layer, std::uint32_t atomic_c,
                                 std::uint32_t atomic_k) {
  Hardware hardware = hardware_preset("nano");
  hardware.atomic_c = atomic_c;
  hardware.atomic_k = atomic_k;
  const Network network = import_yaml(fmt::format("layers: [{{{}}}]", layer), "depthwise.yaml", 1);
  Lowering lowering = lower(network, network.operators.back(), hardware, {});
  EXPECT_EQ(lowering.problem, "");
  return std::move(lowering.passes);
}

// Strides of at most 8 and dilations of at most 16 step over other groups' atoms.
TEST(WithoutWindow, GroupsSeeTheirAtomsInWholePixelsAsFarAsStridesGo) {
  const struct {
    const char* layer;
    std::uint32_t c, k;
    std::vector<std::int32_t> channels;  // of each pass
  } cases[] = {
      {"depthwise_conv2d: {in: [9, 9, 64], kernel: 3}", 2, 2, {16, 16, 16, 16}},
      {"depthwise_conv2d: {in: [9, 9, 24], kernel: 3, stride: 2}", 2, 2, {8, 8, 8}},
      {"depthwise_conv2d: {in: [19, 19, 24], kernel: 3, stride: 3}", 2, 2, {4, 4, 4, 4, 4, 4}},
      {"depthwise_conv2d: {in: [19, 19, 4], kernel: 3, stride: 5}", 2, 2, {2, 2}},
      {"depthwise_conv2d: {in: [19, 19, 24], kernel: 3, dilation: 4}", 2, 2, {8, 8, 8}},
      {"depthwise_conv2d: {in: [19, 19, 24], kernel: [3, 1], dilation: 4}", 2, 2, {16, 8}},
      // One column of outputs has no stride.
      {"avg_pool2d: {in: [6, 6, 64], kernel: 6}", 2, 2, {32, 32}},
      // A group of two atoms, an atom of two groups.
      {"depthwise_conv2d: {in: [9, 9, 64], kernel: 3}", 2, 4, {32, 32}},
      {"depthwise_conv2d: {in: [9, 9, 64], kernel: 3}", 4, 2, {32, 32}},
      // Kernels that do not fill their group see no atom that is not there.
      {"depthwise_conv2d: {in: [9, 9, 11], kernel: 3}", 2, 4, {8, 3}},
      {"depthwise_conv2d: {in: [9, 9, 11], kernel: 3}", 4, 2, {11}},
      // Groups that share atoms with others.
      {"depthwise_conv2d: {in: [9, 9, 12], kernel: 3}", 6, 4, {4, 4, 4}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(fmt::format("{} x {}: {}", c.c, c.k, c.layer));
    std::vector<std::int32_t> channels;
    for (const ArrayPass& piece : pieces_of(c.layer, c.c, c.k)) {
      channels.push_back(piece.shape.out_c);
    }
    EXPECT_EQ(channels, c.channels);
  }
}

// As ordinary convolutions they can be cut into parts of their channels.
TEST(WithoutWindow, KernelsMostlyOfZerosThatDoNotFitAreOrdinaryOnes) {
  EXPECT_TRUE(pieces_of("avg_pool2d: {in: [4, 4, 12], kernel: 4}", 2, 12).at(0).shape.depthwise);
  EXPECT_FALSE(pieces_of("avg_pool2d: {in: [8, 8, 12], kernel: 8}", 2, 12).at(0).shape.depthwise);
}

TEST(WithoutWindow, EqualKernelsAreStoredOnce) {
  const std::string pool = "avg_pool2d: {in: [4, 4, 8], kernel: 4}";
  EXPECT_TRUE(pieces_of(pool, 2, 2).at(0).shape.same_kernels);
  EXPECT_TRUE(pieces_of(pool, 2, 4).at(0).shape.same_kernels);
  EXPECT_FALSE(pieces_of(pool, 4, 2).at(0).shape.same_kernels) << "they lie elsewhere in the atom";
  EXPECT_FALSE(
      pieces_of("depthwise_conv2d: {in: [4, 4, 8], kernel: 3}", 2, 2).at(0).shape.same_kernels);
}

}  // namespace
}  // namespace tessera

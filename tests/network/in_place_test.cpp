// Operators in their input's memory.
#include "tessera/in_place.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tessera/import.hpp"
#include "tessera/reference.hpp"
#include "tessera/rng.hpp"

namespace tessera {
namespace {

// The published example: input 7x7x64, 3x3, 128 outputs, no padding.
WindowShape published() {
  WindowShape shape;
  shape.in_h = shape.in_w = 7;
  shape.in_c = 64;
  shape.kernel_h = shape.kernel_w = 3;
  shape.out_h = shape.out_w = 5;
  shape.out_c = 128;
  return shape;
}

TEST(InPlace, WordsOfThePublishedExample) {
  const PublishedWords words = published_words(published());
  EXPECT_EQ(words.im2col, 17600U);
  EXPECT_EQ(words.mec, 9920U);
  EXPECT_EQ(words.direct, 3200U);
  EXPECT_EQ(words.in_place, 1344U);
  // What is safe: by whole rows more than the formula says, by pixels less.
  EXPECT_EQ(in_place_words(published(), WriteOrder::Rows).extra, 1408U);
  EXPECT_EQ(in_place_words(published(), WriteOrder::Pixels).extra, 1152U);
  EXPECT_LE(least_in_place_words(published()).extra, 1152U);
}

TEST(InPlace, WordsOfLenet5) {
  const auto conv = [](std::int32_t in, std::int32_t in_c, std::int32_t out, std::int32_t out_c) {
    WindowShape shape;
    shape.in_h = shape.in_w = in;
    shape.in_c = in_c;
    shape.kernel_h = shape.kernel_w = 5;
    shape.out_h = shape.out_w = out;
    shape.out_c = out_c;
    return shape;
  };
  const auto pool = [](std::int32_t in, std::int32_t channels) {
    WindowShape shape;
    shape.kind = WindowKind::Pooling;
    shape.in_h = shape.in_w = in;
    shape.in_c = shape.out_c = channels;
    shape.kernel_h = shape.kernel_w = shape.stride_h = shape.stride_w = 2;
    shape.out_h = shape.out_w = in / 2;
    return shape;
  };
  const WindowShape conv1 = conv(32, 1, 28, 6);  // cannot use the image's memory
  const WindowShape conv2 = conv(14, 6, 10, 16);
  const std::uint64_t fully_connected = 120 + 84 + 10;
  const std::uint64_t direct = conv1.output_words() + pool(28, 6).output_words() +
                               conv2.output_words() + pool(10, 16).output_words() + fully_connected;
  EXPECT_EQ(direct, 8094U);
  EXPECT_EQ(published_words(conv2).in_place, 480U + 424U);
  const std::uint64_t in_place = conv1.output_words() + published_words(pool(28, 6)).in_place +
                                 published_words(conv2).in_place +
                                 published_words(pool(10, 16)).in_place + fully_connected;
  EXPECT_EQ(in_place, 5822U);
  EXPECT_NEAR(100.0 * static_cast<double>(direct - in_place) / static_cast<double>(direct), 28.07,
              0.005);
  // What is proved safe needs less still, and pooling nothing.
  EXPECT_LE(least_in_place_words(conv2).extra, published_words(conv2).in_place);
  EXPECT_EQ(least_in_place_words(pool(28, 6)).extra, 0U);
}

struct Alone {
  Network network;
  std::vector<std::uint8_t> input;
  std::vector<const std::uint8_t*> inputs;
  std::vector<std::uint8_t> expected;

  explicit Alone(const std::string& layer, std::uint64_t seed)
      : network(import_yaml("layers:\n  - " + layer + "\n", "layer.yaml", seed)) {
    const Operator& op = network.operators[0];
    const auto tensor = [&](std::int32_t index) -> const Tensor& {
      return network.tensors[static_cast<std::size_t>(index)];
    };
    SplitMix64 rng(seed);
    input.resize(tensor(op.inputs[0]).bytes());
    for (std::uint8_t& byte : input) {
      byte = static_cast<std::uint8_t>(rng.int8());
    }
    inputs.push_back(input.data());
    for (std::size_t i = 1; i < op.inputs.size(); ++i) {
      inputs.push_back(op.inputs[i] < 0 ? nullptr : tensor(op.inputs[i]).constant.data());
    }
    expected.resize(tensor(op.output).bytes());
    run_operator(network, op, inputs, expected.data());
  }

  [[nodiscard]] std::vector<std::uint8_t> run(const InPlaceWords& words) const {
    return run_in_place(network, network.operators[0], inputs, words);
  }
};

std::string random_layer(SplitMix64& rng) {
  const auto pick = [&](std::uint64_t low, std::uint64_t high) {
    return low + rng.below(high - low + 1);
  };
  const std::uint64_t kernel = pick(1, 4);
  const std::string common =
      fmt::format("in: [{}, {}, {}], kernel: [{}, {}], stride: [{}, {}], padding: {}",
                  pick(kernel, 9), pick(4, 9), pick(1, 6), kernel, pick(1, 4), pick(1, 3),
                  pick(1, 3), rng.below(2) == 0 ? "same" : "valid");
  switch (rng.below(4)) {
    case 0:
      return fmt::format("conv2d: {{{}, out_channels: {}}}", common, pick(1, 9));
    case 1:
      return fmt::format("depthwise_conv2d: {{{}, multiplier: {}}}", common, pick(1, 3));
    case 2:
      return fmt::format("avg_pool2d: {{{}}}", common);
    default:
      return fmt::format("max_pool2d: {{{}}}", common);
  }
}

TEST(InPlace, RandomKernelsAreBitExactInPoisonedMemory) {
  SplitMix64 rng(1);
  for (int round = 0; round < 400; ++round) {
    const std::string layer = random_layer(rng);
    SCOPED_TRACE(layer);
    const Alone alone(layer, static_cast<std::uint64_t>(round) + 1);
    const WindowShape shape = window_shape(alone.network, alone.network.operators[0]);
    for (const WriteOrder order : {WriteOrder::Rows, WriteOrder::Pixels, WriteOrder::Words}) {
      EXPECT_EQ(alone.run(in_place_words(shape, order)), alone.expected);
    }
    EXPECT_EQ(alone.run(least_in_place_words(shape)), alone.expected);
  }
}

// One word less and something is read after it was overwritten.
TEST(InPlace, DistancesAreTheLeastSafeOnes) {
  SplitMix64 rng(2);
  int tried = 0;
  for (int round = 0; round < 200; ++round) {
    const std::string layer = random_layer(rng);
    SCOPED_TRACE(layer);
    const Alone alone(layer, static_cast<std::uint64_t>(round) + 1);
    const WindowShape shape = window_shape(alone.network, alone.network.operators[0]);
    for (const WriteOrder order : {WriteOrder::Rows, WriteOrder::Pixels, WriteOrder::Words}) {
      InPlaceWords words = in_place_words(shape, order);
      const bool bound_by_distance =
          words.distance + shape.input_words() + words.temporary == words.total;
      if (words.distance == 0 || !bound_by_distance) {
        continue;
      }
      --words.distance;
      --words.total;
      EXPECT_THROW(static_cast<void>(alone.run(words)), std::logic_error);
      ++tried;
    }
  }
  EXPECT_GT(tried, 100);
}

}  // namespace
}  // namespace tessera

// Sums that no 32 bits hold once they are scaled.
#include "network/wide_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tessera/error.hpp"
#include "tessera/quantise.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

// A 1 x 1 convolution of one channel into two; the outputs' factor is 2^`exponent`.
Network pointwise(int exponent, std::int32_t bias, std::int8_t weight, Rounding rounding) {
  const std::int32_t biases[] = {bias, 0};
  std::vector<std::uint8_t> bytes(sizeof biases);
  std::memcpy(bytes.data(), biases, sizeof biases);
  Network network;
  network.name = "net";
  network.tensors = {
      {"in", {1, 1, 1, 1}, DataType::Int8, {{1.0F}, 0}, {}, {}},
      {"kernel",
       {2, 1, 1, 1},
       DataType::Int8,
       {{1.0F}, 0},
       {static_cast<std::uint8_t>(weight), 1},
       {}},
      {"bias", {2}, DataType::Int32, {}, bytes, {}},
      {"out", {1, 1, 1, 2}, DataType::Int8, {{std::ldexp(1.0F, -exponent)}, 0}, {}, {}}};
  network.operators = {{"conv", Conv2d{}, {0, 1, 2}, 3, rounding}};
  network.inputs = {0};
  network.outputs = {3};
  return network;
}

std::vector<std::int8_t> run(const Network& network, std::int8_t x) {
  const auto out = run_reference(network, {{static_cast<std::uint8_t>(x)}})[0];
  return {static_cast<std::int8_t>(out[0]), static_cast<std::int8_t>(out[1])};
}

TEST(WideSums, ChannelsThatSaturateWhateverTheInputAreConstant) {
  for (const std::int32_t sign : {1, -1}) {
    Network network = pointwise(8, sign * (1 << 30), 100, Rounding::HalfEven);
    bound_scaled_sums(network);
    const Tensor& bias = network.tensors[static_cast<std::size_t>(network.operators[0].inputs[2])];
    std::int32_t first = 0;
    std::memcpy(&first, bias.constant.data(), sizeof first);
    EXPECT_EQ(first, sign * (1 << 21));  // 256 times that is within 32 bits
    EXPECT_EQ(network.tensors[static_cast<std::size_t>(network.operators[0].inputs[1])].constant,
              (std::vector<std::uint8_t>{0, 1}));
    // Others that read the same tensors keep what the file has.
    EXPECT_EQ(network.tensors[1].constant[0], 100);
    for (const int value : {-128, -1, 0, 1, 127}) {
      const auto x = static_cast<std::int8_t>(value);
      const std::int8_t other = x < 0 ? -128 : x > 0 ? 127 : 0;
      EXPECT_EQ(run(network, x),
                (std::vector<std::int8_t>{sign > 0 ? std::int8_t{127} : std::int8_t{-128}, other}));
    }
  }
}

TEST(WideSums, WhereTheInputDecidesTheFileIsRefused) {
  Network refused = pointwise(29, 0, 100, Rounding::HalfEven);
  bound_scaled_sums(refused);  // 2^8 of the 2^29 are enough
  EXPECT_EQ(run(refused, 1)[0], 127);
  refused = pointwise(8, 0, 100, Rounding::HalfEven);
  Tensor& kernel = refused.tensors[1];
  kernel.shape = {2, 20, 20, 1};
  kernel.constant.assign(800, 127);
  refused.tensors[0].shape = {1, 20, 20, 1};
  try {
    bound_scaled_sums(refused);
    FAIL() << "nothing was refused";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "net: CONV_2D `conv`: the sums of output channel 0 are from -6502400 to 6451600, "
                 "each 2^8 steps of its "
                 "output or more; supported are scaled sums of 32 bits");
  }
}

// What rounds twice wraps as TensorFlow Lite's reference kernels do.
TEST(WideSums, WhatRoundsTwiceStays) {
  Network network = pointwise(8, 1 << 30, 100, Rounding::Twice);
  bound_scaled_sums(network);
  EXPECT_EQ(network.operators[0].inputs, (std::vector<std::int32_t>{0, 1, 2}));
}

TEST(WideSums, FactorsWithoutExcessMakeTheSameBytes) {
  for (int shift = 8; shift <= 30; ++shift) {
    for (const std::int32_t multiplier : {1 << 30, 0x5a5a5a5a, INT32_MAX}) {
      const FixedPoint factor{multiplier, shift};
      const FixedPoint less = without_excess(factor);
      EXPECT_LE(less.shift, 9);
      for (const std::int32_t zero : {-128, 0, 127}) {
        for (const std::int32_t sum : {-1000000, -300, -1, 0, 1, 2, 65025}) {
          const auto result = [&](FixedPoint f) {
            return std::clamp(requantise(sum, f, zero, Rounding::HalfEven), -128, 127);
          };
          EXPECT_EQ(result(less), result(factor)) << shift << " " << sum << " " << zero;
        }
      }
    }
  }
}

TEST(WideSums, AdditionsIntoMuchFinerStepsAreRefused) {
  const auto sum = [](float out) {
    Network network;
    network.name = "net";
    network.tensors = {{"a", {1, 4}, DataType::Int8, {{1.0F}, 0}, {}, {}},
                       {"b", {1, 4}, DataType::Int8, {{0.5F}, 0}, {}, {}},
                       {"out", {1, 4}, DataType::Int8, {{out}, 0}, {}, {}}};
    network.operators = {
        {"add", Binary{BinaryKind::Add, Activation::None}, {0, 1}, 2, Rounding::HalfEven}};
    return network;
  };
  Network fits = sum(0x1p-20F);
  bound_scaled_sums(fits);
  Network refused = sum(0x1p-23F);
  EXPECT_THROW(bound_scaled_sums(refused), InputError);
}

}  // namespace
}  // namespace tessera

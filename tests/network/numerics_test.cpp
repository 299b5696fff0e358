// Whose rounding an operator has.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "network/numerics.hpp"
#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
#include "tessera/quantise.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

const char* const kLayers =
    "layers: [{conv2d: {in: [6, 6, 3], out_channels: 4, kernel: 3}}, "
    "{avg_pool2d: {kernel: 2}}, {relu: {}}, {fully_connected: {out_features: 5}}, "
    "{softmax: {}}]";

std::vector<Rounding> roundings(Numerics numerics) {
  Network network = import_yaml(kLayers, "net.yaml", 1);
  round_as(numerics, network);
  std::vector<Rounding> all;
  all.reserve(network.operators.size());
  for (const Operator& op : network.operators) {
    all.push_back(op.rounding);
  }
  return all;
}

TEST(Numerics, EveryRuntimeHasItsOwn) {
  constexpr Rounding kTwice = Rounding::Twice;
  const std::vector<Rounding> twice(5, kTwice);
  EXPECT_EQ(roundings(Numerics::Auto), twice);
  EXPECT_EQ(roundings(Numerics::Tflm), twice);
  EXPECT_EQ(roundings(Numerics::Litert),
            (std::vector<Rounding>{kTwice, kTwice, kTwice, Rounding::HalfUp, kTwice}));
  EXPECT_EQ(roundings(Numerics::Xnnpack), roundings(Numerics::OnnxRuntime));
  // An average in one scale has no factor; nor have tables.
  EXPECT_EQ(
      roundings(Numerics::OnnxRuntime),
      (std::vector<Rounding>{Rounding::HalfEven, kTwice, kTwice, Rounding::HalfEven, kTwice}));
}

// Where the hardware cannot round once the host does, to the same bytes.
// Sums of bytes on the host are rounded as their runtime rounds, too.
TEST(Numerics, SumsOnTheHostHaveOne) {
  const auto rounded = [](HostKind kind, Numerics numerics) {
    Network network;
    const Quantisation steps{{0.1F}, 0};
    network.tensors = {{"a", {1, 4}, DataType::Int8, steps, {}, {}},
                       {"b", {4, 1}, DataType::Int8, steps, {}, {}},
                       {"out", {1, 1}, DataType::Int8, steps, {}, {}}};
    network.operators = {{"sum", HostOperator{kind, {0, 0}, {}}, {0, 1}, 2, Rounding::Twice}};
    round_as(numerics, network);
    return network.operators[0].rounding;
  };
  EXPECT_EQ(rounded(HostKind::BatchMatMul, Numerics::OnnxRuntime), Rounding::HalfEven);
  EXPECT_EQ(rounded(HostKind::BatchMatMul, Numerics::Xnnpack), Rounding::HalfEven);
  EXPECT_EQ(rounded(HostKind::BatchMatMul, Numerics::Litert), Rounding::Twice);
  EXPECT_EQ(rounded(HostKind::ReduceMean, Numerics::OnnxRuntime), Rounding::HalfEven);
  EXPECT_EQ(rounded(HostKind::Maximum, Numerics::OnnxRuntime), Rounding::Twice);
}

// Fixed point in Micro, tables of the function in LiteRT: here one value next to a half differs.
TEST(Numerics, FunctionsAreTheirRuntimes) {
  const auto sigmoid = [](Numerics numerics, std::int8_t x) {
    Network network;
    network.tensors = {{"in", {1, 1}, DataType::Int8, {{1.0F / 128}, 5}, {}, {}},
                       {"out", {1, 1}, DataType::Int8, {{1.0F / 256}, -128}, {}, {}}};
    network.operators = {{"f", Unary{UnaryKind::Logistic, 0.0F, {}}, {0}, 1, Rounding::Twice}};
    network.inputs = {0};
    network.outputs = {1};
    round_as(numerics, network);
    return static_cast<std::int8_t>(run_reference(network, {{static_cast<std::uint8_t>(x)}})[0][0]);
  };
  EXPECT_EQ(sigmoid(Numerics::Tflm, 4), -1);
  EXPECT_EQ(sigmoid(Numerics::Litert, 4), 0);
  EXPECT_EQ(sigmoid(Numerics::Xnnpack, 4), 0);
}

// With an odd zero point a half goes to the other neighbour, which the array cannot do.
TEST(Numerics, MeansOfXnnpackRoundBehindTheZeroPoint) {
  const auto mean = [](std::int32_t zero, std::vector<std::uint8_t> x) {
    Network network;
    network.tensors = {{"in", {1, 2, 1, 1}, DataType::Int8, {{0.5F}, 0}, {}, {}},
                       {"out", {1, 1}, DataType::Int8, {{0.5F}, zero}, {}, {}}};
    network.operators = {{"mean", Mean{1, 2}, {0}, 1, Rounding::Twice}};
    network.inputs = {0};
    network.outputs = {1};
    round_as(Numerics::Xnnpack, network);
    return static_cast<std::int8_t>(run_reference(network, {std::move(x)})[0][0]);
  };
  EXPECT_EQ(mean(0, {1, 2}), 2);   // 1.5
  EXPECT_EQ(mean(1, {1, 2}), 2);   // 2.5
  EXPECT_EQ(mean(1, {2, 3}), 4);   // 3.5
  EXPECT_EQ(mean(-2, {2, 3}), 0);  // 0.5
}

// LiteRT multiplies a fully connected layer's sums by a double; halves go away from zero.
TEST(Numerics, FullyConnectedHalvesGoAwayFromZero) {
  const std::vector<float> round = {0.002F, 1.0F / 256, 0.004F,    0.005F, 1.0F / 128, 0.01F,
                                    0.02F,  0.025F,     1.0F / 32, 0.03F,  0.05F};
  std::size_t halves = 0;
  for (const float in : round) {
    for (const float weight : round) {
      for (const float out : round) {
        const FixedPoint factor = weighted_factors({{in}, 0}, {{weight}, 0}, {{out}, 0}, 1,
                                                   ScaleArithmetic::DoubleAway)[0];
        const double real =
            static_cast<double>(in) * static_cast<double>(weight) / static_cast<double>(out);
        for (std::int32_t sum = -20000; sum <= 20000; ++sum) {
          const double exact = sum * real;
          if (std::fabs(exact) > 128) {
            continue;
          }
          halves += std::fabs(std::fabs(exact - std::trunc(exact)) - 0.5) < 1e-6 ? 1 : 0;
          ASSERT_EQ(requantise(sum, factor, 0, Rounding::HalfUp),
                    static_cast<std::int32_t>(std::round(exact)))
              << in << " " << weight << " " << out << " " << sum;
        }
      }
    }
  }
  EXPECT_GT(halves, 1000U);
}

// XNNPACK's additions: x * a + y * b, a and b of at most 21 bits, shifted right, halves up.
TEST(Numerics, AdditionsOfWholeFactors) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> exponent(-6, 6);
  std::uniform_int_distribution<std::int32_t> byte(-128, 127);
  std::size_t different = 0;
  std::size_t compared = 0;
  // Round scales make ties.
  const std::vector<float> round = {0.004F, 0.005F, 0.01F, 0.02F, 0.025F, 0.03F, 0.05F};
  std::uniform_int_distribution<std::size_t> one_of(0, round.size() - 1);
  for (int k = 0; k < 500; ++k) {
    const auto drawn = [&] {
      return k % 4 < 2 ? std::exp2(exponent(random)) : round[one_of(random)];
    };
    const Quantisation x{{drawn()}, byte(random)};
    const Quantisation y{{drawn()}, byte(random)};
    const Quantisation out{{drawn()}, byte(random)};
    if (!adds_in_whole_scales(x, y, out)) {
      continue;
    }
    const float a = x.scales[0] / out.scales[0];
    const float b = y.scales[0] / out.scales[0];
    int exponent_of_most = 0;
    std::frexp(std::max(a, b), &exponent_of_most);
    const int shift = 21 - exponent_of_most;
    const auto whole = [&](float scale) {
      return std::int64_t{std::lrint(std::ldexp(static_cast<double>(scale), shift))};
    };
    ASSERT_LE(std::max(whole(a), whole(b)), 1 << 21);
    Network network;
    network.tensors = {{"x", {256}, DataType::Int8, x, {}, {}},
                       {"y", {256}, DataType::Int8, y, {}, {}},
                       {"out", {256}, DataType::Int8, out, {}, {}}};
    const bool subtracts = k % 2 == 1;
    network.operators = {{"add",
                          Binary{subtracts ? BinaryKind::Sub : BinaryKind::Add},
                          {0, 1},
                          2,
                          Rounding::HalfUp}};
    std::array<std::int8_t, 256> first{}, second{}, result{};
    for (std::size_t i = 0; i < first.size(); ++i) {
      first[i] = static_cast<std::int8_t>(byte(random));
      second[i] = static_cast<std::int8_t>(byte(random));
    }
    run_operator(network, network.operators[0],
                 {reinterpret_cast<const std::uint8_t*>(first.data()),
                  reinterpret_cast<const std::uint8_t*>(second.data())},
                 reinterpret_cast<std::uint8_t*>(result.data()));
    for (std::size_t i = 0; i < first.size(); ++i) {
      const std::int64_t sum =
          std::int64_t{first[i] - x.zero_point} * whole(a) +
          (subtracts ? -1 : 1) * std::int64_t{second[i] - y.zero_point} * whole(b);
      const std::int64_t right =
          ((sum + (std::int64_t{1} << (shift - 1))) >> shift) + out.zero_point;
      different += result[i] != std::clamp<std::int64_t>(right, -128, 127) ? 1 : 0;
      ++compared;
    }
  }
  EXPECT_GT(compared, 30000U);
  EXPECT_EQ(different, 0U);
}

TEST(Numerics, XnnpackHasSlopesOfWholeSteps) {
  Network network = import_yaml(
      "input: [4, 4, 2]\nlayers: [{leaky_relu: {alpha: 0.3, scale: 0.07, zero_point: 3}}, "
      "{quantize: {scale: 0.001, zero_point: 0}}, {quantize: {scale: 1000, zero_point: 0}}]",
      "net.yaml", 1);
  const float slope = network.tensors[0].quantisation.scales[0] / 0.07F;
  const std::int32_t zero = network.tensors[0].quantisation.zero_point;
  round_as(Numerics::Xnnpack, network);
  const auto& leaky = std::get<Unary>(network.operators[0].attributes);
  ASSERT_EQ(leaky.kind, UnaryKind::Lookup);
  for (std::int32_t x = -128; x <= 127; ++x) {
    const double real = (x - zero) * static_cast<double>(slope) * (x < zero ? 0.3 : 1);
    const double wanted = std::clamp(real + 3, -128.0, 127.0);
    EXPECT_NEAR(leaky.table[static_cast<std::size_t>(x + 128)], wanted, 0.5 + 256 / 512.0) << x;
  }
  // Slopes that are no whole 1/256 are left to LiteRT's own kernels.
  EXPECT_EQ(std::get<Unary>(network.operators[2].attributes).kind, UnaryKind::Quantize);
}

TEST(Numerics, HardwareWithoutTheFeatureLeavesItToTheHost) {
  const Network network = import_yaml(
      "layers: [{conv2d: {in: [6, 6, 3], out_channels: 4, kernel: 3, rounding: half_even}}]",
      "net.yaml", 1);
  Hardware hardware = hardware_preset("tiny");
  EXPECT_EQ(compile(network, hardware, {}).layers[0].host_reason, "");
  hardware.features &= ~(1U << static_cast<unsigned>(isa::Feature::SingleRounding));
  EXPECT_NE(compile(network, hardware, {}).layers[0].host_reason.find("single_rounding"),
            std::string::npos);
}

// An addition that rounds otherwise than the convolution before it cannot ride on its store.
TEST(Numerics, OneStoreRoundsInOneWay) {
  const auto streams = [](const char* rounding) {
    const Network network = import_yaml(
        std::string("layers: [{conv2d: {name: a, in: [6, 6, 4], out_channels: 4, kernel: 1}}, "
                    "{conv2d: {name: b, from: a, out_channels: 4, kernel: 1}}, "
                    "{add: {from: [a, b], rounding: ") +
            rounding + "}}]",
        "net.yaml", 1);
    const Program program = compile(network, hardware_preset("small"), {});
    EXPECT_EQ(check_program(program), std::vector<std::string>{});
    return program.image.size();
  };
  EXPECT_GT(streams("half_up"), streams("twice"));
}

TEST(Numerics, ComeBackFromALayerList) {
  Network network = import_yaml(kLayers, "net.yaml", 1);
  EXPECT_THROW(
      import_yaml("layers: [{constant: {name: c, shape: [1], values: x, rounding: twice}}]",
                  "net.yaml", 1),
      std::exception);
  round_as(Numerics::OnnxRuntime, network);
  EXPECT_EQ(network.operators[0].rounding, Rounding::HalfEven);
  const Network once = import_yaml(
      "layers: [{conv2d: {in: [9, 9, 8], out_channels: 16, kernel: 3, rounding: half_even}}]",
      "net.yaml", 5);
  const Network twice = import_yaml(
      "layers: [{conv2d: {in: [9, 9, 8], out_channels: 16, kernel: 3}}]", "net.yaml", 5);
  const Bytes input(648, 77);
  // Few values round otherwise, by one.
  const Bytes a = run_reference(once, {input})[0];
  const Bytes b = run_reference(twice, {input})[0];
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_LE(std::abs(static_cast<std::int8_t>(a[i]) - static_cast<std::int8_t>(b[i])), 1);
  }
}

}  // namespace
}  // namespace tessera

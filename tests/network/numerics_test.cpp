// Whose rounding an operator has.
#include <gtest/gtest.h>

#include "network/numerics.hpp"
#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/program.hpp"
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
  // An average in one scale has no factor; nor have tables.
  EXPECT_EQ(
      roundings(Numerics::OnnxRuntime),
      (std::vector<Rounding>{Rounding::HalfEven, kTwice, kTwice, Rounding::HalfEven, kTwice}));
}

// Where the hardware cannot round once the host does, to the same bytes.
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

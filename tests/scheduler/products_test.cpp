// Products of two computed tensors, and transpositions that move the channels, as array passes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "scheduler/lower/partition.hpp"
#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/import.hpp"
#include "tessera/isa.hpp"
#include "tessera/program.hpp"
#include "tests/scheduler/commands_of.hpp"

namespace tessera {
namespace {

using test::commands_of;

// Rows by rows; the first factor has the given zero point.
std::string product_text(int zero_point, const std::string& before = "",
                         const std::string& from = "x, y", const std::string& behind = "") {
  return fmt::format(
      "inputs: {{x: {{shape: [1, 20, 3, 16], scale: 0.1, zero_point: {}}}, y: {{shape: [1, 24, 3, "
      "16], scale: 0.1, zero_point: 7}}}}\nlayers:\n{}  - host: {{name: p, kind: BATCH_MATMUL, "
      "from: [{}], shape: [1, 3, 20, 24], integers: [0, 1], scale: 1, zero_point: 0}}\n{}",
      zero_point, before, from, behind);
}

const char* const kHeads =
    "  - transpose: {name: a, from: x, order: [0, 2, 1, 3]}\n"
    "  - transpose: {name: b, from: y, order: [0, 2, 1, 3]}\n";

Program program_of(const std::string& text, const Hardware& hardware) {
  const Program program = compile(import_yaml(text, "net.yaml", 1), hardware, Policy{});
  EXPECT_EQ(check_program(program), std::vector<std::string>());
  return program;
}

TEST(Products, TakeOneWalkWhereTheArraySubtractsTheZeroPoint) {
  const Hardware medium = hardware_preset("medium");
  Hardware without = medium;
  without.features &= ~(1U << static_cast<unsigned>(isa::Feature::CentredFeatures));
  const auto convolutions = [](int zero_point, const Hardware& hardware) {
    return commands_of<isa::Conv>(program_of(product_text(zero_point, kHeads, "a, b"), hardware))
        .size();
  };
  const std::size_t once = convolutions(9, medium);
  EXPECT_EQ(once, 6U) << "two kernel groups of three heads";
  EXPECT_EQ(convolutions(0, without), once);
  EXPECT_EQ(convolutions(9, without), 2 * once);
  EXPECT_EQ(convolutions(127, without), 2 * once);
  EXPECT_EQ(convolutions(-127, without), 2 * once);
  EXPECT_EQ(convolutions(-128, without), 3 * once) << "a byte holds 127 at most";
}

TEST(Products, TranspositionsOfHeadsAreTheirStrides) {
  const Network network = import_yaml(
      product_text(0, kHeads, "a, b", "  - transpose: {from: p, order: [0, 2, 1, 3]}\n"),
      "net.yaml", 1);
  const Partition plan = partition_network(network, hardware_preset("medium"), Policy{});
  ASSERT_EQ(plan.units.size(), 1U);
  EXPECT_EQ(plan.units[0].absorbed.size(), 3U);
  ASSERT_EQ(plan.units[0].lowering.passes.size(), 3U);
  const ArrayPass& second = plan.units[0].lowering.passes[1];
  EXPECT_EQ(second.feature, network.inputs[0]);
  EXPECT_EQ(second.feature_view.offset, 16U);
  EXPECT_EQ(second.feature_view.pixel_stride, 48U);
  ASSERT_TRUE(second.weights);
  EXPECT_EQ(second.weights->tensor, network.inputs[1]);
  EXPECT_EQ(second.weights->view.offset, 16U);
  EXPECT_EQ(second.weights->view.pixel_stride, 48U);
  EXPECT_EQ(second.output_view.offset, 24U);
  EXPECT_EQ(second.output_view.pixel_stride, 72U);
}

TEST(Products, OfColumnsByColumnsAreTheHosts) {
  const Network network = import_yaml(
      "inputs: {x: {shape: [1, 8, 4], scale: 1, zero_point: 0}, y: {shape: [1, 8, 6], scale: 1, "
      "zero_point: 0}}\nlayers:\n  - host: {kind: BATCH_MATMUL, from: [x, y], shape: [1, 4, 6], "
      "integers: [1, 0], scale: 1, zero_point: 0}\n",
      "net.yaml", 1);
  const Partition plan = partition_network(network, hardware_preset("medium"), Policy{});
  EXPECT_NE(plan.units[0].host_reason.find("columns by columns"), std::string::npos)
      << plan.units[0].host_reason;
}

// The old value is read before the new one, which the product needs as well, is written over it.
TEST(Products, OfAStatesOldAndNewValueWaitForNoCircle) {
  const auto text = [](const char* shape, const std::string& order, const std::string& turned,
                       const std::string& product) {
    return fmt::format(
        "inputs: {{x: {{shape: {0}, scale: 0.1, zero_point: 0}}, h: {{shape: {0}, scale: 0.1, "
        "zero_point: 0}}}}\nlayers:\n  - transpose: {{name: t, from: h, order: {1}}}\n  - "
        "leaky_relu: {{name: n, from: x, scale: 0.1, zero_point: 0}}\n{2}  - host: {{name: p, "
        "kind: "
        "BATCH_MATMUL, {3}, scale: 1, zero_point: 0}}\noutputs: [p]\nstate: [{{input: h, output: "
        "n}}]\n",
        shape, order, turned, product);
  };
  const std::string columns = text("[1, 1, 8, 8]", "[0, 1, 3, 2]", "",
                                   "from: [n, t], shape: [1, 1, 8, 8], integers: [0, 0]");
  const std::string heads = text("[1, 8, 2, 8]", "[0, 2, 1, 3]",
                                 "  - transpose: {name: m, from: n, order: [0, 2, 1, 3]}\n",
                                 "from: [m, t], shape: [1, 2, 8, 8], integers: [0, 1]");
  for (const std::string& network : {columns, heads}) {
    const std::string file = testing::TempDir() + "/states.yaml";
    std::ofstream(file) << network;
    const Program program = compile(load_network(file, {}), hardware_preset("small"), Policy{});
    EXPECT_EQ(check_program(program), std::vector<std::string>());
    EXPECT_EQ(program.states.size(), 1U);
  }
}

// What loads as weights is in external memory, whatever else stays in the cbuf.
TEST(Products, WeightsThatTheProgramComputesAreStored) {
  const std::string text =
      "input: [1, 24, 32]\nlayers:\n"
      "  - conv2d: {name: k, kernel: 1, out_channels: 32}\n"
      "  - host: {kind: BATCH_MATMUL, from: [k, k], shape: [1, 1, 24, 24], integers: [0, 1], "
      "scale: 1, zero_point: 0}\n";
  for (const PolicyName name : {PolicyName::FirstFit, PolicyName::Best}) {
    Policy policy;
    policy.name = name;
    const Program program =
        compile(import_yaml(text, "net.yaml", 1), hardware_preset("medium"), policy);
    EXPECT_EQ(check_program(program), std::vector<std::string>());
    const auto stores = commands_of<isa::Store>(program);
    ASSERT_FALSE(stores.empty());
    EXPECT_EQ(stores[0].keep_only, 0U);
  }
}

// A unit matrix times the tensor as weights: fewer bytes go one by one.
TEST(Transpositions, ThatMoveTheChannelsAreProductsWhereThatIsFaster) {
  const auto passes_of = [](const std::string& shape, const std::string& order,
                            const std::string& preset) {
    const Network network = import_yaml(
        fmt::format("inputs: {{x: {{shape: {}, scale: 1, zero_point: 3}}}}\nlayers:\n  - "
                    "transpose: {{order: {}}}\n",
                    shape, order),
        "net.yaml", 1);
    return partition_network(network, hardware_preset(preset), Policy{}).units[0].lowering.passes;
  };
  const auto is_product = [](const ArrayPass& pass) { return pass.weights.has_value(); };
  std::size_t rows = 0;
  for (const ArrayPass& pass : passes_of("[1, 24, 24, 96]", "[0, 3, 1, 2]", "medium")) {
    ASSERT_TRUE(is_product(pass));
    const auto own = static_cast<std::size_t>(pass.shape.in_w);
    EXPECT_EQ(pass.constant.size(), own * own) << "a unit matrix";
    EXPECT_LE(own, 128U);
    rows += own;
  }
  EXPECT_EQ(rows, 96U);
  EXPECT_FALSE(is_product(passes_of("[1, 24, 24, 96]", "[0, 2, 1, 3]", "medium")[0]))
      << "channels stay";
  EXPECT_FALSE(is_product(passes_of("[1, 24, 24, 96]", "[0, 3, 1, 2]", "tiny")[0])) << "4 x 4 MACs";
  EXPECT_FALSE(is_product(passes_of("[1, 1, 2, 4000]", "[0, 1, 3, 2]", "large")[0]))
      << "two kernels fill no array";
  EXPECT_FALSE(is_product(passes_of("[1, 50, 4, 4]", "[0, 1, 3, 2]", "medium")[0]))
      << "50 small ones";
}

}  // namespace
}  // namespace tessera

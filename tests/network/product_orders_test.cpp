// The order of products' factors: rows by rows, with as few transpositions as that takes.
#include "network/import/product_orders.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tessera/import.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

std::vector<Bytes> inputs_of(const Network& network) {
  std::vector<Bytes> inputs;
  std::uint32_t state = 7;
  for (const std::int32_t input : network.inputs) {
    Bytes& bytes = inputs.emplace_back(network.tensors[static_cast<std::size_t>(input)].bytes());
    for (std::uint8_t& byte : bytes) {
      state = state * 1664525U + 1013904223U;
      byte = static_cast<std::uint8_t>(state >> 24);
    }
  }
  return inputs;
}

// The same values, whatever the order.
Network ordered(const std::string& text) {
  const Network before = import_yaml(text, "net.yaml", 1);
  Network after = before;
  order_products(after);
  check_network(after);
  EXPECT_EQ(run_reference(after, inputs_of(after)), run_reference(before, inputs_of(before)));
  return after;
}

std::vector<std::string> kinds_of(const Network& network) {
  std::vector<std::string> kinds;
  kinds.reserve(network.operators.size());
  for (const Operator& op : network.operators) {
    kinds.emplace_back(op.type_name());
  }
  return kinds;
}

const HostOperator& product_of(const Network& network) {
  for (const Operator& op : network.operators) {
    if (op.type_name() == "BATCH_MATMUL") {
      return std::get<HostOperator>(op.attributes);
    }
  }
  throw std::logic_error("no product");
}

std::string input(const char* name, const char* shape) {
  return fmt::format("{}: {{shape: {}, scale: 0.1, zero_point: 5}}", name, shape);
}

std::string product(const char* from, const char* shape, const char* order) {
  return fmt::format(
      "  - host: {{name: p, kind: BATCH_MATMUL, from: [{}], shape: {}, integers: {}, scale: 2, "
      "zero_point: -3}}\n",
      from, shape, order);
}

using Kinds = std::vector<std::string>;

TEST(ProductOrders, RowsByRowsStay) {
  const Network network =
      ordered("inputs: {" + input("x", "[1, 3, 4, 5]") + ", " + input("y", "[1, 3, 6, 5]") +
              "}\nlayers:\n" + product("x, y", "[1, 3, 4, 6]", "[0, 1]"));
  EXPECT_EQ(kinds_of(network), Kinds({"BATCH_MATMUL"}));
}

TEST(ProductOrders, ColumnsAreTransposed) {
  const Network network =
      ordered("inputs: {" + input("x", "[1, 3, 5, 4]") + ", " + input("y", "[1, 5, 6]") +
              "}\nlayers:\n" + product("x, y", "[1, 3, 4, 6]", "[1, 0]"));
  EXPECT_EQ(kinds_of(network), Kinds({"TRANSPOSE", "TRANSPOSE", "BATCH_MATMUL"}));
  EXPECT_EQ(product_of(network).integers, std::vector<std::int32_t>({0, 1}));
}

TEST(ProductOrders, TwoTranspositionsAreNone) {
  const Network network =
      ordered("inputs: {" + input("x", "[1, 3, 4, 5]") + ", " + input("y", "[1, 3, 6, 5]") +
              "}\nlayers:\n  - transpose: {name: t, from: y, order: [0, 1, 3, 2]}\n" +
              product("x, t", "[1, 3, 4, 6]", "[0, 0]"));
  EXPECT_EQ(kinds_of(network), Kinds({"BATCH_MATMUL"}));
  EXPECT_EQ(network.operators[0].inputs, network.inputs);
}

TEST(ProductOrders, TwoTranspositionsAreOne) {
  const Network network =
      ordered("inputs: {" + input("x", "[1, 3, 4, 5]") + ", " + input("y", "[1, 5, 3, 6]") +
              "}\nlayers:\n  - transpose: {name: t, from: y, order: [0, 2, 1, 3]}\n" +
              product("x, t", "[1, 3, 4, 6]", "[0, 0]"));
  EXPECT_EQ(kinds_of(network), Kinds({"TRANSPOSE", "BATCH_MATMUL"}));
  EXPECT_EQ(std::get<Transpose>(network.operators[0].attributes).order,
            std::vector<std::int32_t>({0, 2, 3, 1}));
}

// The first one stays for whoever else reads it.
TEST(ProductOrders, TranspositionsThatOthersReadStay) {
  const Network network =
      ordered("inputs: {" + input("x", "[1, 3, 4, 5]") + ", " + input("y", "[1, 3, 6, 5]") +
              "}\nlayers:\n  - transpose: {name: t, from: y, order: [0, 1, 3, 2]}\n" +
              product("x, t", "[1, 3, 4, 6]", "[0, 0]") +
              "  - relu: {name: r, from: t}\noutputs: [p, r]\n");
  EXPECT_EQ(kinds_of(network), Kinds({"TRANSPOSE", "BATCH_MATMUL", "RELU"}));
}

TEST(ProductOrders, ConstantsAreTurnedAtOnce) {
  Network network =
      import_yaml("inputs: {" + input("x", "[1, 3, 4, 5]") + ", " + input("y", "[1, 3, 5, 6]") +
                      "}\nlayers:\n" + product("x, y", "[1, 3, 4, 6]", "[0, 0]"),
                  "net.yaml", 1);
  const std::vector<Bytes> inputs = inputs_of(network);
  const std::vector<Bytes> expected = run_reference(network, inputs);
  network.tensors[static_cast<std::size_t>(network.inputs[1])].constant = inputs[1];
  network.inputs.pop_back();
  order_products(network);
  EXPECT_EQ(kinds_of(network), Kinds({"BATCH_MATMUL"}));
  EXPECT_EQ(product_of(network).integers, std::vector<std::int32_t>({0, 1}));
  EXPECT_EQ(run_reference(network, {inputs[0]}), expected);
}

}  // namespace
}  // namespace tessera

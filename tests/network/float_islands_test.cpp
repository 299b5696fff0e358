// Functions in float between two bytes are tables of what the kernels give.
#include "network/import/float_islands.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "network/builder.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

constexpr std::int32_t kRows = 16, kCols = 16;

/// Floats that come of an int8 input of all 256 values.
class FloatIslands : public testing::Test {
 protected:
  FloatIslands() : builder_("islands", 1), x_(builder_.input("x", {1, kRows, kCols, 1})) {
    builder_.tensor(x_).quantisation = {{0.031F}, -7};
    d_ = in_float("d", Dequantize{}, {x_});
  }

  std::int32_t in_float(const std::string& name, const Attributes& attributes,
                        const std::vector<std::int32_t>& inputs) {
    const std::int32_t t =
        builder_.moved(name, builder_.tensor(inputs[0]).shape, attributes, inputs);
    builder_.tensor(t).type = DataType::Float32;
    builder_.tensor(t).quantisation = {};
    return t;
  }
  std::int32_t host(const std::string& name, HostKind kind,
                    const std::vector<std::int32_t>& inputs) {
    return in_float(name, HostOperator{kind, {}, {}}, inputs);
  }
  std::int32_t number(const std::string& name, const std::vector<float>& values) {
    std::vector<std::uint8_t> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    const std::int32_t t =
        builder_.constant(name, {static_cast<std::int32_t>(values.size())}, {}, bytes);
    builder_.tensor(t).type = DataType::Float32;
    return t;
  }
  std::int32_t quantised(const std::string& name, std::int32_t from) {
    const std::int32_t t = builder_.unary(name, from, Unary{UnaryKind::Quantize, 0, {}, true});
    builder_.tensor(t).type = DataType::Int8;
    builder_.tensor(t).quantisation = {{0.027F}, 3};
    return t;
  }

  /// Folds, and expects the same outputs from so many operators.
  Network expect_folded(std::size_t operators) {
    const Network before = builder_.network();
    Network after = before;
    fold_float_islands(after);
    EXPECT_EQ(after.operators.size(), operators);
    Bytes all(std::size_t{kRows} * kCols);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = static_cast<std::uint8_t>(i);
    }
    const std::vector<Bytes> inputs(before.inputs.size(), all);
    EXPECT_EQ(run_reference(before, inputs), run_reference(after, inputs));
    return after;
  }

  NetworkBuilder builder_;
  std::int32_t x_;
  std::int32_t d_;
};

TEST_F(FloatIslands, AFunctionIsATable) {
  builder_.output(quantised("q", host("n", HostKind::Neg, {d_})));
  const Network folded = expect_folded(1);
  EXPECT_EQ(std::get<Unary>(folded.operators[0].attributes).kind, UnaryKind::Lookup);
}

TEST_F(FloatIslands, SoIsAnExpressionOfOneValue) {
  const std::int32_t e = host("e", HostKind::Exp, {host("n", HostKind::Neg, {d_})});
  const std::int32_t s = host("s", HostKind::Add, {e, number("one", {1})});
  builder_.output(quantised("q", host("silu", HostKind::Div, {d_, s})));
  expect_folded(1);
}

TEST_F(FloatIslands, WhatOthersReadStays) {
  const std::int32_t n = host("n", HostKind::Neg, {d_});
  builder_.output(quantised("q", n));
  builder_.output(n);
  expect_folded(3);
}

TEST_F(FloatIslands, ValuesOfTwoTensorsAreNoTable) {
  const std::int32_t y = builder_.input("y", {1, kRows, kCols, 1});
  builder_.tensor(y).quantisation = {{0.02F}, 5};
  const std::int32_t f = in_float("f", Dequantize{}, {y});
  builder_.output(quantised("q", host("s", HostKind::Mul, {d_, f})));
  expect_folded(4);
}

TEST_F(FloatIslands, NorIsWhatLooksAtNeighboursOrPlaces) {
  builder_.output(
      quantised("q", in_float("s", HostOperator{HostKind::SoftmaxFloat, {2}, {1}}, {d_})));
  std::vector<float> by_column;
  by_column.reserve(kCols);
  for (std::int32_t c = 0; c < kCols; ++c) {
    by_column.push_back(static_cast<float>(c));
  }
  const std::int32_t columns = number("columns", by_column);
  builder_.tensor(columns).shape = {1, kCols, 1};
  builder_.output(quantised("p", host("m", HostKind::Mul, {d_, columns})));
  expect_folded(5);
}

}  // namespace
}  // namespace tessera

// Norms of transformers and Einsum, between DequantizeLinear and QuantizeLinear. Whole models drawn
// at random are compared with ONNX Runtime by tests/zoo/drawn_onnx.py.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tessera/error.hpp"
#include "tests/onnx/bytes_through.hpp"

namespace tessera {
namespace {

using W = test::ModelWriter;

constexpr int kMiddle = 128;

// Bytes of scale 0.1 through `nodes`, from `x` to `y` of scale 0.01, both around 128.
std::vector<int> through_norm(const std::vector<std::int64_t>& shape, const std::vector<int>& x,
                              const std::function<void(W&)>& nodes) {
  W w(1, 17);
  w.input("b", onnx::TensorProto::UINT8, shape);
  w.scale("xs", 0.1F);
  w.scale("ys", 0.01F);
  w.zero("z", false, kMiddle);
  w.node("DequantizeLinear", {"b", "xs", "z"}, {"x"});
  nodes(w);
  w.node("QuantizeLinear", {"y", "ys", "z"}, {"out"});
  w.output("out", onnx::TensorProto::UINT8);
  std::vector<int> values = test::bytes_through(w, x);
  for (int& value : values) {
    value -= kMiddle;
  }
  return values;
}

void floats(W& w, const std::string& name, const std::vector<float>& values) {
  w.constant(name, onnx::TensorProto::FLOAT, {static_cast<std::int64_t>(values.size())}, values);
}

std::string norm_error(const std::function<void(W&)>& nodes) {
  try {
    through_norm({1, 2, 2}, {128, 128, 128, 128}, nodes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(OnnxNorms, AreOfRows) {
  // Rows 1, 3 and -1, 1: mean 2 and 0, deviation 1.
  const std::vector<int> x = {138, 158, 118, 138};
  EXPECT_EQ(through_norm({1, 2, 2}, x,
                         [](W& w) {
                           floats(w, "scale", {0.5F, 1});
                           floats(w, "bias", {0, 0.25F});
                           w.node("LayerNormalization", {"x", "scale", "bias"}, {"y"});
                         }),
            (std::vector<int>{-50, 125, -50, 125}));
  // Over all four values: mean 1, variance 2.
  EXPECT_EQ(
      through_norm({1, 2, 2}, x,
                   [](W& w) {
                     floats(w, "scale", {1, 1, 1, 1});
                     w.node("LayerNormalization", {"x", "scale"}, {"y"}, {W::integer("axis", 1)});
                   }),
      (std::vector<int>{0, 127, -128, 0}));
  // Without a mean: 1 / sqrt(5), 3 / sqrt(5), halved.
  EXPECT_EQ(through_norm({1, 2, 2}, x,
                         [](W& w) {
                           floats(w, "scale", {0.5F, 0.5F});
                           w.node("RMSNormalization", {"x", "scale"}, {"y"});
                         }),
            (std::vector<int>{22, 67, -50, 50}));
}

TEST(OnnxNorms, OfASumGiveTheSum) {
  const auto nodes = [](const char* name) {
    return [name](W& w) {
      floats(w, "gamma", {0.5F, 1});
      floats(w, "beta", {0, 0});
      w.node("SkipLayerNormalization", {"x", "x", "gamma", "beta"}, {"n", "", "", "s"}, {},
             "com.microsoft");
      floats(w, "small", {0.1F});
      w.node("Mul", {name, "small"}, {"y"});
    };
  };
  const std::vector<int> x = {138, 158, 118, 138};
  EXPECT_EQ(through_norm({1, 2, 2}, x, nodes("n")), (std::vector<int>{-5, 10, -5, 10}));
  EXPECT_EQ(through_norm({1, 2, 2}, x, nodes("s")), (std::vector<int>{20, 60, -20, 20}));
}

TEST(OnnxNorms, EinsumIsAProduct) {
  // Rows of x with rows of x: 0.1 (1 1 + 3 3), 0.1 (-1 + 3), 0.1 (1 + 1).
  EXPECT_EQ(
      through_norm({1, 2, 2}, {138, 158, 118, 138},
                   [](W& w) {
                     floats(w, "small", {0.1F});
                     w.node("Mul", {"x", "small"}, {"m"});
                     w.node("Einsum", {"x", "m"}, {"y"}, {W::text("equation", "bid, bjd -> bij")});
                   }),
      (std::vector<int>{100, 20, 20, 20}));
}

TEST(OnnxNorms, WhatIsNotReadIsNamed) {
  const auto expect = [](const std::string& error, const char* part) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  };
  expect(norm_error([](W& w) {
           w.node("LayerNormalization", {"x", "x"}, {"y"});
         }),
         "`x` must be a constant");
  expect(norm_error([](W& w) {
           floats(w, "scale", {1, 1, 1});
           w.node("LayerNormalization", {"x", "scale"}, {"y"});
         }),
         "`scale` has 3 values for 2");
  expect(norm_error([](W& w) {
           floats(w, "scale", {1, 1});
           w.node("LayerNormalization", {"x", "scale"}, {"y", "mean"});
         }),
         "supported is one output");
  for (const auto& refused : std::vector<std::pair<const char*, const char*>>{
           {"bij,bjk,bkl->bil", "two values"},
           {"...ij,...jk->...ik", "ellipses"},
           {"bij,bjk->bi", "each label must be in two of the three"},
           {"bii,bij->bj", "ellipses"},
           {"bijk,bkl->bijl", "for 3 dimensions"}}) {
    expect(norm_error([&](W& w) {
             w.node("Einsum", {"x", "x"}, {"y"}, {W::text("equation", refused.first)});
           }),
           refused.second);
  }
}

}  // namespace
}  // namespace tessera

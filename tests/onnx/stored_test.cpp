// Between a QuantizeLinear and a DequantizeLinear bytes are numbers; behind the latter they are
// what they stand for.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tessera/error.hpp"
#include "tests/onnx/bytes_through.hpp"

namespace tessera {
namespace {

using W = test::ModelWriter;

constexpr int kZero = 100;

// Four bytes without a sign through `nodes`, from `x` (bytes) or `xf` (scale 0.1) to `y` or `yf`
// (scale 0.2).
std::vector<int> through(const std::vector<int>& x, bool of_bytes,
                         const std::function<void(W&)>& nodes) {
  W w(1);
  w.input("x", onnx::TensorProto::UINT8, {1, 4});
  w.scale("xs", 0.1F);
  w.zero("xz", false, kZero);
  w.scale("ys", 0.2F);
  w.zero("yz", false, kZero);
  if (!of_bytes) {
    w.node("DequantizeLinear", {"x", "xs", "xz"}, {"xf"});
  }
  nodes(w);
  if (of_bytes) {
    w.node("DequantizeLinear", {"y", "xs", "xz"}, {"yf"});
  }
  w.node("QuantizeLinear", {"yf", "ys", "yz"}, {"out"});
  w.output("out", onnx::TensorProto::UINT8);
  return test::bytes_through(w, x);
}

void around(W& w) {
  w.numbers("pads", {0, 1, 0, 1});
}

TEST(OnnxStored, PadsWithANumber) {
  // 120 is 2.0 in the input's steps and 110 in the output's; what is not given is the byte 0.
  EXPECT_EQ(through({100, 102, 104, 106}, true,
                    [](W& w) {
                      around(w);
                      w.zero("value", false, 120);
                      w.node("Pad", {"x", "pads", "value"}, {"y"});
                    }),
            (std::vector<int>{110, 100, 101, 102, 103, 110}));
  EXPECT_EQ(through({100, 102, 104, 106}, true,
                    [](W& w) {
                      around(w);
                      w.node("Pad", {"x", "pads"}, {"y"});
                    }),
            (std::vector<int>{50, 100, 101, 102, 103, 50}));
}

TEST(OnnxStored, PadsWithARealValue) {
  // 0.31 is no step of 0.1: half way between 101 and 102 it is nearer to 102.
  EXPECT_EQ(through({100, 102, 104, 106}, false,
                    [](W& w) {
                      around(w);
                      w.scale("value", 0.31F);
                      w.node("Pad", {"xf", "pads", "value"}, {"yf"});
                    }),
            (std::vector<int>{102, 100, 101, 102, 103, 102}));
  // Beyond what the input's bytes hold.
  EXPECT_EQ(through({100, 102, 104, 106}, false,
                    [](W& w) {
                      around(w);
                      w.scale("value", 20.0F);
                      w.node("Pad", {"xf", "pads", "value"}, {"yf"});
                    }),
            (std::vector<int>{200, 100, 101, 102, 103, 200}));
}

TEST(OnnxStored, AreComparedAsNumbers) {
  EXPECT_EQ(through({0, 90, 110, 255}, true,
                    [](W& w) {
                      w.zero("value", false, 100);
                      w.node("Max", {"x", "value"}, {"y"});
                    }),
            (std::vector<int>{100, 100, 105, 178}));
  EXPECT_EQ(through({0, 90, 110, 255}, true,
                    [](W& w) {
                      w.constant<std::uint8_t>("which", onnx::TensorProto::BOOL, {4}, {1, 0, 1, 0});
                      w.zero("value", false, 104);
                      w.node("Where", {"which", "x", "value"}, {"y"});
                    }),
            (std::vector<int>{50, 102, 105, 102}));
}

TEST(OnnxStored, NothingElseComputesWithThem) {
  try {
    through({0, 90, 110, 255}, true, [](W& w) { w.node("Sigmoid", {"x"}, {"y"}); });
    FAIL() << "a function of stored bytes was taken";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("computes with the bytes of `x`"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tessera

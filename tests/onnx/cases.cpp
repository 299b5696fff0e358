#include "tests/onnx/cases.hpp"

namespace tessera::test {
namespace {

using W = ModelWriter;
using Dims = std::vector<std::int64_t>;
using Case = OnnxCase;
using Bytes = std::vector<std::uint8_t>;

constexpr float kXScale = 0.03F;

int x_zero(bool is_signed) {
  return is_signed ? -9 : 119;
}
int y_zero(bool is_signed) {
  return is_signed ? 4 : 132;
}

void conv(W& w, bool is_signed, const Dims& kernel, const std::vector<W::Attribute>& attributes,
          bool per_channel) {
  // Unsigned weights are around any zero point; per-channel ones are signed.
  const bool signed_weights = is_signed || per_channel;
  w.quantised("w", kernel, signed_weights, signed_weights ? 0 : 140, per_channel ? 0 : -1, 0.004F);
  w.node("Conv", {"xf", "w"}, {"yf"}, attributes);
}

void qlinear_conv(W& w, bool is_signed, const Dims& kernel,
                  const std::vector<W::Attribute>& attributes, bool per_channel) {
  const bool signed_weights = is_signed || per_channel;
  // That runtime saturates sums of unsigned features with signed weights of 8 bits on many
  // machines.
  const int bits = signed_weights && !is_signed ? 7 : 8;
  w.quantised("w", kernel, signed_weights, signed_weights ? 0 : 120, per_channel ? 0 : -1, 0.004F,
              bits);
  w.bias("b", kernel[0]);
  w.node("QLinearConv", {"x", "xs", "xz", "w_q", "w_s", "w_z", "ys", "yz", "b"}, {"y"}, attributes);
}

}  // namespace

std::vector<OnnxCase> onnx_cases() {
  const auto function = [](const char* op, const std::vector<W::Attribute>& attributes = {}) {
    return [op, attributes](W& w, bool) { w.node(op, {"xf"}, {"yf"}, attributes); };
  };
  std::vector<Case> result = {
      {"conv", {1, 3, 9, 7}, 0.05F,
       [](W& w, bool s) {
         conv(w, s, {5, 3, 3, 3}, {W::ints("pads", {1, 1, 1, 1}), W::ints("strides", {2, 2})},
              false);
       }},
      {"conv_per_channel_relu", {1, 4, 6, 6}, 0.06F,
       [](W& w, bool) {
         w.quantised("w", {6, 4, 3, 3}, true, 0, 0, 0.004F);
         w.node("Conv", {"xf", "w"}, {"c"}, {W::text("auto_pad", "SAME_UPPER")});
         w.node("Relu", {"c"}, {"yf"});
       }},
      {"conv_groups", {1, 6, 6, 5}, 0.05F,
       [](W& w, bool s) { conv(w, s, {4, 3, 2, 3}, {W::integer("group", 2)}, true); }},
      {"conv_depthwise", {1, 5, 8, 8}, 0.02F,
       [](W& w, bool s) {
         conv(w, s, {10, 1, 3, 3}, {W::integer("group", 5), W::ints("dilations", {2, 1})}, true);
       }},
      {"conv_transpose", {1, 4, 5, 4}, 0.05F,
       [](W& w, bool s) {
         w.quantised("w", {4, 3, 3, 2}, s, s ? 0 : 99, -1, 0.004F);
         w.node("ConvTranspose", {"xf", "w"}, {"yf"},
                {W::ints("strides", {2, 2}), W::ints("pads", {1, 0, 1, 0}),
                 W::ints("output_padding", {1, 0})});
       }},
      {"qlinear_conv", {1, 3, 7, 8}, 0.05F,
       [](W& w, bool s) {
         qlinear_conv(w, s, {4, 3, 3, 3}, {W::ints("pads", {0, 1, 2, 1})}, false);
       },
       true},
      {"qlinear_conv_per_channel", {1, 3, 7, 8}, 0.05F,
       [](W& w, bool s) {
         qlinear_conv(w, s, {4, 3, 3, 3}, {W::ints("strides", {1, 3})}, true);
       },
       true},
      {"qlinear_add", {1, 3, 5, 4}, 0.06F,
       [](W& w, bool) {
         w.node("QLinearAdd", {"x", "xs", "xz", "x", "xs", "xz", "ys", "yz"}, {"y"}, {},
                "com.microsoft");
       },
       true},
      {"qlinear_sigmoid", {1, 3, 5, 4}, 1.0F / 256,
       [](W& w, bool) {
         w.node("QLinearSigmoid", {"x", "xs", "xz", "ys", "yz"}, {"y"}, {}, "com.microsoft");
       },
       true},
      {"qlinear_global_average_pool", {1, 3, 5, 4}, 0.02F,
       [](W& w, bool) {
         w.node("QLinearGlobalAveragePool", {"x", "xs", "xz", "ys", "yz"}, {"y"},
                {W::integer("channels_last", 0)}, "com.microsoft");
       },
       true},
      {"gemm", {3, 10}, 0.04F,
       [](W& w, bool s) {
         w.quantised("w", {6, 10}, s, s ? 0 : 130, -1, 0.004F);
         w.node("Gemm", {"xf", "w"}, {"yf"}, {W::integer("transB", 1)});
       }},
      {"matmul_per_channel", {2, 9}, 0.04F,
       [](W& w, bool) {
         w.quantised("w", {9, 5}, true, 0, 1, 0.004F);
         w.node("MatMul", {"xf", "w"}, {"yf"});
       }},
      {"add_constant", {1, 4, 3, 5}, 0.05F,
       [](W& w, bool s) {
         w.quantised("k", {4, 1, 1}, s, s ? 3 : 120, -1, 0.02F);
         w.node("Add", {"xf", "k"}, {"yf"});
       }},
      {"mul_by_itself", {1, 4, 3, 5}, 0.08F,
       [](W& w, bool) { w.node("Mul", {"xf", "xf"}, {"yf"}); }},
      {"sub_constant", {1, 2, 3, 5}, 0.05F,
       [](W& w, bool s) {
         w.quantised("k", {1, 2, 3, 5}, s, s ? -5 : 110, -1, 0.02F);
         w.node("Sub", {"k", "xf"}, {"yf"});
       }},
      {"relu", {1, 2, 4, 4}, 0.03F, function("Relu")},
      {"leaky_relu", {1, 2, 8, 16}, 0.02F, function("LeakyRelu", {W::number("alpha", 0.2F)})},
      {"sigmoid", {1, 2, 8, 16}, 1.0F / 256, function("Sigmoid")},
      {"tanh", {1, 2, 8, 16}, 1.0F / 128, function("Tanh")},
      {"hard_sigmoid", {1, 2, 8, 16}, 1.0F / 256, function("HardSigmoid")},
      {"hard_swish", {1, 2, 8, 16}, 0.02F, function("HardSwish")},
      {"max_pool", {1, 3, 7, 8}, kXScale,
       function("MaxPool", {W::ints("kernel_shape", {3, 2}), W::ints("strides", {2, 2}),
                            W::ints("pads", {1, 0, 1, 1})})},
      {"max_pool_ceil", {1, 3, 8, 8}, kXScale,
       function("MaxPool", {W::ints("kernel_shape", {3, 3}), W::ints("strides", {2, 2}),
                            W::integer("ceil_mode", 1)})},
      {"average_pool", {1, 3, 7, 8}, kXScale,
       function("AveragePool", {W::ints("kernel_shape", {2, 3}), W::ints("pads", {0, 1, 0, 1})})},
      {"average_pool_with_padding", {1, 3, 7, 8}, kXScale,
       function("AveragePool", {W::ints("kernel_shape", {3, 3}), W::ints("pads", {1, 1, 1, 1}),
                                W::integer("count_include_pad", 1)})},
      {"global_average_pool", {1, 5, 6, 7}, 0.01F, function("GlobalAveragePool")},
      {"reduce_mean", {1, 5, 6, 7}, 0.01F, function("ReduceMean", {W::ints("axes", {1}),
                                                                   W::integer("keepdims", 0)})},
      {"flatten", {1, 3, 4, 5}, kXScale, function("Flatten")},
      {"transpose", {1, 3, 4, 5}, kXScale, function("Transpose", {W::ints("perm", {0, 3, 1, 2})})},
      {"reshape", {1, 3, 4, 6}, kXScale,
       [](W& w, bool) {
         w.numbers("shape", {0, 6, -1, 4});
         w.node("Reshape", {"xf", "shape"}, {"yf"});
       }},
      {"squeeze_unsqueeze", {1, 3, 1, 6}, kXScale,
       [](W& w, bool) {
         w.numbers("two", {2});
         w.numbers("one", {1});
         w.node("Squeeze", {"xf", "two"}, {"s"});
         w.node("Unsqueeze", {"s", "one"}, {"yf"});
       }},
      {"pad", {1, 2, 3, 4}, kXScale,
       [](W& w, bool) {
         w.numbers("pads", {0, 1, 2, 0, 0, 0, 1, 3});
         w.node("Pad", {"xf", "pads"}, {"yf"});
       }},
      {"slice", {1, 4, 6, 8}, kXScale,
       [](W& w, bool) {
         w.numbers("starts", {1, -5});
         w.numbers("ends", {INT64_MAX, -1});
         w.numbers("axes", {1, 3});
         w.numbers("steps", {2, 1});
         w.node("Slice", {"xf", "starts", "ends", "axes", "steps"}, {"yf"});
       }},
      {"split_concat", {1, 5, 4, 3}, 0.025F,
       [](W& w, bool) {
         w.numbers("sizes", {2, 3});
         w.node("Split", {"xf", "sizes"}, {"a", "b"}, {W::integer("axis", 1)});
         w.node("Concat", {"b", "a"}, {"yf"}, {W::integer("axis", 2 - 1)});
       }},
      {"resize_asymmetric", {1, 2, 3, 4}, kXScale,
       [](W& w, bool) {
         w.constant<float>("scales", onnx::TensorProto::FLOAT, {4}, {1, 1, 2, 3});
         w.node("Resize", {"xf", "", "scales"}, {"yf"},
                {W::text("coordinate_transformation_mode", "asymmetric"),
                 W::text("nearest_mode", "floor")});
       }},
      {"resize_half_pixel", {1, 2, 3, 4}, kXScale,
       [](W& w, bool) {
         w.numbers("sizes", {1, 2, 6, 8});
         w.node("Resize", {"xf", "", "", "sizes"}, {"yf"});
       }},
      {"softmax", {2, 12}, 1.0F / 256, function("Softmax")},
  };
  return result;
}

std::vector<std::uint8_t> model_of(const OnnxCase& c, bool is_signed) {
  W w(11);
  const auto type = is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
  const bool softmax = c.name == std::string("softmax");
  w.input("x", type, c.dims);
  w.output("y", type);
  w.scale("xs", kXScale);
  w.zero("xz", is_signed, x_zero(is_signed));
  const bool same = c.y_scale == kXScale;
  w.scale("ys", c.y_scale);
  w.zero("yz", is_signed,
         same      ? x_zero(is_signed)
         : softmax ? (is_signed ? -128 : 0)
                   : y_zero(is_signed));
  if (!c.qlinear) {
    w.node("DequantizeLinear", {"x", "xs", "xz"}, {"xf"});
  }
  c.build(w, is_signed);
  if (!c.qlinear) {
    w.node("QuantizeLinear", {"yf", "ys", "yz"}, {"y"});
  }
  return w.bytes();
}

}  // namespace tessera::test

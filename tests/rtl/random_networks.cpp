#include "tests/rtl/random_networks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tessera::test {

Shape draw_shape(int atomic) {
  return {pick(1, 9), pick(1, 9), std::max(1, pick(0, 3) * atomic + pick(-2, 2))};
}

namespace {

// Scales that are unlike each other; some so that everything saturates.
std::string quantisation() {
  return fmt::format("scale: {}, zero_point: {}",
                     one_of<double>({0.0156, 0.02, 0.0071, 0.11, 0.5, 1.0}), pick(-128, 127));
}

std::string activation() {
  return one_of<std::string>({"none", "relu", "relu6"});
}

// Of weights, so that compression finds some that are worth it.
std::string sparsity() {
  return pick(0, 1) == 0
             ? ""
             : fmt::format(", weight_bits: {}, zeros: {}", pick(1, 8), pick(0, 2) * pick(0, 50));
}

std::string text_of(const Shape& s) {
  return fmt::format("[1, {}, {}, {}]", s.h, s.w, s.c);
}

std::string one_input(const Shape& s) {
  return fmt::format("inputs: {{x: {{shape: {}, {}}}}}\nlayers:\n", text_of(s), quantisation());
}

std::string unary(const Shape& s, int) {
  const auto type = one_of<std::string>(
      {"relu", "relu6", "leaky_relu", "logistic", "tanh", "hard_swish", "quantize"});
  const bool fixed = type == "logistic" || type == "tanh";
  return one_input(s) + fmt::format("  - {}: {{{}}}\n", type, fixed ? "" : quantisation());
}

// Extents that broadcast: whole, one value per channel, one per pixel, one in all.
std::string binary(const Shape& s, int) {
  const auto other =
      one_of<Shape>({s, s, {1, 1, s.c}, {s.h, s.w, 1}, {1, s.w, s.c}, {s.h, 1, 1}, {1, 1, 1}});
  const bool swapped = pick(0, 1) == 1;
  return fmt::format(
      "inputs: {{x: {{shape: {}, {}}}, y: {{shape: {}, {}}}}}\nlayers:\n  - {}: {{from: [{}], "
      "activation: {}, {}}}\n",
      text_of(s), quantisation(), text_of(other), quantisation(),
      one_of<std::string>({"add", "sub", "mul"}), swapped ? "y, x" : "x, y", activation(),
      quantisation());
}

std::string pad(const Shape& s, int) {
  return one_input(s) +
         fmt::format("  - pad: {{before: [0, {}, {}, {}], after: [0, {}, {}, {}]}}\n", pick(0, 3),
                     pick(0, 3), pick(0, 9), pick(0, 3), pick(0, 3), pick(0, 9));
}

std::string mean(const Shape& s, int) {
  return one_input(s) + fmt::format("  - mean: {{axes: {}, keep_dims: {}, {}}}\n",
                                    one_of<std::string>({"[1, 2]", "[2]", "[3]", "[1]", "[2, 3]"}),
                                    yes_no(), quantisation());
}

std::string slice(const Shape& s, int) {
  const auto axis = [](int extent, int& begin, int& stride, int& size) {
    begin = pick(0, extent - 1);
    stride = pick(1, 3);
    size = pick(1, (extent - begin + stride - 1) / stride);
  };
  int b[3];
  int t[3];
  int n[3];
  axis(s.h, b[0], t[0], n[0]);
  axis(s.w, b[1], t[1], n[1]);
  axis(s.c, b[2], t[2], n[2]);
  return one_input(s) + fmt::format(
                            "  - slice: {{begin: [0, {}, {}, {}], stride: [1, {}, {}, {}], "
                            "size: [1, {}, {}, {}]}}\n",
                            b[0], b[1], b[2], t[0], t[1], t[2], n[0], n[1], n[2]);
}

std::string transpose(const Shape& s, int) {
  return one_input(s) +
         fmt::format("  - transpose: {{order: {}}}\n",
                     one_of<std::string>({"[0, 1, 3, 2]", "[0, 2, 1, 3]", "[0, 2, 3, 1]",
                                          "[0, 3, 1, 2]", "[0, 3, 2, 1]", "[3, 0, 2, 1]"}));
}

std::string resize(const Shape& s, int) {
  const auto rule = one_of<std::string>({"", ", align_corners: yes", ", half_pixel_centers: yes"});
  const int factor = pick(0, 2);
  const int h = factor > 0 ? s.h * factor : pick(1, 12);
  const int w = factor > 0 ? s.w * factor : pick(1, 12);
  return one_input(s) + fmt::format("  - resize_nearest: {{size: [{}, {}]{}}}\n", h, w, rule);
}

// Ranges of channels or columns read in place by all kinds of readers, and channels joined again.
std::string views(const Shape& s, int) {
  const std::string shared = quantisation();
  const int axis = pick(2, 3);
  const int extent = axis == 3 ? s.c : s.w;
  const int cut = pick(1, extent);
  const auto slice = [&](const char* name, int begin, int size) {
    return fmt::format(
        "  - slice: {{name: {}, from: x, begin: [0, 0, {}, {}], size: [1, {}, {}, {}]}}\n", name,
        axis == 2 ? begin : 0, axis == 3 ? begin : 0, s.h, axis == 2 ? size : s.w,
        axis == 3 ? size : s.c);
  };
  const auto reader = [&](const char* name, const char* from) {
    const auto type = one_of<std::string>({"conv2d: {kernel: 3, padding: same, out_channels: 5",
                                           "depthwise_conv2d: {kernel: 3, padding: same",
                                           "max_pool2d: {kernel: 3, stride: 1, padding: same",
                                           "leaky_relu: {alpha: 0.1"});
    const bool pool = type.find("pool") != std::string::npos;
    return fmt::format("  - {}, name: {}, from: {}{}}}\n", type, name, from,
                       pool ? "" : ", " + shared);
  };
  std::string text = fmt::format("inputs: {{x: {{shape: {}, {}}}}}\nlayers:\n", text_of(s), shared);
  text += slice("l", 0, cut) + slice("r", extent - cut, cut) + reader("a", "l") + reader("b", "r") +
          reader("c", one_of<const char*>({"x", "l", "a"}));
  text += fmt::format("  - add: {{name: d, from: [l, r], {}}}\n", quantisation());
  if (axis == 3) {
    text += fmt::format("  - concat: {{name: e, from: [a, {}], axis: 3}}\n",
                        pick(0, 1) == 1 ? "l" : "b");
    text += "  - concat: {name: f, from: [b, e, r], axis: 3}\n";
    text += reader("g", "f") + reader("h", "e");
  }
  return text;
}

// Layers that read any of the ones before: orders and places that are not simply one after another.
std::string branches(const Shape& s, int) {
  const std::string shared = quantisation();
  std::string text =
      one_input(s) + fmt::format("  - quantize: {{name: t0, from: x, {}}}\n", shared);
  const int count = pick(4, 9);
  for (int i = 1; i < count; ++i) {
    const std::string from = fmt::format("t{}", pick(0, i - 1));
    const auto type = one_of<std::string>(
        {fmt::format("conv2d: {{kernel: 3, padding: same, out_channels: {}", s.c),
         fmt::format("conv2d: {{kernel: 1, out_channels: {}", s.c),
         "depthwise_conv2d: {kernel: 3, padding: same", "add: {", "add: {", "leaky_relu: {"});
    const std::string inputs = type == "add: {"
                                   ? fmt::format("from: [{}, t{}]", from, pick(0, i - 1))
                                   : (type.back() == '{' ? "" : ", ") + ("from: " + from);
    text += fmt::format("  - {}{}, name: t{}, {}}}\n", type, inputs, i, shared);
  }
  return text;
}

// One after the other, each in another shape; some are read twice.
std::string chain(const Shape& s, int atomic) {
  std::string text = one_input(s);
  std::string last = "x";
  const int count = pick(3, 7);
  for (int i = 0; i < count; ++i) {
    const auto channels = std::max(1, pick(0, 5) * atomic + pick(0, 1) * pick(-3, 3));
    const auto type = one_of<std::string>(
        {fmt::format("conv2d: {{kernel: {}, stride: {}, padding: same, out_channels: {}, ",
                     pick(1, 3), pick(1, 2), channels),
         fmt::format("conv2d: {{kernel: 1, out_channels: {}, ", channels),
         fmt::format("depthwise_conv2d: {{kernel: {}, stride: {}, padding: same, ", pick(1, 5),
                     pick(1, 2)),
         "max_pool2d: {kernel: 2, stride: 1, padding: same, ",
         fmt::format("fully_connected: {{out_features: {}, ", channels)});
    const std::string name = fmt::format("t{}", i);
    const bool pools = type.find("pool") != std::string::npos;
    text += fmt::format("  - {}from: {}, name: {}{}}}\n", type, last, name,
                        pools ? "" : ", " + quantisation() + sparsity());
    if (pick(0, 5) == 0 && type.find("fully") == std::string::npos) {
      text +=
          fmt::format("  - leaky_relu: {{from: {}, name: {}b, {}}}\n", name, name, quantisation());
      text += fmt::format("  - add: {{from: [{}, {}b], name: {}c, {}}}\n", name, name, name,
                          quantisation());
      last = name + "c";
    } else {
      last = name;
    }
    if (type.find("fully") != std::string::npos) {
      break;
    }
  }
  return text;
}

// Along any axis; equal quantisation needs no copy when the outer extents are 1.
std::string concat(const Shape& s, int) {
  const int axis = pick(1, 3);
  const bool equal = pick(0, 1) == 1;
  const std::string shared = quantisation();
  const auto tail = [&] { return equal ? shared : quantisation(); };
  Shape other = s;
  (axis == 1 ? other.h : axis == 2 ? other.w : other.c) = pick(1, 6);
  return fmt::format(
      "inputs: {{x: {{shape: {}, {}}}, y: {{shape: {}, {}}}}}\nlayers:\n"
      "  - quantize: {{name: a, from: x, {}}}\n  - quantize: {{name: b, from: y, {}}}\n"
      "  - concat: {{from: [a, b], axis: {}, {}}}\n  - conv2d: {{out_channels: 5, kernel: 1}}\n",
      text_of(s), quantisation(), text_of(other), quantisation(), tail(), tail(), axis, tail());
}

// Parts that convolutions compute: channels of equal quantisation are written where they belong.
std::string concat_of_convolutions(const Shape& s, int atomic) {
  const std::string shared = quantisation();
  const auto layer = [&](const char* name) {
    return fmt::format("  - {}: {{name: {}, from: x, {}kernel: {}, padding: same, {}}}\n",
                       one_of<std::string>({"conv2d", "conv2d", "depthwise_conv2d"}), name, "@",
                       pick(1, 3), pick(0, 4) == 0 ? quantisation() : shared);
  };
  std::string text = one_input(s);
  for (const char* name : {"a", "b", "c"}) {
    std::string line = layer(name);
    const bool depthwise = line.find("depthwise") != std::string::npos;
    const std::string channels =
        depthwise ? "" : fmt::format("out_channels: {}, ", pick(1, 2 * atomic));
    text += line.replace(line.find('@'), 1, channels);
  }
  return text +
         fmt::format(
             "  - concat: {{from: [a, b, {}], axis: 3, {}}}\n  - conv2d: "
             "{{out_channels: 3, kernel: 1}}\n",
             pick(0, 3) == 0 ? "a" : "c", shared) +
         (pick(0, 2) == 0 ? "outputs: [a, conv2d_4]\n" : "");
}

std::string grouped(const Shape& s, int) {
  const int groups = pick(2, 6);
  const int kernel = pick(1, 3);
  return fmt::format(
      "input: [{}, {}, {}]\nlayers:\n  - conv2d: {{out_channels: {}, groups: {}, kernel: {}, "
      "padding: same, stride: {}, activation: {}}}\n",
      s.h, s.w, groups * pick(1, 6), groups * pick(1, 6), groups, kernel, pick(1, 2), activation());
}

std::string multiplied(const Shape& s, int) {
  return fmt::format(
      "input: [{}, {}, {}]\nlayers:\n  - depthwise_conv2d: {{multiplier: {}, kernel: {}, padding: "
      "same, stride: {}, activation: {}}}\n",
      s.h, s.w, s.c, pick(2, 4), pick(1, 4), pick(1, 2), activation());
}

std::string transpose_conv(const Shape& s, int atomic) {
  const auto padding = one_of<std::string>({"same", "valid"});
  return fmt::format(
      "input: [{}, {}, {}]\nlayers:\n  - transpose_conv2d: {{out_channels: {}, kernel: [{}, {}], "
      "stride: [{}, {}], padding: {}, activation: {}}}\n",
      s.h, s.w, s.c, std::max(1, pick(0, 2) * atomic + pick(-2, 2)), pick(1, 5), pick(1, 5),
      pick(1, 3), pick(1, 3), padding, activation());
}

std::string padded_pool(const Shape& s, int) {
  const int kernel = pick(2, 4);
  return one_input({s.h + kernel, s.w + kernel, s.c}) +
         fmt::format("  - avg_pool2d: {{kernel: {}, stride: {}, padding: same, ties_up: {}}}\n",
                     kernel, pick(1, 3), yes_no());
}

// A padding before and a function or an addition behind a convolution, whole or per channel.
std::string behind_convolution(const Shape& s, int atomic) {
  const int channels = std::max(1, pick(0, 2) * atomic + pick(-1, 1));
  const auto other = one_of<Shape>({{s.h, s.w, channels}, {1, 1, channels}});
  std::string text = fmt::format(
      "inputs: {{x: {{shape: {}, {}}}, y: {{shape: {}, {}}}}}\nlayers:\n"
      "  - pad: {{from: x, before: [0, {}, {}, 0], after: [0, 2, 2, 0]}}\n  - {}: {{{}kernel: 3, "
      "name: conv}}\n",
      text_of(s), quantisation(), text_of(other), quantisation(), 0, 0, "conv2d",
      fmt::format("out_channels: {}, ", channels));
  if (pick(0, 2) == 0) {
    text += fmt::format("  - {}: {{{}}}\n",
                        one_of<std::string>({"relu", "leaky_relu", "hard_swish", "quantize"}),
                        quantisation());
  }
  return text + fmt::format("  - {}: {{from: [conv, y], activation: {}, {}}}\n",
                            one_of<std::string>({"add", "sub", "mul"}), activation(),
                            quantisation());
}

// One convolution or depthwise convolution of any geometry, with weights of both kinds, and perhaps
// a reader.
std::string window(const Shape& s, int atomic) {
  const bool depthwise = pick(0, 1) == 1;
  const int most = pick(0, 5) == 0 ? 9 : 5;
  const int kernel[] = {pick(1, most), pick(1, most)};
  const int dilation[] = {pick(0, 3) == 0 ? 2 : 1, pick(0, 3) == 0 ? 2 : 1};
  const int span[] = {dilation[0] * (kernel[0] - 1) + 1, dilation[1] * (kernel[1] - 1) + 1};
  const int pad[] = {pick(0, span[0] - 1), pick(0, span[1] - 1), pick(0, span[0] - 1),
                     pick(0, span[1] - 1)};
  const int channels = std::max(1, pick(0, 5) * atomic + pick(-2, 2));
  std::string text = fmt::format(
      "layers:\n  - {}: {{in: [{}, {}, {}], {}kernel: [{}, {}], stride: [{}, {}], dilation: [{}, "
      "{}], padding: [{}, {}, {}, {}], activation: {}, weight_type: {}{}}}\n",
      depthwise ? "depthwise_conv2d" : "conv2d", s.h + span[0], s.w + span[1], channels,
      depthwise ? "" : fmt::format("out_channels: {}, ", s.c), kernel[0], kernel[1], pick(1, 4),
      pick(1, 4), dilation[0], dilation[1], pad[0], pad[1], pad[2], pad[3], activation(),
      one_of<std::string>({"int8", "int16"}), sparsity());
  if (pick(0, 1) == 0) {
    text += fmt::format("  - conv2d: {{out_channels: {}, kernel: 1, weight_type: {}}}\n",
                        std::max(1, pick(0, 3) * atomic + pick(-2, 2)),
                        one_of<std::string>({"int8", "int16"}));
  }
  return text;
}

std::string pools(const Shape& s, int) {
  const int kernel[] = {pick(1, 6), pick(1, 6)};
  const bool maximum = pick(0, 1) == 1;
  return fmt::format(
      "layers:\n  - {}: {{in: [{}, {}, {}], kernel: [{}, {}], stride: [{}, {}]{}, activation: "
      "{}}}\n",
      maximum ? "max_pool2d" : "avg_pool2d", s.h + kernel[0], s.w + kernel[1], s.c, kernel[0],
      kernel[1], pick(1, 4), pick(1, 4), pick(0, 1) == 1 ? ", padding: same" : "", activation());
}

// A mean of another order of the same image, which only the mean reads.
std::string transposed_mean(const Shape& s, int) {
  return one_input(s) + fmt::format(
                            "  - transpose: {{order: {}}}\n  - mean: {{axes: {}, keep_dims: {}, "
                            "{}}}\n",
                            one_of<std::string>({"[0, 3, 1, 2]", "[0, 2, 1, 3]", "[0, 3, 2, 1]"}),
                            one_of<std::string>({"[2, 3]", "[3]", "[2]", "[1]", "[1, 2]"}),
                            yes_no(), quantisation());
}

// Products of two computed tensors, in all orders that the array reads, of several heads, with
// transpositions of heads around them and something behind them.
std::string products(const Shape& s, int atomic) {
  const int heads = pick(1, 3);
  const int rows = s.h * pick(1, 4);
  const int cols = s.w * pick(1, 4);
  const int depth = std::max(1, pick(0, 3) * atomic + pick(-2, 2));
  const int order = pick(0, 3);  // rows by rows, rows by columns, columns by columns, a square
  const bool turned = pick(0, 1) == 1;
  const auto input = [&](const char* name, int count, int outer, int inner, bool split) {
    return fmt::format("{}: {{shape: [1, {}, {}, {}], {}}}", name, split ? outer : count,
                       split ? count : outer, inner, quantisation());
  };
  const int other_heads = pick(0, 2) == 0 ? 1 : heads;
  std::string text = "inputs: {";
  text +=
      order == 2 ? input("x", heads, depth, rows, false) : input("x", heads, rows, depth, turned);
  if (order != 3) {
    text += ", " + (order == 1 ? input("y", other_heads, depth, cols, false)
                               : input("y", other_heads, cols, depth, turned));
  }
  text += "}\nlayers:\n";
  const auto by_head = [&](const char* name, bool split) {
    text += split ? fmt::format("  - transpose: {{name: {}t, from: {}, order: [0, 2, 1, 3]}}\n",
                                name, name)
                  : "";
    return fmt::format("{}{}", name, split ? "t" : "");
  };
  const std::string x = by_head("x", turned && order != 2);
  const std::string y = order == 3 ? x : by_head("y", turned && order != 1);
  const int out_cols = order == 3 ? rows : cols;
  text += fmt::format(
      "  - host: {{name: p, kind: BATCH_MATMUL, from: [{}, {}], shape: [1, {}, {}, {}], integers: "
      "[{}, {}], {}}}\n",
      x, y, heads, rows, out_cols, order == 2 ? 1 : 0, order == 1 ? 0 : 1, quantisation());
  switch (pick(0, 3)) {
    case 0:
      return text + fmt::format("  - leaky_relu: {{from: p, {}}}\n", quantisation());
    case 1:
      return text + fmt::format("  - add: {{from: [p, p], {}}}\n", quantisation());
    case 2:
      return text + fmt::format("  - transpose: {{from: p, order: {}}}\n",
                                one_of<std::string>({"[0, 2, 1, 3]", "[0, 1, 3, 2]"}));
    default:
      return text;
  }
}

// The square of a difference, of tensors of one shape, with a value per pixel or per channel, or
// with one of them constant; the scales may be the same.
std::string squared_difference(const Shape& s, int) {
  const std::string first = quantisation();
  const std::string second = pick(0, 3) == 0 ? first : quantisation();
  const auto other = one_of<std::string>(
      {text_of(s), fmt::format("[1, {}, {}, 1]", s.h, s.w), fmt::format("[{}]", s.c), "[1]"});
  const auto behind =
      one_of<std::string>({"", fmt::format("  - mean: {{from: d, axes: [3], {}}}\n", first)});
  return fmt::format(
             "inputs: {{x: {{shape: {}, {}}}, y: {{shape: {}, {}}}}}\nlayers:\n  - host: {{name: "
             "d, "
             "kind: SQUARED_DIFFERENCE, from: [{}], integers: [], shape: {}, scale: {}, "
             "zero_point: {}}}\n",
             text_of(s), first, other, second, one_of<std::string>({"x, y", "y, x"}), text_of(s),
             one_of<double>({0.002, 0.05, 1.0, 30.0}), pick(-128, 127)) +
         behind;
}

// Rows of any length, with exponentials that vanish or are all one, alone or behind what computes
// them.
std::string softmax(const Shape& s, int atomic) {
  const int depth = std::max(1, pick(0, 3) * atomic + pick(-2, 2));
  const std::string scale = fmt::format(
      "scale: {}, zero_point: {}", one_of<double>({0.0156, 0.11, 0.5, 1.0, 1e-5}), pick(-128, 127));
  const std::string last = fmt::format("  - softmax: {{name: s, from: a, beta: {}}}\n",
                                       one_of<double>({1.0, 1.0, 0.3, 17.5}));
  const auto behind =
      one_of<std::string>({"", "  - conv2d: {from: s, kernel: 1, out_channels: 5}\n",
                           "  - add: {from: [s, s], scale: 0.0156, zero_point: -100}\n"});
  switch (pick(0, 3)) {
    case 0:
      return fmt::format("inputs: {{a: {{shape: [1, {}, {}, {}], {}}}}}\nlayers:\n", s.h, s.w,
                         depth, scale) +
             last + behind;
    case 1:
      return fmt::format("inputs: {{a: {{shape: [{}, {}], {}}}}}\nlayers:\n", s.h, depth, scale) +
             last;
    case 2:
      return one_input(s) +
             fmt::format(
                 "  - conv2d: {{name: a, kernel: {}, padding: same, out_channels: {}, {}}}\n",
                 one_of<int>({1, 1, 2}), depth, scale) +
             last + behind;
    default:
      return fmt::format(
                 "inputs: {{x: {{shape: [1, {0}, {1}, 9], {2}}}, y: {{shape: [1, {0}, {3}, 9], "
                 "{2}}}}}\nlayers:\n  - host: {{name: a, kind: BATCH_MATMUL, from: [x, y], shape: "
                 "[1, {0}, {1}, {3}], integers: [0, 1], {2}}}\n",
                 s.h, s.w, scale, depth) +
             last;
  }
}

// Squeeze and excite: a vector of channels, made from the whole image, scales it.
std::string squeeze_and_excite(const Shape& s, int atomic) {
  const int kernel = pick(1, 3) * 2 + 1;
  return fmt::format(
      "input: [{}, {}, {}]\nlayers:\n  - conv2d: {{name: a, kernel: 1, out_channels: {}}}\n"
      "  - depthwise_conv2d: {{name: b, from: a, kernel: {}, stride: {}, padding: same}}\n"
      "  - mean: {{name: m, from: b, axes: [1, 2], keep_dims: yes, {}}}\n"
      "  - conv2d: {{name: e, from: m, kernel: 1, out_channels: {}, activation: relu}}\n"
      "  - conv2d: {{name: f, from: e, kernel: 1, out_channels: {}}}\n  - {}: {{name: g, from: f, "
      "{}}}\n  - mul: {{name: h, from: [{}], {}}}\n  - conv2d: {{from: h, kernel: 1, out_channels: "
      "{}}}\n",
      s.h + kernel, s.w + kernel, s.c, 2 * atomic, kernel, pick(1, 2), quantisation(), pick(1, 9),
      2 * atomic, one_of<std::string>({"hard_swish", "leaky_relu"}), quantisation(),
      one_of<std::string>({"b, g", "g, b"}), quantisation(), pick(1, 2 * atomic));
}

// States of all kinds: rows that slide through a window, sums that grow, cells that read each
// other's, values that only move on, and layers that read the old value, the new one or both.
std::string states(const Shape& s, int) {
  const std::string shared = quantisation();
  std::string inputs = fmt::format("x: {{shape: {}, {}}}", text_of({1, s.w, s.c}), shared);
  std::string layers;
  std::string ties;
  std::string last = "x";  // one row
  const auto state = [&](const std::string& name, int rows, const std::string& output) {
    inputs += fmt::format(", {}: {{shape: {}, {}}}", name, text_of({rows, s.w, s.c}), shared);
    ties += fmt::format("  - {{input: {}, output: {}}}\n", name, output);
  };
  const int cells = pick(1, 3);
  for (int i = 0; i < cells; ++i) {
    const std::string h = fmt::format("h{}", i);
    const std::string out = fmt::format("t{}", i);
    switch (pick(0, 4)) {
      case 0: {  // a window
        const int rows = pick(1, 6);
        const int kernel = pick(1, rows + 1);
        state(h, rows, h + "n");
        layers += fmt::format(
            "  - concat: {{name: {0}a, from: [{0}, {1}], axis: 1}}\n"
            "  - slice: {{name: {0}n, from: {0}a, begin: [0, 1, 0, 0], size: [1, {2}, {3}, {4}]}}\n"
            "  - slice: {{name: {0}k, from: {0}a, begin: [0, {5}, 0, 0], size: [1, {6}, {3}, "
            "{4}]}}\n"
            "  - {7}name: {8}, from: {0}k, kernel: [{6}, 1], {9}}}\n",
            h, last, rows, s.w, s.c, rows + 1 - kernel, kernel,
            pick(0, 1) == 1 ? "depthwise_conv2d: {"
                            : fmt::format("conv2d: {{out_channels: {}, ", s.c),
            out, shared);
        break;
      }
      case 1:  // a sum that its own reader waits for
        state(h, 1, h + "n");
        layers += fmt::format(
            "  - add: {{name: {0}n, from: [{0}, {1}], {2}}}\n"
            "  - mul: {{name: {3}, from: [{0}, {0}n], {2}}}\n",
            h, last, shared, out);
        break;
      case 2:  // a cell of both
        state(h, 1, out);
        layers += fmt::format(
            "  - concat: {{name: {0}a, from: [{0}, {1}], axis: 3}}\n"
            "  - conv2d: {{name: {2}, from: {0}a, kernel: 1, out_channels: {3}, {4}}}\n",
            h, last, out, s.c, shared);
        break;
      case 3:  // a delay of two steps
        state(h, 1, h + "b");
        state(h + "b", 1, last == "x" ? h + "c" : last);
        layers +=
            last == "x" ? fmt::format("  - quantize: {{name: {}c, from: x, {}}}\n", h, shared) : "";
        layers += fmt::format("  - add: {{name: {}, from: [{}, {}], {}}}\n", out, h, last, shared);
        break;
      default:  // rows that are seen as other rows
        state(h, 1, h + "n");
        layers += fmt::format(
            "  - leaky_relu: {{name: {0}l, from: {1}, {2}}}\n"
            "  - reshape: {{name: {0}n, from: {0}l, shape: {3}}}\n"
            "  - add: {{name: {4}, from: [{0}l, {0}], {2}}}\n",
            h, last, shared, text_of({1, s.w, s.c}), out);
        break;
    }
    last = out;
  }
  return fmt::format("inputs: {{{}}}\nlayers:\n{}state:\n{}outputs: [{}]\n", inputs, layers, ties,
                     last);
}

const std::vector<Recipe> kRecipes = {{"States", states},
                                      {"Products", products},
                                      {"Softmax", softmax},
                                      {"SquaredDifference", squared_difference},
                                      {"TransposedMean", transposed_mean},
                                      {"SqueezeAndExcite", squeeze_and_excite},
                                      {"Window", window},
                                      {"Pools", pools},
                                      {"Unary", unary},
                                      {"Binary", binary},
                                      {"Pad", pad},
                                      {"Mean", mean},
                                      {"Slice", slice},
                                      {"Transpose", transpose},
                                      {"Resize", resize},
                                      {"Views", views},
                                      {"Branches", branches},
                                      {"Chain", chain},
                                      {"Concat", concat},
                                      {"ConcatOfConvolutions", concat_of_convolutions},
                                      {"GroupedConvolution", grouped},
                                      {"DepthwiseWithMultiplier", multiplied},
                                      {"TransposeConvolution", transpose_conv},
                                      {"PaddedAveragePool", padded_pool},
                                      {"BehindConvolution", behind_convolution}};

}  // namespace

const std::vector<Recipe>& recipes() {
  return kRecipes;
}

}  // namespace tessera::test

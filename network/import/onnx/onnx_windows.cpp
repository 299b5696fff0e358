// Convolutions, products with weights, pools.
#include "network/import/onnx/onnx_importer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tessera {

OnnxWeights OnnxImporter::dequantised_weights(const std::string& name) const {
  const Node* producer = onnx_.producer_of(name);
  if (producer == nullptr || producer->op_type() != "DequantizeLinear") {
    fail(fmt::format("`{}` is float; in a quantised model it must come from a DequantizeLinear",
                     name));
  }
  const OnnxAttributes attributes(*producer);
  const std::size_t rank = onnx_.dims_of(name_of(*producer, 0)).size();
  const std::int64_t axis = attributes.integer("axis", 1);
  return read_weights(onnx_, name_of(*producer, 0), name_of(*producer, 1), name_of(*producer, 2),
                      axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

OnnxImporter::Given OnnxImporter::given_float(const Node& node, const OnnxValue& feature) const {
  Given given;
  given.dims = given_dims(name_of(node, 1));
  const std::string bias = name_of(node, 2);
  given.has_bias = !bias.empty();
  if (!quantised_) {
    return given;
  }
  given.weights = dequantised_weights(name_of(node, 1));
  if (given.has_bias) {
    given.bias = bias_values(bias, feature, given.weights->scales);
  }
  return given;
}

std::vector<double> OnnxImporter::bias_values(const std::string& name, const OnnxValue& feature,
                                              const std::vector<float>& scales) const {
  const Node* producer = onnx_.producer_of(name);
  if (producer != nullptr && producer->op_type() == "DequantizeLinear") {
    return onnx_.constant(name_of(*producer, 0)).values;
  }
  const auto in_scale =
      static_cast<double>(builder_.tensor(feature.tensor).quantisation.scales.at(0));
  std::vector<double> values = onnx_.constant(name).values;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double unit =
        in_scale * static_cast<double>(scales.size() == 1 ? scales[0] : scales.at(k));
    values[k] = std::clamp(std::nearbyint(values[k] / unit), -2147483648.0, 2147483647.0);
  }
  return values;
}

OnnxImporter::Given OnnxImporter::given_qlinear(const Node& node, int first, int bias) const {
  Given given;
  given.weights = read_weights(onnx_, name_of(node, first), name_of(node, first + 1),
                               name_of(node, first + 2), 0);
  given.dims = given.weights->dims;
  given.has_bias = !name_of(node, bias).empty();
  if (given.has_bias) {
    given.bias = onnx_.constant(name_of(node, bias)).values;
  }
  return given;
}

GivenWeights OnnxImporter::weights_for(const Given& given, const std::vector<std::size_t>& order,
                                       std::size_t outputs) const {
  GivenWeights result;
  result.no_bias = !given.has_bias;
  if (!given.weights) {
    return result;
  }
  require(given.weights->values.size() == order.size(), "kernel and shape differ in size");
  set_kernel(result, given.weights->values, order);
  result.kernel_scales = given.weights->scales;
  if (given.bias) {
    require(given.bias->size() == outputs,
            fmt::format("{} biases for {} outputs", given.bias->size(), outputs));
    std::vector<std::uint8_t> bytes;
    for (const double value : *given.bias) {
      require(value >= -2147483648.0 && value <= 2147483647.0, "a bias beyond int32");
      const auto bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
      for (int b = 0; b < 4; ++b) {
        bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
      }
    }
    result.bias = std::move(bytes);
  }
  return result;
}

std::vector<std::int32_t> OnnxImporter::pair_of(const Dims& values, const char* what) const {
  require(values.size() == 2,
          fmt::format("{} has {} values; supported are 2", what, values.size()));
  for (const std::int64_t value : values) {
    require(value >= 1 && value <= 65535, fmt::format("{} is {}", what, value));
  }
  return {static_cast<std::int32_t>(values[0]), static_cast<std::int32_t>(values[1])};
}

OnnxImporter::Window OnnxImporter::window_of(const Node& node, const OnnxValue& in,
                                             const Dims& kernel) const {
  const OnnxAttributes attributes(node);
  Window window;
  window.kernel = pair_of(kernel, "kernel");
  window.stride = pair_of(attributes.integers("strides", {1, 1}), "strides");
  window.dilation = pair_of(attributes.integers("dilations", {1, 1}), "dilations");
  const Dims pads = attributes.integers("pads", {0, 0, 0, 0});
  require(pads.size() == 4 && std::all_of(pads.begin(), pads.end(),
                                          [](std::int64_t p) { return p >= 0 && p < 4096; }),
          fmt::format("pads are [{}]; supported are 4 from 0 to 4095", fmt::join(pads, ", ")));
  std::int32_t before[2];
  std::int32_t after[2];
  const std::string rule = attributes.text("auto_pad", "NOTSET");
  for (std::size_t a = 0; a < 2; ++a) {
    const std::int64_t extent = in.dims[a + 2];
    const std::int64_t span = std::int64_t{window.dilation[a]} * (window.kernel[a] - 1) + 1;
    const std::int64_t stride = window.stride[a];
    if (rule == "SAME_UPPER" || rule == "SAME_LOWER") {
      const std::int64_t outputs = (extent + stride - 1) / stride;
      const std::int64_t total = std::max<std::int64_t>((outputs - 1) * stride + span - extent, 0);
      const std::int64_t first = rule == "SAME_UPPER" ? total / 2 : total - total / 2;
      before[a] = static_cast<std::int32_t>(first);
      after[a] = static_cast<std::int32_t>(total - first);
      continue;
    }
    require(rule == "NOTSET" || rule == "VALID", fmt::format("auto_pad `{}`", rule));
    before[a] = rule == "VALID" ? 0 : static_cast<std::int32_t>(pads[a]);
    after[a] = rule == "VALID" ? 0 : static_cast<std::int32_t>(pads[a + 2]);
    // Rounding the number of outputs up lets the last window reach further out.
    const std::int64_t room = extent + before[a] + after[a] - span;
    if (attributes.integer("ceil_mode", 0) != 0 && room > 0 && room % stride != 0 &&
        (room / stride + 1) * stride < extent + before[a]) {
      after[a] += static_cast<std::int32_t>(stride - room % stride);
    }
  }
  window.padding = {before[0], before[1], after[0], after[1]};
  return window;
}

void OnnxImporter::conv(const Node& node) {
  const OnnxValue in = image(input(node, 0));
  const Given given = given_float(node, in);
  convolve(node, in, given, result_of(node, true));
}

void OnnxImporter::qlinear_conv(const Node& node) {
  const OnnxValue in = image(input(node, 0));
  set_quantisation(in, read_quantisation(onnx_, name_of(node, 1), name_of(node, 2)));
  const Result result{node.output(0), read_quantisation(onnx_, name_of(node, 6), name_of(node, 7))};
  convolve(node, in, given_qlinear(node, 3, 8), result);
}

void OnnxImporter::convolve(const Node& node, const OnnxValue& in, const Given& given,
                            const Result& result) {
  const OnnxAttributes attributes(node);
  const Dims& dims = given.dims;  // output, input of a group, height, width
  require(dims.size() == 4, fmt::format("kernel of {} dimensions; supported are 4", dims.size()));
  const Window window = window_of(node, in, {dims[2], dims[3]});
  const std::int64_t groups = attributes.integer("group", 1);
  const std::int64_t channels = in.dims[1];
  require(
      groups >= 1 && groups <= channels && channels == groups * dims[1] && dims[0] % groups == 0,
      fmt::format("{} groups, {} input channels, kernel [{}]", groups, channels,
                  fmt::join(dims, ", ")));
  const Conv2d conv{window.stride[0],   window.stride[1], window.dilation[0],
                    window.dilation[1], window.padding,   result.activation};
  const auto taps = static_cast<std::size_t>(dims[2] * dims[3]);
  const auto outputs = static_cast<std::size_t>(dims[0]);
  const auto inputs = static_cast<std::size_t>(dims[1]);
  std::vector<std::size_t> order;
  const bool depthwise = groups == channels && channels > 1;
  if (depthwise) {
    for (std::size_t tap = 0; tap < taps; ++tap) {
      for (std::size_t k = 0; k < outputs; ++k) {
        order.push_back(k * taps + tap);
      }
    }
  } else {
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t tap = 0; tap < taps; ++tap) {
        for (std::size_t c = 0; c < inputs; ++c) {
          order.push_back((k * inputs + c) * taps + tap);
        }
      }
    }
  }
  const GivenWeights weights = weights_for(given, order, outputs);
  const std::int32_t out =
      depthwise
          ? builder_.depthwise(name_, in.tensor, window.kernel[0], window.kernel[1],
                               DepthwiseConv2d{conv, static_cast<std::int32_t>(dims[0] / channels)},
                               weights)
          : builder_.conv2d(name_, in.tensor, static_cast<std::int32_t>(dims[0]), window.kernel[0],
                            window.kernel[1], conv, weights, static_cast<std::int32_t>(groups));
  finish(result, out);
}

void OnnxImporter::conv_transpose(const Node& node) {
  const OnnxAttributes attributes(node);
  const OnnxValue in = image(input(node, 0));
  const Given given = given_float(node, in);
  const Dims& dims = given.dims;  // input, output, height, width
  require(dims.size() == 4 && dims[0] == in.dims[1] && attributes.integer("group", 1) == 1,
          "supported are kernels [input, output, height, width] without groups");
  const Window window = window_of(node, in, {dims[2], dims[3]});
  require(window.dilation == std::vector<std::int32_t>({1, 1}) &&
              attributes.text("auto_pad", "NOTSET") == "NOTSET" && !attributes.has("output_shape"),
          "supported are pads and output_padding, without dilation");
  const Dims extra = attributes.integers("output_padding", {0, 0});
  require(extra.size() == 2 && extra[0] >= 0 && extra[1] >= 0 && extra[0] < window.stride[0] &&
              extra[1] < window.stride[1],
          "output_padding must be less than the stride");
  TransposeConv2d conv;
  conv.stride_h = window.stride[0];
  conv.stride_w = window.stride[1];
  conv.padding = window.padding;
  const auto extent = [&](std::size_t a, std::int32_t before, std::int32_t after) {
    return static_cast<std::int32_t>((in.dims[a + 2] - 1) * window.stride[a] + window.kernel[a] -
                                     before - after + extra[a]);
  };
  const std::int32_t height = extent(0, conv.padding.top, conv.padding.bottom);
  const std::int32_t width = extent(1, conv.padding.left, conv.padding.right);
  const auto taps = static_cast<std::size_t>(dims[2] * dims[3]);
  const auto outputs = static_cast<std::size_t>(dims[1]);
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < outputs; ++k) {
    for (std::size_t tap = 0; tap < taps; ++tap) {
      for (std::size_t c = 0; c < static_cast<std::size_t>(dims[0]); ++c) {
        order.push_back((c * outputs + k) * taps + tap);
      }
    }
  }
  const Result result = result_of(node, true);
  conv.activation = result.activation;
  finish(result, builder_.transpose_conv2d(
                     name_, in.tensor, {1, height, width, static_cast<std::int32_t>(outputs)},
                     window.kernel[0], window.kernel[1], conv, weights_for(given, order, outputs)));
}

void OnnxImporter::multiply_matrix(const OnnxValue& in, const Given& given, bool transposed,
                                   const Result& result) {
  const Dims& dims = given.dims;
  require(dims.size() == 2 && in.dims.size() <= 3 && !in.dims.empty(),
          "supported are products of a matrix with constant weights");
  const std::int64_t features = transposed ? dims[1] : dims[0];
  const std::int64_t outputs = transposed ? dims[0] : dims[1];
  require(in.dims.back() == features,
          fmt::format("{} features, weights [{}]", in.dims.back(), fmt::join(dims, ", ")));
  std::vector<std::size_t> order;
  for (std::int64_t k = 0; k < outputs; ++k) {
    for (std::int64_t c = 0; c < features; ++c) {
      order.push_back(static_cast<std::size_t>(transposed ? k * features + c : c * outputs + k));
    }
  }
  const GivenWeights weights = weights_for(given, order, static_cast<std::size_t>(outputs));
  const auto count = static_cast<std::int32_t>(outputs);
  Dims out_dims = in.dims;
  out_dims.back() = outputs;
  if (weights.kernel_scales.size() <= 1) {
    const std::int32_t out = builder_.fully_connected(name_, in.tensor, count, result.activation,
                                                      weights, static_cast<std::int32_t>(features));
    builder_.tensor(out).shape = stored_shape(out_dims);
    finish(result, out);
    return;
  }
  // Scales per output: a convolution of single pixels.
  const auto rows = static_cast<std::int32_t>(builder_.tensor(in.tensor).elements() / features);
  const std::int32_t pixels = builder_.moved(
      name_ + "/pixels", {1, 1, rows, static_cast<std::int32_t>(features)}, Reshape{}, {in.tensor});
  Conv2d conv;
  conv.activation = result.activation;
  const std::int32_t product = builder_.conv2d(name_, pixels, count, 1, 1, conv, weights);
  if (result.quantisation) {
    builder_.tensor(product).quantisation = *result.quantisation;
  }
  define(result.name,
         builder_.moved(name_ + "/rows", stored_shape(out_dims), Reshape{}, {product}));
}

void OnnxImporter::gemm(const Node& node) {
  const OnnxAttributes attributes(node);
  require(attributes.number("alpha", 1) == 1.0F && attributes.number("beta", 1) == 1.0F &&
              attributes.integer("transA", 0) == 0,
          "supported are alpha 1, beta 1 and transA 0");
  const OnnxValue in = input(node, 0);
  const Given given = given_float(node, in);
  multiply_matrix(in, given, attributes.integer("transB", 0) != 0, result_of(node, true));
}

void OnnxImporter::matmul(const Node& node) {
  const OnnxValue in = input(node, 0);
  Given given = given_float(node, in);
  given.has_bias = false;
  multiply_matrix(in, given, false, result_of(node, true));
}

void OnnxImporter::qlinear_matmul(const Node& node) {
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(onnx_, name_of(node, 1), name_of(node, 2)));
  multiply_matrix(in, given_matrix(node, 3, 1, -1), false,
                  {node.output(0), read_quantisation(onnx_, name_of(node, 6), name_of(node, 7))});
}

void OnnxImporter::qgemm(const Node& node) {
  const OnnxAttributes attributes(node);
  require(attributes.number("alpha", 1) == 1.0F && attributes.integer("transA", 0) == 0,
          "supported are alpha 1 and transA 0");
  const bool transposed = attributes.integer("transB", 0) != 0;
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(onnx_, name_of(node, 1), name_of(node, 2)));
  multiply_matrix(in, given_matrix(node, 3, transposed ? 0 : 1, 6), transposed,
                  {node.output(0), read_quantisation(onnx_, name_of(node, 7), name_of(node, 8))});
}

OnnxImporter::Given OnnxImporter::given_matrix(const Node& node, int first, std::int64_t axis,
                                               int bias) const {
  Given given;
  given.weights = read_weights(onnx_, name_of(node, first), name_of(node, first + 1),
                               name_of(node, first + 2), axis);
  given.dims = given.weights->dims;
  given.has_bias = bias >= 0 && !name_of(node, bias).empty();
  if (given.has_bias) {
    given.bias = onnx_.constant(name_of(node, bias)).values;
  }
  return given;
}

void OnnxImporter::pool(const Node& node, PoolKind kind) {
  const OnnxAttributes attributes(node);
  const OnnxValue in = image(input(node, 0));
  Window window = window_of(node, in, attributes.integers("kernel_shape", {}));
  require(window.dilation == std::vector<std::int32_t>({1, 1}) && node.output_size() == 1,
          "supported are pools without dilation and indices");
  OnnxValue source = in;
  const Padding none;
  Pool2d pool;
  pool.kind = kind;
  pool.filter_h = window.kernel[0];
  pool.filter_w = window.kernel[1];
  pool.stride_h = window.stride[0];
  pool.stride_w = window.stride[1];
  pool.padding = window.padding;
  if (kind == PoolKind::Average && attributes.integer("count_include_pad", 0) != 0) {
    // Zeros around the picture count as values.
    const Padding& p = window.padding;
    const std::vector<std::int32_t>& shape = builder_.tensor(in.tensor).shape;
    source.tensor = builder_.moved(
        name_ + "/pad", {1, shape[1] + p.top + p.bottom, shape[2] + p.left + p.right, shape[3]},
        Pad{{0, p.top, p.left, 0}, {0, p.bottom, p.right, 0}}, {in.tensor});
    pool.padding = none;
  }
  define(node.output(0), builder_.pool(name_, source.tensor, pool));
}

void OnnxImporter::max_pool(const Node& node) {
  pool(node, PoolKind::Max);
}

void OnnxImporter::average_pool(const Node& node) {
  pool(node, PoolKind::Average);
}

}  // namespace tessera

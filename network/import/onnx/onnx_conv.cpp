// Convolutions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {

namespace {

// Biases count in units of the weights. Where these are small numbers, as of four bits, larger ones
// with smaller scales are the same weights, and a float bias loses less.
void make_finer(OnnxConstant& weights) {
  constexpr double kMost = 127;
  double greatest = 1;
  for (const double weight : weights.values) {
    greatest = std::max(greatest, std::fabs(weight));
  }
  const double factor = std::exp2(std::floor(std::log2(kMost / greatest)));
  if (factor <= 1) {
    return;
  }
  for (double& weight : weights.values) {
    weight *= factor;
  }
  for (float& scale : weights.scales) {
    scale = static_cast<float>(static_cast<double>(scale) / factor);
  }
}

}  // namespace

OnnxImporter::Given OnnxImporter::given_float(const Node& node, const OnnxValue& feature,
                                              std::size_t outputs_axis,
                                              const std::optional<OnnxConstant>& more_bias) {
  const std::string name = name_of(node, 1);
  const std::string bias = name_of(node, 2);
  Given given;
  given.has_bias = !bias.empty() || more_bias.has_value();
  if (!quantised_) {
    require(is_known(name), fmt::format("`{}` must be a constant", name));
    given.weights.dims = known_dims(name);
    return given;
  }
  given.weights = constant(name);
  require(!given.weights.scales.empty(),
          fmt::format("`{}` is float; in a quantised model it must come from a DequantizeLinear",
                      name));
  require(given.weights.scales.size() == 1 || given.weights.axis == outputs_axis,
          "the scales of its weights are not along its outputs");
  const bool has_float_bias =
      (!bias.empty() && constant(bias).scales.empty()) || (more_bias && more_bias->scales.empty());
  if (has_float_bias) {
    make_finer(given.weights);
  }
  if (!bias.empty()) {
    OnnxConstant own = constant(bias);
    if (node.op_type() == "Gemm" && own.values.size() == 1 && own.scales.size() <= 1) {
      // One for all outputs, each of which has a unit of its own.
      own.values.resize(static_cast<std::size_t>(given.weights.dims[outputs_axis]), own.values[0]);
    }
    given.bias = bias_units(own, feature, given.weights);
  }
  if (more_bias) {
    const std::vector<double> more = bias_units(*more_bias, feature, given.weights);
    if (!given.bias) {
      given.bias = more;
    } else {
      require(more.size() == given.bias->size(), "biases differ in length");
      std::transform(more.begin(), more.end(), given.bias->begin(), given.bias->begin(),
                     [](double a, double b) { return a + b; });
    }
  }
  if (given.bias) {
    make_room(given, outputs_axis);
  }
  return given;
}

// Weights with a tiny scale, of channels that learnt nothing, give biases that no int32 holds:
// there the unit of both becomes larger. Rounding the weights costs less than 2^-13 of a bias.
void OnnxImporter::make_room(Given& given, std::size_t outputs_axis) {
  constexpr double kMost = 1 << 30;
  std::vector<double>& bias = *given.bias;
  OnnxConstant& weights = given.weights;
  const std::size_t outputs = bias.size();
  if (std::all_of(bias.begin(), bias.end(), [](double b) { return std::fabs(b) < kMost; }) ||
      outputs_axis >= weights.dims.size() ||
      weights.dims[outputs_axis] != static_cast<std::int64_t>(outputs)) {
    return;
  }
  if (weights.scales.size() == 1) {
    weights.scales.assign(outputs, weights.scales[0]);
    weights.axis = outputs_axis;
  }
  std::size_t inner = 1;
  for (std::size_t d = outputs_axis + 1; d < weights.dims.size(); ++d) {
    inner *= static_cast<std::size_t>(weights.dims[d]);
  }
  for (std::size_t k = 0; k < outputs; ++k) {
    if (!(std::fabs(bias[k]) >= kMost)) {
      continue;
    }
    const double factor = std::exp2(std::ceil(std::log2(std::fabs(bias[k]) / kMost)));
    bias[k] = std::nearbyint(bias[k] / factor);
    weights.scales[k] = static_cast<float>(static_cast<double>(weights.scales[k]) * factor);
    for (std::size_t i = 0; i < weights.values.size(); ++i) {
      if (i / inner % outputs == k) {
        weights.values[i] = std::nearbyint(weights.values[i] / factor);
      }
    }
  }
}

std::vector<double> OnnxImporter::bias_units(const OnnxConstant& bias, const OnnxValue& feature,
                                             const OnnxConstant& weights) const {
  const Quantisation& in = builder_.tensor(feature.tensor).quantisation;
  require(in.scales.size() == 1, "its feature has no scale");
  std::vector<double> values = bias.values;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double unit =
        static_cast<double>(in.scales[0]) *
        static_cast<double>(
            weights.scales[weights.scales.size() == 1 ? 0 : k % weights.scales.size()]);
    const double own = bias.scale_of(k);
    // Biases are stored in this unit as a rule; float arithmetic may have rounded it.
    const bool same = !bias.scales.empty() && std::fabs(own - unit) <= 1e-5 * unit;
    values[k] = same ? values[k] : std::nearbyint(values[k] * own / unit);
  }
  return values;
}

OnnxImporter::Given OnnxImporter::given_qlinear(const Node& node, int first, int bias,
                                                std::int64_t axis) const {
  Given given;
  given.weights = quantised_constant(name_of(node, first), name_of(node, first + 1),
                                     name_of(node, first + 2), axis);
  given.has_bias = bias >= 0 && !name_of(node, bias).empty();
  if (given.has_bias) {
    given.bias = constant(name_of(node, bias)).values;
  }
  return given;
}

GivenWeights OnnxImporter::weights_for(const Given& given, const std::vector<std::size_t>& order,
                                       std::size_t outputs) const {
  GivenWeights result;
  result.no_bias = !given.has_bias;
  if (!quantised_) {
    return result;
  }
  const std::vector<double>& values = given.weights.values;
  require(!order.empty() && *std::max_element(order.begin(), order.end()) < values.size() &&
              values.size() % order.size() == 0,
          "kernel and shape differ in size");
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  require(!values.empty() && *least >= -255 && *greatest <= 255, "weights beyond 9 bits");
  const bool narrow = *least >= -128 && *greatest <= 127;
  result.kernel_type = narrow ? DataType::Int8 : DataType::Int16;
  std::vector<std::uint8_t> kernel;
  kernel.reserve(order.size() * (narrow ? 1 : 2));
  for (const std::size_t at : order) {
    const auto weight = static_cast<std::int32_t>(values[at]);
    kernel.push_back(static_cast<std::uint8_t>(weight));
    if (!narrow) {
      kernel.push_back(static_cast<std::uint8_t>(weight >> 8));
    }
  }
  result.kernel = std::move(kernel);
  result.kernel_scales = given.weights.scales;
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
  require(values.size() == 2 || values.size() == 1,
          fmt::format("{} has {} values; supported are 1 or 2", what, values.size()));
  for (const std::int64_t value : values) {
    require(value >= 1 && value <= 65535, fmt::format("{} is {}", what, value));
  }
  const auto last = static_cast<std::int32_t>(values.back());
  return {values.size() == 1 ? 1 : static_cast<std::int32_t>(values[0]), last};
}

OnnxImporter::Window OnnxImporter::window_of(const Node& node, const OnnxValue& in,
                                             const Dims& kernel) const {
  const OnnxAttributes attributes(node);
  const std::size_t axes = kernel.size();
  Window window;
  window.kernel = pair_of(kernel, "kernel");
  window.stride = pair_of(attributes.integers("strides", Dims(axes, 1)), "strides");
  window.dilation = pair_of(attributes.integers("dilations", Dims(axes, 1)), "dilations");
  Dims pads = attributes.integers("pads", Dims(2 * axes, 0));
  require(pads.size() == 2 * axes && std::all_of(pads.begin(), pads.end(),
                                                 [](std::int64_t p) { return p >= 0 && p < 4096; }),
          fmt::format("pads are [{}]; supported are two per axis from 0 to 4095",
                      fmt::join(pads, ", ")));
  if (axes == 1) {
    pads = {0, pads[0], 0, pads[1]};
  }
  std::int32_t before[2];
  std::int32_t after[2];
  std::int32_t more[2] = {0, 0};
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
    const std::int64_t lacks = ((-room) % stride + stride) % stride;
    if (attributes.flag("ceil_mode", false) && room > -stride && lacks != 0 &&
        room + lacks < extent + before[a]) {
      more[a] = static_cast<std::int32_t>(lacks);
    }
  }
  window.pads = {before[0], before[1], after[0], after[1]};
  window.padding = {before[0], before[1], after[0] + more[0], after[1] + more[1]};
  return window;
}

void OnnxImporter::conv(const Node& node) {
  const OnnxValue& given_in = input(node, 0);
  const OnnxValue in = image(given_in);
  require(is_known(name_of(node, 1)), fmt::format("`{}` must be a constant", name_of(node, 1)));
  const Dims dims = known_dims(name_of(node, 1));
  require(!dims.empty() && dims[0] >= 1, "kernel without outputs");
  const std::size_t rank = given_in.dims.size();
  require(rank == dims.size(),
          fmt::format("kernel of {} dimensions for a feature of {}", dims.size(), rank));
  const auto result =
      !quantised_ || is_quantised(in)
          ? quantised_result(node, true, static_cast<std::size_t>(dims[0]), rank - 2)
          : std::nullopt;
  if (!result) {
    convolve_floats(node, in, rank);
    return;
  }
  convolve(node, in, rank, given_float(node, in, 0, result->bias), *result);
}

void OnnxImporter::qlinear_conv(const Node& node) {
  const std::size_t rank = input(node, 0).dims.size();
  const OnnxValue in = image(input(node, 0));
  set_quantisation(in, read_quantisation(name_of(node, 1), name_of(node, 2)));
  Result result;
  result.name = node.output(0);
  result.quantisation = read_quantisation(name_of(node, 6), name_of(node, 7));
  convolve(node, in, rank, given_qlinear(node, 3, 8, 0), result);
}

// Windows that see nothing but padding are no convolution's: there the picture itself is padded.
OnnxValue OnnxImporter::padded_for(Window& window, const OnnxValue& in) {
  Padding& p = window.padding;
  const auto span = [&](std::size_t a) { return window.dilation[a] * (window.kernel[a] - 1) + 1; };
  const bool sees_all = p.top < span(0) && p.bottom < span(0) + window.stride[0] &&
                        p.left < span(1) && p.right < span(1) + window.stride[1];
  if (sees_all) {
    return in;
  }
  std::vector<std::int32_t> shape = builder_.tensor(in.tensor).shape;
  shape[1] += p.top + p.bottom;
  shape[2] += p.left + p.right;
  OnnxValue out = in;
  out.tensor = moved(in, shape, Pad{{0, p.top, p.left, 0}, {0, p.bottom, p.right, 0}}, "/pad");
  p = {};
  return out;
}

// For each of our kernel's weights the index of ONNX's, whose taps are last.
std::vector<std::size_t> OnnxImporter::kernel_order(std::size_t outputs, std::size_t inputs,
                                                    std::size_t taps, bool depthwise) {
  std::vector<std::size_t> order;
  order.reserve(outputs * inputs * taps);
  for (std::size_t a = 0; a < (depthwise ? taps : outputs); ++a) {
    for (std::size_t b = 0; b < (depthwise ? outputs : taps); ++b) {
      for (std::size_t c = 0; c < inputs; ++c) {
        order.push_back(depthwise ? (b * inputs + c) * taps + a : (a * inputs + c) * taps + b);
      }
    }
  }
  return order;
}

void OnnxImporter::convolve(const Node& node, const OnnxValue& in, std::size_t rank,
                            const Given& given, const Result& result) {
  const OnnxAttributes attributes(node);
  const Dims& dims = given.weights.dims;  // output, input of a group, then space
  require(dims.size() == rank,
          fmt::format("kernel of {} dimensions for a feature of {}", dims.size(), rank));
  Window window = window_of(node, in, {dims.begin() + 2, dims.end()});
  const OnnxValue feature = padded_for(window, in);
  const std::int64_t groups = attributes.integer("group", 1);
  const std::int64_t channels = in.dims[1];
  require(groups >= 1 && groups <= channels && channels == groups * dims[1] && dims[0] >= 1 &&
              dims[0] % groups == 0,
          fmt::format("{} groups, {} input channels, kernel [{}]", groups, channels,
                      fmt::join(dims, ", ")));
  const Conv2d conv{window.stride[0],   window.stride[1], window.dilation[0],
                    window.dilation[1], window.padding,   result.activation};
  const auto taps =
      static_cast<std::size_t>(window.kernel[0]) * static_cast<std::size_t>(window.kernel[1]);
  const auto outputs = static_cast<std::size_t>(dims[0]);
  const auto inputs = static_cast<std::size_t>(dims[1]);
  const bool depthwise = groups == channels && channels > 1;
  const std::vector<std::size_t> order = kernel_order(outputs, inputs, taps, depthwise);
  const GivenWeights weights = weights_for(given, order, outputs);
  const std::int32_t out =
      depthwise ? builder_.depthwise(
                      name_, feature.tensor, window.kernel[0], window.kernel[1],
                      DepthwiseConv2d{conv, static_cast<std::int32_t>(dims[0] / channels)}, weights)
                : builder_.conv2d(name_, feature.tensor, static_cast<std::int32_t>(dims[0]),
                                  window.kernel[0], window.kernel[1], conv, weights,
                                  static_cast<std::int32_t>(groups));
  if (result.quantisation) {
    builder_.tensor(out).quantisation = *result.quantisation;
  }
  finish(result, from_image(out, rank));
}

void OnnxImporter::conv_transpose(const Node& node) {
  const OnnxAttributes attributes(node);
  const std::size_t rank = input(node, 0).dims.size();
  const OnnxValue in = image(input(node, 0));
  require(is_known(name_of(node, 1)), fmt::format("`{}` must be a constant", name_of(node, 1)));
  const Dims shape = known_dims(name_of(node, 1));
  const std::int64_t groups = attributes.integer("group", 1);
  require(shape.size() == rank && shape[0] == in.dims[1] && shape[1] >= 1 && groups >= 1 &&
              groups <= shape[0] && shape[0] % groups == 0,
          fmt::format("{} groups, {} input channels, kernel [{}]; supported are kernels [input, "
                      "output of a group, height, width]",
                      groups, in.dims[1], fmt::join(shape, ", ")));
  const auto all_outputs = static_cast<std::size_t>(shape[1] * groups);
  const Result result = result_of(node, true, all_outputs, rank - 2);
  const Given given = given_float(node, in, 1, result.bias);
  Dims dims = given.weights.dims;  // input, output, height, width
  const std::string rule = attributes.text("auto_pad", "NOTSET");
  Dims extra = attributes.integers("output_padding", Dims(rank - 2, 0));
  Dims wanted = attributes.integers("output_shape", {});
  Window window = window_of(node, in, {dims.begin() + 2, dims.end()});
  if (rank == 3) {
    dims.insert(dims.begin() + 2, 1);
    extra.insert(extra.begin(), 0);
    if (!wanted.empty()) {
      wanted.insert(wanted.begin(), 1);
    }
  }
  require(window.dilation == std::vector<std::int32_t>({1, 1}), "supported is no dilation");
  require(extra.size() == 2 && extra[0] >= 0 && extra[1] >= 0 && extra[0] < window.stride[0] &&
              extra[1] < window.stride[1],
          "output_padding must be less than the stride");
  require(wanted.empty() || wanted.size() == 2, "output_shape must have a size for each axis");
  const bool same = rule == "SAME_UPPER" || rule == "SAME_LOWER";
  TransposeConv2d conv;
  conv.stride_h = window.stride[0];
  conv.stride_w = window.stride[1];
  conv.padding = window.pads;
  conv.activation = result.activation;
  std::int32_t* const before[2] = {&conv.padding.top, &conv.padding.left};
  std::int32_t* const after[2] = {&conv.padding.bottom, &conv.padding.right};
  // Pads follow from the output's size where that is given.
  const auto extent = [&](std::size_t a) {
    const std::int64_t full = (in.dims[a + 2] - 1) * window.stride[a] + window.kernel[a] + extra[a];
    if (!wanted.empty() || same) {
      const std::int64_t asked = wanted.empty() ? in.dims[a + 2] * window.stride[a] : wanted[a];
      const std::int64_t total = std::max<std::int64_t>(full - asked, 0);
      // A kernel smaller than the stride does not reach as far as SAME asks for.
      const std::int64_t size = wanted.empty() ? full - total : asked;
      const std::int64_t first = rule == "SAME_UPPER" ? total / 2 : total - total / 2;
      *before[a] = static_cast<std::int32_t>(first);
      *after[a] = static_cast<std::int32_t>(total - first);
      require(size >= 1 && size <= 65535 && total < 65536, fmt::format("output extent {}", size));
      return static_cast<std::int32_t>(size);
    }
    const std::int64_t left = full - *before[a] - *after[a];
    require(left >= 1 && left <= 65535, fmt::format("output extent {}", left));
    return static_cast<std::int32_t>(left);
  };
  const std::int32_t height = extent(0);
  const std::int32_t width = extent(1);
  const auto taps = static_cast<std::size_t>(dims[2] * dims[3]);
  const auto outputs = static_cast<std::size_t>(dims[1]);
  const auto group_inputs = static_cast<std::size_t>(dims[0] / groups);
  const std::vector<std::int32_t> size = {1, height, width, static_cast<std::int32_t>(outputs)};
  std::vector<std::int32_t> parts;
  const std::string name = name_;
  for (std::size_t g = 0; g < static_cast<std::size_t>(groups); ++g) {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t tap = 0; tap < taps; ++tap) {
        for (std::size_t c = 0; c < group_inputs; ++c) {
          order.push_back(((g * group_inputs + c) * outputs + k) * taps + tap);
        }
      }
    }
    std::int32_t feature = in.tensor;
    if (groups > 1) {
      name_ = fmt::format("{}/group{}", name, g);
      std::vector<std::int32_t> part = builder_.tensor(in.tensor).shape;
      part[3] = static_cast<std::int32_t>(group_inputs);
      feature =
          moved(in, part,
                StridedSlice{{0, 0, 0, static_cast<std::int32_t>(g * group_inputs)}, {1, 1, 1, 1}},
                "/channels");
    }
    parts.push_back(builder_.transpose_conv2d(
        name_, feature, size, window.kernel[0], window.kernel[1], conv,
        weights_for(group_of(given, g, outputs, all_outputs), order, outputs)));
    if (result.quantisation) {
      builder_.tensor(parts.back()).quantisation = *result.quantisation;
    }
  }
  name_ = name;
  std::int32_t out = parts[0];
  if (groups > 1) {
    std::vector<std::int32_t> whole = size;
    whole[3] = static_cast<std::int32_t>(all_outputs);
    out = builder_.moved(name_, whole, Concatenation{3}, parts);
    if (result.quantisation) {
      builder_.tensor(out).quantisation = *result.quantisation;
    }
  }
  finish(result, from_image(out, rank));
}

// The scales and biases of a group's outputs; weights are picked by their order.
OnnxImporter::Given OnnxImporter::group_of(const Given& given, std::size_t group,
                                           std::size_t outputs, std::size_t all) const {
  Given part = given;
  const auto first = static_cast<std::ptrdiff_t>(group * outputs);
  const auto end = first + static_cast<std::ptrdiff_t>(outputs);
  if (part.bias && part.bias->size() == all) {
    part.bias->assign(given.bias->begin() + first, given.bias->begin() + end);
  }
  if (given.weights.scales.size() > outputs) {
    require(given.weights.scales.size() == all, "its scales are not one per output");
    part.weights.scales.assign(given.weights.scales.begin() + first,
                               given.weights.scales.begin() + end);
  }
  if (part.bias && outputs != all) {
    make_room(part, 1);
  }
  return part;
}

}  // namespace tessera

// ONNX: quantised models, as QuantizeLinear and DequantizeLinear around float operators or as
// QLinear operators, and float models for their shapes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include "network/onnx_values.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

using Dims = std::vector<std::int64_t>;
using Node = onnx::NodeProto;

constexpr std::int64_t kMostExtent = 1 << 24;

class OnnxImporter {
 public:
  OnnxImporter(const std::vector<std::uint8_t>& data, const std::string& name, std::uint64_t seed,
               bool seeded_weights)
      : onnx_(data, name), builder_(name, seed) {
    for (const Node& node : onnx_.graph().node()) {
      quantised_ = quantised_ || node.op_type().find("Linear") != std::string::npos ||
                   node.op_type() == "QGemm";
    }
    if (!quantised_ && !seeded_weights) {
      onnx_.fail(
          "a float model has shapes but no quantisation; with `weights: seeded` it runs with "
          "weights "
          "from the seed");
    }
  }

  Network run() {
    for (const auto& input : onnx_.graph().input()) {
      if (!onnx_.is_constant(input.name())) {
        add_input(input);
      }
    }
    std::size_t index = 0;
    for (const Node& node : onnx_.graph().node()) {
      where_ = fmt::format("node {} ({}, `{}`): ", index, node.op_type(), node.name());
      name_ = unique_name(node, index);
      ++index;
      if (done_.count(&node) == 0) {
        read_node(node);
      }
    }
    where_.clear();
    for (const auto& output : onnx_.graph().output()) {
      builder_.output(network_output(output.name()));
    }
    return builder_.finish();
  }

 private:
  using Handler = void (OnnxImporter::*)(const Node&);

  [[noreturn]] void fail(const std::string& text) const { onnx_.fail(where_ + text); }
  void require(bool condition, const std::string& text) const {
    if (!condition) {
      fail(text);
    }
  }

  // Values ----------------------------------------------------------------------------------------

  void add_input(const onnx::ValueInfoProto& input) {
    where_ = fmt::format("input `{}`: ", input.name());
    const auto& type = input.type().tensor_type();
    Dims dims;
    for (const auto& dim : type.shape().dim()) {
      // A dimension by name is the batch, as a rule.
      dims.push_back(dim.has_dim_value() && dim.dim_value() > 0 ? dim.dim_value() : 1);
      require(dims.back() <= kMostExtent, fmt::format("extent {}", dims.back()));
    }
    require(!dims.empty() && dims.size() <= 8, fmt::format("{} dimensions", dims.size()));
    const std::int32_t tensor = builder_.input(input.name(), stored_shape(dims));
    const bool is_float = type.elem_type() == onnx::TensorProto::FLOAT;
    require(is_float || type.elem_type() == onnx::TensorProto::INT8 ||
                type.elem_type() == onnx::TensorProto::UINT8,
            fmt::format("type {}; supported are float, int8 and uint8", type.elem_type()));
    if (quantised_) {
      builder_.tensor(tensor).type = is_float ? DataType::Float32 : DataType::Int8;
      builder_.tensor(tensor).quantisation = {};
    }
    values_[input.name()] = {tensor, dims};
  }

  const OnnxValue& value(const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) {
      fail(fmt::format("`{}` has no value here", name));
    }
    return found->second;
  }
  const OnnxValue& input(const Node& node, int i) const {
    require(i < node.input_size() && !node.input(i).empty(), fmt::format("input {} is missing", i));
    return value(node.input(i));
  }
  static std::string name_of(const Node& node, int i) {
    return i < node.input_size() ? node.input(i) : "";
  }

  // What came from outside without quantisation has that of its first reader.
  void set_quantisation(const OnnxValue& v, const Quantisation& quantisation) {
    Tensor& tensor = builder_.tensor(v.tensor);
    if (tensor.quantisation.scales.empty()) {
      tensor.quantisation = quantisation;
    }
    require(tensor.quantisation.scales == quantisation.scales &&
                tensor.quantisation.zero_point == quantisation.zero_point,
            "reads a value with another scale or zero point than it was written with");
  }

  void define(const std::string& name, std::int32_t tensor) {
    values_[name] = {tensor, logical_dims(builder_.tensor(tensor).shape)};
  }

  std::string unique_name(const Node& node, std::size_t index) {
    std::string name =
        node.name().empty() ? fmt::format("{}_{}", node.op_type(), index) : node.name();
    while (!names_.insert(name).second) {
      name += fmt::format("_{}", index);
    }
    return name;
  }

  /// Where a node's result goes and how it is quantised.
  struct Result {
    std::string name;
    std::optional<Quantisation> quantisation;  ///< none: as the builder has it
    Activation activation = Activation::None;
  };

  const Node* only_reader(const std::string& name) const {
    const auto readers = onnx_.readers_of(name);
    return readers.size() == 1 ? readers[0] : nullptr;
  }

  // Follows a float result through an activation to its QuantizeLinear; both are part of the node
  // then.
  Result result_of(const Node& node, bool activations) {
    Result result{node.output(0), std::nullopt};
    const Node* next = only_reader(result.name);
    if (activations && next != nullptr) {
      const Activation activation = activation_of(*next);
      const Node* after = next->output_size() == 1 ? only_reader(next->output(0)) : nullptr;
      const bool quantised =
          !quantised_ || (after != nullptr && after->op_type() == "QuantizeLinear");
      if (activation != Activation::None && quantised) {
        done_.insert(next);
        result.activation = activation;
        result.name = next->output(0);
        next = only_reader(result.name);
      }
    }
    if (!quantised_) {
      return result;
    }
    require(next != nullptr && next->op_type() == "QuantizeLinear",
            "its float result has no QuantizeLinear behind it, so that its scale is not known");
    done_.insert(next);
    result.quantisation = read_quantisation(onnx_, name_of(*next, 1), name_of(*next, 2));
    result.name = next->output(0);
    return result;
  }

  Activation activation_of(const Node& node) const {
    if (node.op_type() == "Relu") {
      return Activation::Relu;
    }
    if (node.op_type() != "Clip") {
      return Activation::None;
    }
    const auto [low, high] = clip_limits(node);
    return low == 0.0 && high == 6.0 ? Activation::Relu6 : Activation::None;
  }

  std::pair<double, double> clip_limits(const Node& node) const {
    const OnnxAttributes attributes(node);
    const auto limit = [&](int i, const char* name, float fallback) {
      const std::string given = name_of(node, i);
      if (given.empty()) {
        return static_cast<double>(attributes.number(name, fallback));
      }
      const OnnxConstant constant = clip_constant(given);
      require(constant.values.size() == 1, "limits must be single constants");
      return constant.values[0];
    };
    return {limit(1, "min", std::numeric_limits<float>::lowest()),
            limit(2, "max", std::numeric_limits<float>::max())};
  }

  // Limits may be quantised, too.
  OnnxConstant clip_constant(const std::string& name) const {
    const Node* producer = onnx_.producer_of(name);
    if (producer != nullptr && producer->op_type() == "DequantizeLinear") {
      const OnnxWeights weights = read_weights(onnx_, name_of(*producer, 0), name_of(*producer, 1),
                                               name_of(*producer, 2), 0);
      OnnxConstant constant;
      for (const std::int32_t v : weights.values) {
        constant.values.push_back(static_cast<double>(weights.scales.at(0)) * v);
      }
      return constant;
    }
    return onnx_.constant(name);
  }

  void finish(const Result& result, std::int32_t tensor) {
    if (result.quantisation) {
      builder_.tensor(tensor).quantisation = *result.quantisation;
    }
    define(result.name, tensor);
  }

  // Weights ---------------------------------------------------------------------------------------

  // A float constant, or the DequantizeLinear of one.
  [[nodiscard]] bool is_given(const std::string& name) const {
    const Node* producer = onnx_.producer_of(name);
    return onnx_.is_constant(name) ||
           (producer != nullptr && producer->op_type() == "DequantizeLinear" &&
            onnx_.is_constant(name_of(*producer, 0)));
  }
  [[nodiscard]] Dims given_dims(const std::string& name) const {
    require(is_given(name), fmt::format("`{}` must be a constant", name));
    return onnx_.dims_of(onnx_.is_constant(name) ? name : name_of(*onnx_.producer_of(name), 0));
  }
  [[nodiscard]] OnnxWeights dequantised_weights(const std::string& name) const {
    const Node* producer = onnx_.producer_of(name);
    require(producer != nullptr && producer->op_type() == "DequantizeLinear",
            fmt::format("`{}` is float; in a quantised model it must come from a DequantizeLinear",
                        name));
    const OnnxAttributes attributes(*producer);
    const std::size_t rank = onnx_.dims_of(name_of(*producer, 0)).size();
    const std::int64_t axis = attributes.integer("axis", 1);
    return read_weights(onnx_, name_of(*producer, 0), name_of(*producer, 1), name_of(*producer, 2),
                        axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
  }

  /// A convolution's or product's constants; weights are empty in float models.
  struct Given {
    Dims dims;
    std::optional<OnnxWeights> weights;
    std::optional<std::vector<double>> bias;  ///< int32
    bool has_bias = false;
  };

  Given given_float(const Node& node, const OnnxValue& feature) const {
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

  // In units of input scale times weight scale.
  std::vector<double> bias_values(const std::string& name, const OnnxValue& feature,
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

  Given given_qlinear(const Node& node, int first, int bias) const {
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

  // `order`: for each of our kernel's values the index of ONNX's.
  GivenWeights weights_for(const Given& given, const std::vector<std::size_t>& order,
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
        const auto bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
        for (int b = 0; b < 4; ++b) {
          bytes.push_back(static_cast<std::uint8_t>(bits >> (8 * b)));
        }
      }
      result.bias = std::move(bytes);
    }
    return result;
  }

  // Windows ---------------------------------------------------------------------------------------

  const OnnxValue& image(const OnnxValue& v) const {
    require(v.dims.size() == 4 && v.dims[0] == 1,
            fmt::format("reads a value of shape [{}]; supported are images [1, channels, height, "
                        "width]",
                        fmt::join(v.dims, ", ")));
    return v;
  }

  std::vector<std::int32_t> pair_of(const Dims& values, const char* what) const {
    require(values.size() == 2,
            fmt::format("{} has {} values; supported are 2", what, values.size()));
    for (const std::int64_t value : values) {
      require(value >= 1 && value <= 65535, fmt::format("{} is {}", what, value));
    }
    return {static_cast<std::int32_t>(values[0]), static_cast<std::int32_t>(values[1])};
  }

  /// Kernel, stride, dilation and padding of a convolution or pool.
  struct Window {
    std::vector<std::int32_t> kernel, stride, dilation;
    Padding padding;
  };

  Window window_of(const Node& node, const OnnxValue& in, const Dims& kernel) const {
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
        const std::int64_t total =
            std::max<std::int64_t>((outputs - 1) * stride + span - extent, 0);
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

  // Nodes -----------------------------------------------------------------------------------------

  void quantize_linear(const Node& node) {
    const OnnxValue in = input(node, 0);
    const Quantisation wanted = read_quantisation(onnx_, name_of(node, 1), name_of(node, 2));
    requantise(node.output(0), in, wanted);
  }

  // Another scale, in float as ONNX has it; from float on the host.
  void requantise(const std::string& name, const OnnxValue& in, const Quantisation& wanted) {
    const Tensor& tensor = builder_.tensor(in.tensor);
    if (tensor.type == DataType::Float32) {
      const std::int32_t out = builder_.unary(name_, in.tensor, Unary{UnaryKind::Quantize, 0, {}});
      builder_.tensor(out).quantisation = wanted;
      define(name, out);
      return;
    }
    const Quantisation own = tensor.quantisation;
    if (own.scales == wanted.scales && own.zero_point == wanted.zero_point) {
      values_[name] = in;
      return;
    }
    map(name, in, wanted, [](double x) { return x; });
  }

  // What is dequantised is read as it is; only at the end of the network it becomes float.
  void dequantize_linear(const Node& node) {
    if (onnx_.is_constant(name_of(node, 0))) {
      return;
    }
    const OnnxValue in = input(node, 0);
    set_quantisation(in, read_quantisation(onnx_, name_of(node, 1), name_of(node, 2)));
    values_[node.output(0)] = in;
  }

  void conv(const Node& node) {
    const OnnxValue in = image(input(node, 0));
    const Given given = given_float(node, in);
    convolve(node, in, given, result_of(node, true));
  }

  void qlinear_conv(const Node& node) {
    const OnnxValue in = image(input(node, 0));
    set_quantisation(in, read_quantisation(onnx_, name_of(node, 1), name_of(node, 2)));
    const Result result{node.output(0),
                        read_quantisation(onnx_, name_of(node, 6), name_of(node, 7))};
    convolve(node, in, given_qlinear(node, 3, 8), result);
  }

  void convolve(const Node& node, const OnnxValue& in, const Given& given, const Result& result) {
    const OnnxAttributes attributes(node);
    const Dims& dims = given.dims;  // output, input of a group, height, width
    require(dims.size() == 4, fmt::format("kernel of {} dimensions; supported are 4", dims.size()));
    const Window window = window_of(node, in, {dims[2], dims[3]});
    const std::int64_t groups = attributes.integer("group", 1);
    const std::int64_t channels = in.dims[1];
    require(groups >= 1 && channels == groups * dims[1] && dims[0] % groups == 0,
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
            ? builder_.depthwise(
                  name_, in.tensor, window.kernel[0], window.kernel[1],
                  DepthwiseConv2d{conv, static_cast<std::int32_t>(dims[0] / channels)}, weights)
            : builder_.conv2d(name_, in.tensor, static_cast<std::int32_t>(dims[0]),
                              window.kernel[0], window.kernel[1], conv, weights,
                              static_cast<std::int32_t>(groups));
    finish(result, out);
  }

  void conv_transpose(const Node& node) {
    const OnnxAttributes attributes(node);
    const OnnxValue in = image(input(node, 0));
    const Given given = given_float(node, in);
    const Dims& dims = given.dims;  // input, output, height, width
    require(dims.size() == 4 && dims[0] == in.dims[1] && attributes.integer("group", 1) == 1,
            "supported are kernels [input, output, height, width] without groups");
    const Window window = window_of(node, in, {dims[2], dims[3]});
    require(window.dilation == std::vector<std::int32_t>({1, 1}) &&
                attributes.text("auto_pad", "NOTSET") == "NOTSET" &&
                !attributes.has("output_shape"),
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
    finish(result, builder_.transpose_conv2d(name_, in.tensor,
                                             {1, height, width, static_cast<std::int32_t>(outputs)},
                                             window.kernel[0], window.kernel[1], conv,
                                             weights_for(given, order, outputs)));
  }

  // A product with constant weights [in, out], or [out, in] when transposed.
  void multiply_matrix(const OnnxValue& in, const Given& given, bool transposed,
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
      const std::int32_t out = builder_.fully_connected(
          name_, in.tensor, count, result.activation, weights, static_cast<std::int32_t>(features));
      builder_.tensor(out).shape = stored_shape(out_dims);
      finish(result, out);
      return;
    }
    // Scales per output: a convolution of single pixels.
    const auto rows = static_cast<std::int32_t>(builder_.tensor(in.tensor).elements() / features);
    const std::int32_t pixels =
        builder_.moved(name_ + "/pixels", {1, 1, rows, static_cast<std::int32_t>(features)},
                       Reshape{}, {in.tensor});
    Conv2d conv;
    conv.activation = result.activation;
    const std::int32_t product = builder_.conv2d(name_, pixels, count, 1, 1, conv, weights);
    if (result.quantisation) {
      builder_.tensor(product).quantisation = *result.quantisation;
    }
    define(result.name,
           builder_.moved(name_ + "/rows", stored_shape(out_dims), Reshape{}, {product}));
  }

  void gemm(const Node& node) {
    const OnnxAttributes attributes(node);
    require(attributes.number("alpha", 1) == 1.0F && attributes.number("beta", 1) == 1.0F &&
                attributes.integer("transA", 0) == 0,
            "supported are alpha 1, beta 1 and transA 0");
    const OnnxValue in = input(node, 0);
    const Given given = given_float(node, in);
    multiply_matrix(in, given, attributes.integer("transB", 0) != 0, result_of(node, true));
  }

  // A product, and the addition of a bias behind it.
  void matmul(const Node& node) {
    const OnnxValue in = input(node, 0);
    Given given = given_float(node, in);
    given.has_bias = false;
    multiply_matrix(in, given, false, result_of(node, true));
  }

  void qlinear_matmul(const Node& node) {
    const OnnxValue in = input(node, 0);
    set_quantisation(in, read_quantisation(onnx_, name_of(node, 1), name_of(node, 2)));
    multiply_matrix(in, given_matrix(node, 3, 1, -1), false,
                    {node.output(0), read_quantisation(onnx_, name_of(node, 6), name_of(node, 7))});
  }

  void qgemm(const Node& node) {
    const OnnxAttributes attributes(node);
    require(attributes.number("alpha", 1) == 1.0F && attributes.integer("transA", 0) == 0,
            "supported are alpha 1 and transA 0");
    const bool transposed = attributes.integer("transB", 0) != 0;
    const OnnxValue in = input(node, 0);
    set_quantisation(in, read_quantisation(onnx_, name_of(node, 1), name_of(node, 2)));
    multiply_matrix(in, given_matrix(node, 3, transposed ? 0 : 1, 6), transposed,
                    {node.output(0), read_quantisation(onnx_, name_of(node, 7), name_of(node, 8))});
  }

  Given given_matrix(const Node& node, int first, std::int64_t axis, int bias) const {
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

  // A value, or a constant as one.
  OnnxValue operand(const std::string& name) {
    if (!is_given(name)) {
      return value(name);
    }
    const Dims dims = given_dims(name);
    Dims full = dims;
    // Operands of images broadcast from the last dimension: as many dimensions as images have.
    while (!full.empty() && full.size() < 4 && wide_) {
      full.insert(full.begin(), 1);
    }
    if (full.empty()) {
      full = {1};
    }
    OnnxWeights weights;
    weights.dims = dims;
    if (quantised_) {
      weights = dequantised_weights(name);
      require(weights.scales.size() == 1, "an operand needs one scale");
    } else {
      std::int64_t elements = 1;
      for (const std::int64_t extent : dims) {
        elements *= extent;
      }
      SplitMix64 rng(static_cast<std::uint64_t>(elements));
      for (std::int64_t i = 0; i < elements; ++i) {
        weights.values.push_back(rng.int8());
      }
      weights.scales = {1.0F / 64};
    }
    return constant_value(name, full, weights);
  }

  // The values' zero point is 0: they must fit int8 around some zero point.
  OnnxValue constant_value(const std::string& name, const Dims& dims, const OnnxWeights& weights) {
    const auto [least, greatest] =
        std::minmax_element(weights.values.begin(), weights.values.end());
    require(!weights.values.empty() && *greatest - *least <= 255, "an operand beyond 8 bits");
    const std::int32_t zero_point = std::clamp(-128 - *least, -128, 127);
    require(*least + zero_point >= -128 && *greatest + zero_point <= 127,
            "an operand beyond 8 bits");
    const std::vector<std::int32_t> shape = stored_shape(dims);
    std::vector<std::uint8_t> bytes(weights.values.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::uint8_t>(weights.values[logical_index(i, dims)] + zero_point);
    }
    const std::int32_t tensor =
        builder_.constant(name, shape, {{weights.scales[0]}, zero_point}, std::move(bytes));
    return {tensor, dims};
  }

  // Index in ONNX's order of the i-th stored value.
  static std::size_t logical_index(std::size_t i, const Dims& dims) {
    if (dims.size() != 4) {
      return i;
    }
    const auto c = static_cast<std::size_t>(dims[1]);
    const auto w = static_cast<std::size_t>(dims[3]);
    const auto pixels = static_cast<std::size_t>(dims[2]) * w;
    const std::size_t image = i / (pixels * c);
    const std::size_t pixel = i / c % pixels;
    return (image * c + i % c) * pixels + pixel;
  }

  void binary(const Node& node, BinaryKind kind) {
    for (int i = 0; i < 2; ++i) {
      wide_ = wide_ || (!is_given(name_of(node, i)) && input(node, i).dims.size() == 4);
    }
    const OnnxValue a = operand(name_of(node, 0));
    const OnnxValue b = operand(name_of(node, 1));
    wide_ = false;
    require(a.dims.size() == b.dims.size() || a.dims == Dims{1} || b.dims == Dims{1},
            "operands differ in rank");
    const Result result = result_of(node, true);
    finish(result, builder_.binary(name_, a.tensor, b.tensor, Binary{kind, result.activation}));
  }
  void add(const Node& node) { binary(node, BinaryKind::Add); }
  void sub(const Node& node) { binary(node, BinaryKind::Sub); }
  void mul(const Node& node) { binary(node, BinaryKind::Mul); }

  void qlinear_binary(const Node& node, BinaryKind kind) {
    const Quantisation qa = read_quantisation(onnx_, name_of(node, 1), name_of(node, 2));
    const Quantisation qb = read_quantisation(onnx_, name_of(node, 4), name_of(node, 5));
    const Quantisation qc = read_quantisation(onnx_, name_of(node, 6), name_of(node, 7));
    const OnnxValue a = qlinear_operand(node, 0, qa);
    const OnnxValue b = qlinear_operand(node, 3, qb);
    finish({node.output(0), qc},
           builder_.binary(name_, a.tensor, b.tensor, Binary{kind, Activation::None}));
  }
  OnnxValue qlinear_operand(const Node& node, int i, const Quantisation& quantisation) {
    const std::string name = name_of(node, i);
    if (!onnx_.is_constant(name)) {
      OnnxValue v = input(node, i);
      set_quantisation(v, quantisation);
      return v;
    }
    const OnnxWeights weights =
        read_weights(onnx_, name, name_of(node, i + 1), name_of(node, i + 2), 0);
    Dims dims = weights.dims;
    while (dims.size() < 4) {
      dims.insert(dims.begin(), 1);
    }
    return constant_value(name, dims, weights);
  }
  void qlinear_add(const Node& node) { qlinear_binary(node, BinaryKind::Add); }
  void qlinear_mul(const Node& node) { qlinear_binary(node, BinaryKind::Mul); }

  // A function of real values as a table; ties go to even, as ONNX rounds.
  template <class Function>
  void map(const std::string& name, const OnnxValue& in, const Quantisation& out,
           Function function) {
    const Quantisation own = builder_.tensor(in.tensor).quantisation;
    Unary unary;
    unary.kind = UnaryKind::Lookup;
    for (std::int32_t x = -128; x <= 127; ++x) {
      const double real = static_cast<double>(own.scales.at(0)) * (x - own.zero_point);
      const double steps = std::nearbyint(function(real) / static_cast<double>(out.scales.at(0)));
      const double limited = std::clamp(steps + out.zero_point, -128.0, 127.0);
      unary.table.push_back(static_cast<std::int8_t>(std::isnan(limited) ? 0.0 : limited));
    }
    const std::int32_t tensor = builder_.unary(name_, in.tensor, unary);
    builder_.tensor(tensor).quantisation = out;
    define(name, tensor);
  }

  template <class Function>
  void function_node(const Node& node, Function function) {
    const OnnxValue in = input(node, 0);
    Quantisation out = builder_.tensor(in.tensor).quantisation;
    std::string name = node.output(0);
    const Node* next = only_reader(name);
    if (quantised_ && next != nullptr && next->op_type() == "QuantizeLinear") {
      const Result result = result_of(node, false);
      out = *result.quantisation;
      name = result.name;
    }
    map(name, in, out, function);
  }
  void relu(const Node& node) {
    function_node(node, [](double x) { return std::max(x, 0.0); });
  }
  void clip(const Node& node) {
    const auto [low, high] = clip_limits(node);
    require(low <= high, "min is greater than max");
    function_node(node, [low = low, high = high](double x) { return std::clamp(x, low, high); });
  }
  void leaky_relu(const Node& node) {
    const auto alpha = static_cast<double>(OnnxAttributes(node).number("alpha", 0.01F));
    function_node(node, [alpha](double x) { return x < 0 ? alpha * x : x; });
  }
  void sigmoid(const Node& node) {
    function_node(node, [](double x) { return 1 / (1 + std::exp(-x)); });
  }
  void tanh(const Node& node) {
    function_node(node, [](double x) { return std::tanh(x); });
  }
  void hard_swish(const Node& node) {
    function_node(node, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); });
  }
  void hard_sigmoid(const Node& node) {
    const auto alpha = static_cast<double>(OnnxAttributes(node).number("alpha", 0.2F));
    const auto beta = static_cast<double>(OnnxAttributes(node).number("beta", 0.5F));
    function_node(node, [alpha, beta](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); });
  }

  // Results of moving nodes keep the input's quantisation; another one behind them is met there.
  std::int32_t move(const OnnxValue& in, const Dims& dims, Attributes attributes) {
    return builder_.moved(name_, stored_shape(dims), std::move(attributes), {in.tensor});
  }

  void pool(const Node& node, PoolKind kind) {
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
  void max_pool(const Node& node) { pool(node, PoolKind::Max); }
  void average_pool(const Node& node) { pool(node, PoolKind::Average); }

  void mean_over(const Node& node, const OnnxValue& in, const Dims& axes, bool keep) {
    std::vector<std::size_t> stored;
    for (const std::int64_t axis : axes) {
      stored.push_back(stored_axis(axis, in.dims.size()));
    }
    std::sort(stored.begin(), stored.end());
    require(!stored.empty() && stored.back() < in.dims.size() &&
                stored.back() - stored.front() + 1 == stored.size(),
            fmt::format("axes [{}]; supported are height and width, or neighbours",
                        fmt::join(axes, ", ")));
    const Mean mean{static_cast<std::int32_t>(stored.front()),
                    static_cast<std::int32_t>(stored.size())};
    Dims dims;
    for (std::size_t d = 0; d < in.dims.size(); ++d) {
      const bool reduced =
          std::find(stored.begin(), stored.end(),
                    stored_axis(static_cast<std::int64_t>(d), in.dims.size())) != stored.end();
      if (!reduced || keep) {
        dims.push_back(reduced ? 1 : in.dims[d]);
      }
    }
    std::string name = node.output(0);
    const std::int32_t out = move(in, dims, mean);
    const Node* next = only_reader(name);
    if (quantised_ && next != nullptr && next->op_type() == "QuantizeLinear") {
      const Result result = result_of(node, false);
      builder_.tensor(out).quantisation = *result.quantisation;
      name = result.name;
    }
    define(name, out);
  }
  void global_average_pool(const Node& node) {
    mean_over(node, image(input(node, 0)), {2, 3}, true);
  }
  void reduce_mean(const Node& node) {
    const OnnxAttributes attributes(node);
    Dims axes = attributes.integers("axes", {});
    if (!name_of(node, 1).empty()) {
      axes = integers(name_of(node, 1));
    }
    mean_over(node, input(node, 0), axes, attributes.integer("keepdims", 1) != 0);
  }

  Dims integers(const std::string& name) const {
    const OnnxConstant constant = onnx_.constant(name);
    Dims result;
    for (const double v : constant.values) {
      // Ends are often the greatest int64.
      result.push_back(static_cast<std::int64_t>(std::clamp(v, -1e9, 1e9)));
    }
    return result;
  }

  // In ONNX's order of elements, whatever the layout.
  void reshape_to(const Node& node, const OnnxValue& in, const Dims& dims) {
    const std::int64_t before =
        std::accumulate(in.dims.begin(), in.dims.end(), std::int64_t{1}, std::multiplies<>());
    std::int64_t after = 1;
    for (const std::int64_t extent : dims) {
      require(extent >= 1 && extent <= kMostExtent, fmt::format("extent {}", extent));
      after *= extent;
      require(after <= before, "has more elements than its input");
    }
    require(after == before && dims.size() <= 8,
            fmt::format("{} elements become {}", before, after));
    const auto moves = [](const Dims& d) { return d.size() == 4 && d[1] > 1 && d[2] * d[3] > 1; };
    std::int32_t tensor = in.tensor;
    if (moves(in.dims)) {
      const auto& s = builder_.tensor(tensor).shape;
      tensor = builder_.moved(name_ + "/nchw", {s[0], s[3], s[1], s[2]}, Transpose{{0, 3, 1, 2}},
                              {tensor});
    }
    if (moves(dims)) {
      std::vector<std::int32_t> plain(dims.begin(), dims.end());
      tensor = builder_.moved(name_ + "/plain", plain, Reshape{}, {tensor});
      tensor = builder_.moved(name_, stored_shape(dims), Transpose{{0, 2, 3, 1}}, {tensor});
    } else {
      tensor = builder_.moved(name_, stored_shape(dims), Reshape{}, {tensor});
    }
    values_[node.output(0)] = {tensor, dims};
  }
  void reshape(const Node& node) {
    const OnnxValue in = input(node, 0);
    Dims dims = integers(name_of(node, 1));
    const bool zero_is_zero = OnnxAttributes(node).integer("allowzero", 0) != 0;
    std::int64_t known = 1;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] == 0 && !zero_is_zero && d < in.dims.size()) {
        dims[d] = in.dims[d];
      }
      known = dims[d] > 0 && known < kMostExtent ? known * dims[d] : known;
    }
    const std::int64_t elements =
        std::accumulate(in.dims.begin(), in.dims.end(), std::int64_t{1}, std::multiplies<>());
    for (std::int64_t& extent : dims) {
      extent = extent == -1 ? elements / known : extent;
    }
    reshape_to(node, in, dims);
  }
  void flatten(const Node& node) {
    const OnnxValue in = input(node, 0);
    const auto rank = static_cast<std::int64_t>(in.dims.size());
    std::int64_t axis = OnnxAttributes(node).integer("axis", 1);
    axis = axis < 0 ? axis + rank : axis;
    require(axis >= 0 && axis <= rank, fmt::format("axis {}", axis));
    const auto middle = in.dims.begin() + axis;
    reshape_to(node, in,
               {std::accumulate(in.dims.begin(), middle, std::int64_t{1}, std::multiplies<>()),
                std::accumulate(middle, in.dims.end(), std::int64_t{1}, std::multiplies<>())});
  }
  Dims axes_of(const Node& node) const {
    return name_of(node, 1).empty() ? OnnxAttributes(node).integers("axes", {})
                                    : integers(name_of(node, 1));
  }
  void squeeze(const Node& node) {
    const OnnxValue in = input(node, 0);
    const Dims axes = axes_of(node);
    const auto rank = static_cast<std::int64_t>(in.dims.size());
    Dims dims;
    for (std::int64_t d = 0; d < rank; ++d) {
      const bool named = std::any_of(axes.begin(), axes.end(), [&](std::int64_t axis) {
        return axis == d || axis + rank == d;
      });
      if (!(axes.empty() ? in.dims[static_cast<std::size_t>(d)] == 1 : named)) {
        dims.push_back(in.dims[static_cast<std::size_t>(d)]);
      }
    }
    reshape_to(node, in, dims.empty() ? Dims{1} : dims);
  }
  void unsqueeze(const Node& node) {
    const OnnxValue in = input(node, 0);
    Dims axes = axes_of(node);
    const auto rank = static_cast<std::int64_t>(in.dims.size() + axes.size());
    for (std::int64_t& axis : axes) {
      axis = axis < 0 ? axis + rank : axis;
      require(axis >= 0 && axis < rank, fmt::format("axis {}", axis));
    }
    std::sort(axes.begin(), axes.end());
    Dims dims = in.dims;
    for (const std::int64_t axis : axes) {
      require(axis <= static_cast<std::int64_t>(dims.size()), fmt::format("axis {}", axis));
      dims.insert(dims.begin() + axis, 1);
    }
    reshape_to(node, in, dims);
  }

  void transpose(const Node& node) {
    const OnnxValue in = input(node, 0);
    const std::size_t rank = in.dims.size();
    Dims order(rank);
    std::iota(order.rbegin(), order.rend(), 0);
    order = OnnxAttributes(node).integers("perm", order);
    require(order.size() == rank, "perm has another rank than its input");
    Dims dims;
    for (const std::int64_t axis : order) {
      require(axis >= 0 && axis < static_cast<std::int64_t>(rank), fmt::format("axis {}", axis));
      dims.push_back(in.dims[static_cast<std::size_t>(axis)]);
    }
    Transpose moved;
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t from = order[logical_axis(d, rank)];
      moved.order.push_back(static_cast<std::int32_t>(stored_axis(from, rank)));
    }
    define(node.output(0), move(in, dims, moved));
  }

  void pad(const Node& node) {
    const OnnxAttributes attributes(node);
    const OnnxValue in = input(node, 0);
    const std::size_t rank = in.dims.size();
    require(attributes.text("mode", "constant") == "constant" && name_of(node, 3).empty(),
            "supported are constant pads of all axes");
    if (!name_of(node, 2).empty()) {
      const OnnxConstant constant = clip_constant(name_of(node, 2));
      require(constant.values.size() == 1 && constant.values[0] == 0.0,
              "pads with another value than zero");
    }
    const Dims pads =
        name_of(node, 1).empty() ? attributes.integers("pads", {}) : integers(name_of(node, 1));
    require(
        pads.size() == 2 * rank && std::all_of(pads.begin(), pads.end(),
                                               [](std::int64_t p) { return p >= 0 && p < 65536; }),
        "needs two pads of 0 to 65535 for each axis");
    Dims dims = in.dims;
    Pad pad;
    for (std::size_t d = 0; d < rank; ++d) {
      dims[d] += pads[d] + pads[d + rank];
      const std::size_t axis = logical_axis(d, rank);
      pad.before.push_back(static_cast<std::int32_t>(pads[axis]));
      pad.after.push_back(static_cast<std::int32_t>(pads[axis + rank]));
    }
    define(node.output(0), move(in, dims, pad));
  }

  void slice(const Node& node) {
    const OnnxValue in = input(node, 0);
    const std::size_t rank = in.dims.size();
    const Dims starts = integers(name_of(node, 1));
    const Dims ends = integers(name_of(node, 2));
    Dims axes(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
    axes = name_of(node, 3).empty() ? axes : integers(name_of(node, 3));
    const Dims steps =
        name_of(node, 4).empty() ? Dims(starts.size(), 1) : integers(name_of(node, 4));
    require(ends.size() == starts.size() && axes.size() == starts.size() &&
                steps.size() == starts.size(),
            "starts, ends, axes and steps differ in length");
    StridedSlice slice;
    slice.begin.assign(rank, 0);
    slice.stride.assign(rank, 1);
    Dims dims = in.dims;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const std::int64_t axis = axes[i] < 0 ? axes[i] + static_cast<std::int64_t>(rank) : axes[i];
      require(axis >= 0 && axis < static_cast<std::int64_t>(rank) && steps[i] >= 1,
              fmt::format("axis {}, step {}; supported are positive steps", axes[i], steps[i]));
      const std::int64_t extent = in.dims[static_cast<std::size_t>(axis)];
      const auto place = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
      };
      const std::int64_t begin = place(starts[i]);
      const std::int64_t end = place(ends[i]);
      require(begin < end, "takes nothing");
      dims[static_cast<std::size_t>(axis)] = (end - begin + steps[i] - 1) / steps[i];
      slice.begin[stored_axis(axis, rank)] = static_cast<std::int32_t>(begin);
      slice.stride[stored_axis(axis, rank)] = static_cast<std::int32_t>(steps[i]);
    }
    define(node.output(0), move(in, dims, slice));
  }

  void split(const Node& node) {
    const OnnxAttributes attributes(node);
    const OnnxValue in = input(node, 0);
    const std::size_t rank = in.dims.size();
    const std::int64_t given = attributes.integer("axis", 0);
    const std::int64_t axis = given < 0 ? given + static_cast<std::int64_t>(rank) : given;
    require(axis >= 0 && axis < static_cast<std::int64_t>(rank), fmt::format("axis {}", given));
    const std::int64_t extent = in.dims[static_cast<std::size_t>(axis)];
    const std::int64_t count = node.output_size();
    Dims sizes =
        name_of(node, 1).empty() ? attributes.integers("split", {}) : integers(name_of(node, 1));
    if (sizes.empty()) {
      const std::int64_t part = (extent + count - 1) / count;
      for (std::int64_t i = 0; i < count; ++i) {
        sizes.push_back(std::min(part, extent - i * part));
      }
    }
    require(static_cast<std::int64_t>(sizes.size()) == count, "has as many sizes as outputs");
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t size = sizes[static_cast<std::size_t>(i)];
      require(size >= 1 && at + size <= extent, fmt::format("part {} has size {}", i, size));
      StridedSlice slice;
      slice.begin.assign(rank, 0);
      slice.stride.assign(rank, 1);
      slice.begin[stored_axis(axis, rank)] = static_cast<std::int32_t>(at);
      Dims dims = in.dims;
      dims[static_cast<std::size_t>(axis)] = size;
      const std::int32_t part =
          builder_.moved(fmt::format("{}:{}", name_, i), stored_shape(dims), slice, {in.tensor});
      define(node.output(static_cast<int>(i)), part);
      at += size;
    }
  }

  // Parts of other scales are requantised on their way.
  void concatenate(const std::string& name, const std::vector<OnnxValue>& parts,
                   std::int64_t given_axis, const std::optional<Quantisation>& out) {
    require(!parts.empty(), "needs inputs");
    const std::size_t rank = parts[0].dims.size();
    const std::int64_t axis =
        given_axis < 0 ? given_axis + static_cast<std::int64_t>(rank) : given_axis;
    require(axis >= 0 && axis < static_cast<std::int64_t>(rank),
            fmt::format("axis {}", given_axis));
    Dims dims = parts[0].dims;
    std::vector<std::int32_t> tensors = {parts[0].tensor};
    for (std::size_t i = 1; i < parts.size(); ++i) {
      require(parts[i].dims.size() == rank, "inputs differ in rank");
      dims[static_cast<std::size_t>(axis)] += parts[i].dims[static_cast<std::size_t>(axis)];
      tensors.push_back(parts[i].tensor);
    }
    const std::int32_t tensor =
        builder_.moved(name_, stored_shape(dims),
                       Concatenation{static_cast<std::int32_t>(stored_axis(axis, rank))}, tensors);
    if (out) {
      builder_.tensor(tensor).quantisation = *out;
    }
    define(name, tensor);
  }
  void concat(const Node& node) {
    std::vector<OnnxValue> parts;
    parts.reserve(static_cast<std::size_t>(node.input_size()));
    for (int i = 0; i < node.input_size(); ++i) {
      parts.push_back(input(node, i));
    }
    std::string name = node.output(0);
    std::optional<Quantisation> out;
    const Node* next = only_reader(name);
    if (quantised_ && next != nullptr && next->op_type() == "QuantizeLinear") {
      const Result result = result_of(node, false);
      out = result.quantisation;
      name = result.name;
    }
    concatenate(name, parts, OnnxAttributes(node).integer("axis", 0), out);
  }
  void qlinear_concat(const Node& node) {
    const Quantisation out = read_quantisation(onnx_, name_of(node, 0), name_of(node, 1));
    std::vector<OnnxValue> parts;
    for (int i = 2; i + 2 < node.input_size(); i += 3) {
      parts.push_back(input(node, i));
      set_quantisation(parts.back(),
                       read_quantisation(onnx_, name_of(node, i + 1), name_of(node, i + 2)));
    }
    concatenate(node.output(0), parts, OnnxAttributes(node).integer("axis", 0), out);
  }

  void resize(const Node& node) {
    const OnnxAttributes attributes(node);
    const OnnxValue in = image(input(node, 0));
    const bool upsample = node.op_type() == "Upsample" || onnx_.opset() < 11;
    const int scales_at = upsample ? 1 : 2;
    require(attributes.text("mode", "nearest") == "nearest", "supported is mode `nearest`");
    Dims dims = in.dims;
    if (!name_of(node, 3).empty()) {
      dims = integers(name_of(node, 3));
    } else {
      const OnnxConstant scales = onnx_.constant(name_of(node, scales_at));
      require(scales.values.size() == 4, "needs four scales");
      for (std::size_t d = 0; d < 4; ++d) {
        dims[d] = static_cast<std::int64_t>(
            std::floor(static_cast<double>(in.dims[d]) * std::clamp(scales.values[d], 0.0, 1e6)));
      }
    }
    require(dims.size() == 4 && dims[0] == 1 && dims[1] == in.dims[1] && dims[2] >= 1 &&
                dims[3] >= 1 && dims[2] <= 65535 && dims[3] <= 65535,
            "supported is a resize of height and width");
    const std::string place =
        upsample ? "asymmetric" : attributes.text("coordinate_transformation_mode", "half_pixel");
    const std::string round =
        upsample ? "floor" : attributes.text("nearest_mode", "round_prefer_floor");
    // The rule, among ours, that takes the same pixels.
    for (const ResizeNearest& rule :
         {ResizeNearest{false, false}, ResizeNearest{false, true}, ResizeNearest{true, false}}) {
      if (same_pixels(rule, place, round, in.dims[2], dims[2]) &&
          same_pixels(rule, place, round, in.dims[3], dims[3])) {
        define(node.output(0), move(in, dims, rule));
        return;
      }
    }
    fail(fmt::format("coordinates `{}` rounded by `{}` take other pixels than the supported rules",
                     place, round));
  }
  static bool same_pixels(const ResizeNearest& rule, const std::string& place,
                          const std::string& round, std::int64_t in, std::int64_t out) {
    const double scale = static_cast<double>(out) / static_cast<double>(in);
    for (std::int64_t i = 0; i < out; ++i) {
      const auto x = static_cast<double>(i);
      double at = x / scale;
      if (place == "half_pixel" || (place == "pytorch_half_pixel" && out > 1)) {
        at = (x + 0.5) / scale - 0.5;
      } else if (place == "align_corners") {
        at = out == 1 ? 0 : x * static_cast<double>(in - 1) / static_cast<double>(out - 1);
      } else if (place != "asymmetric") {
        return false;
      }
      double pixel = std::floor(at);
      if (round == "round_prefer_floor") {
        pixel = std::ceil(at - 0.5);
      } else if (round == "round_prefer_ceil") {
        pixel = std::floor(at + 0.5);
      } else if (round == "ceil") {
        pixel = std::ceil(at);
      }
      const auto wanted =
          static_cast<std::int64_t>(std::clamp(pixel, 0.0, static_cast<double>(in - 1)));
      if (nearest_source(rule, static_cast<std::int32_t>(i), static_cast<std::int32_t>(in),
                         static_cast<std::int32_t>(out)) != wanted) {
        return false;
      }
    }
    return true;
  }

  // Its result has scale 1/256, whatever is wanted behind it.
  void softmax(const Node& node) {
    const OnnxValue in = input(node, 0);
    const auto rank = static_cast<std::int64_t>(in.dims.size());
    const std::int64_t axis = OnnxAttributes(node).integer("axis", onnx_.opset() < 13 ? 1 : -1);
    const std::int64_t positive = axis < 0 ? axis + rank : axis;
    const std::size_t last = logical_axis(in.dims.size() - 1, in.dims.size());
    const bool rest_is_one =
        std::all_of(in.dims.begin() + std::min<std::int64_t>(positive + 1, rank), in.dims.end(),
                    [](std::int64_t extent) { return extent == 1; });
    require(
        positive == static_cast<std::int64_t>(last) || (positive >= 0 && rest_is_one && rank != 4),
        fmt::format("axis {}; supported is the channels'", axis));
    const std::int32_t out = move(in, in.dims, Softmax{});
    builder_.tensor(out).quantisation = {{1.0F / 256}, -128};
    define(node.output(0), out);
  }

  void pass(const Node& node) {
    if (onnx_.is_constant(name_of(node, 0))) {
      fail("of a constant is not supported");
    }
    values_[node.output(0)] = input(node, 0);
  }
  void batch_normalization(const Node& node) {
    require(!quantised_, "must be folded into the convolution before it in a quantised model");
    pass(node);
  }
  void constant_node(const Node&) {}  // read where it is used

  void qlinear_function(const Node& node, const std::function<double(double)>& function) {
    const OnnxValue in = input(node, 0);
    set_quantisation(in, read_quantisation(onnx_, name_of(node, 1), name_of(node, 2)));
    map(node.output(0), in, read_quantisation(onnx_, name_of(node, 3), name_of(node, 4)), function);
  }
  void qlinear_sigmoid(const Node& node) {
    qlinear_function(node, [](double x) { return 1 / (1 + std::exp(-x)); });
  }
  void qlinear_leaky_relu(const Node& node) {
    const auto alpha = static_cast<double>(OnnxAttributes(node).number("alpha", 0.01F));
    qlinear_function(node, [alpha](double x) { return x < 0 ? alpha * x : x; });
  }
  void qlinear_global_average_pool(const Node& node) {
    const OnnxValue in = image(input(node, 0));
    require(OnnxAttributes(node).integer("channels_last", 0) == 0, "supported is channels_last 0");
    set_quantisation(in, read_quantisation(onnx_, name_of(node, 1), name_of(node, 2)));
    const std::int32_t out = move(in, {1, in.dims[1], 1, 1}, Mean{});
    builder_.tensor(out).quantisation =
        read_quantisation(onnx_, name_of(node, 3), name_of(node, 4));
    define(node.output(0), out);
  }

  static const std::map<std::string, Handler>& handlers() {
    using I = OnnxImporter;
    static const std::map<std::string, Handler> table = {
        {"QuantizeLinear", &I::quantize_linear},
        {"DequantizeLinear", &I::dequantize_linear},
        {"Conv", &I::conv},
        {"ConvTranspose", &I::conv_transpose},
        {"QLinearConv", &I::qlinear_conv},
        {"Gemm", &I::gemm},
        {"MatMul", &I::matmul},
        {"QLinearMatMul", &I::qlinear_matmul},
        {"QGemm", &I::qgemm},
        {"Add", &I::add},
        {"Sub", &I::sub},
        {"Mul", &I::mul},
        {"QLinearAdd", &I::qlinear_add},
        {"QLinearMul", &I::qlinear_mul},
        {"Relu", &I::relu},
        {"Clip", &I::clip},
        {"LeakyRelu", &I::leaky_relu},
        {"Sigmoid", &I::sigmoid},
        {"Tanh", &I::tanh},
        {"HardSwish", &I::hard_swish},
        {"HardSigmoid", &I::hard_sigmoid},
        {"QLinearSigmoid", &I::qlinear_sigmoid},
        {"QLinearLeakyRelu", &I::qlinear_leaky_relu},
        {"MaxPool", &I::max_pool},
        {"AveragePool", &I::average_pool},
        {"GlobalAveragePool", &I::global_average_pool},
        {"QLinearGlobalAveragePool", &I::qlinear_global_average_pool},
        {"ReduceMean", &I::reduce_mean},
        {"Reshape", &I::reshape},
        {"Flatten", &I::flatten},
        {"Squeeze", &I::squeeze},
        {"Unsqueeze", &I::unsqueeze},
        {"Transpose", &I::transpose},
        {"Pad", &I::pad},
        {"Slice", &I::slice},
        {"Split", &I::split},
        {"Concat", &I::concat},
        {"QLinearConcat", &I::qlinear_concat},
        {"Resize", &I::resize},
        {"Upsample", &I::resize},
        {"Softmax", &I::softmax},
        {"Identity", &I::pass},
        {"Dropout", &I::pass},
        {"BatchNormalization", &I::batch_normalization},
        {"Constant", &I::constant_node},
    };
    return table;
  }

  void read_node(const Node& node) {
    const auto handler = handlers().find(node.op_type());
    if (handler == handlers().end()) {
      std::vector<std::string> names;
      for (const auto& entry : handlers()) {
        names.push_back(entry.first);
      }
      fail(fmt::format("is not supported; supported are {}", fmt::join(names, ", ")));
    }
    require(node.output_size() >= 1, "has no output");
    (this->*handler->second)(node);
  }

  // Float outputs of quantised models are dequantised on the host.
  std::int32_t network_output(const std::string& name) {
    const OnnxValue& v = value(name);
    const onnx::NodeProto* producer = onnx_.producer_of(name);
    const bool quantised_output = producer == nullptr || producer->op_type() == "QuantizeLinear" ||
                                  producer->op_type()[0] == 'Q';
    const auto type = [&] {
      for (const auto& output : onnx_.graph().output()) {
        if (output.name() == name) {
          return output.type().tensor_type().elem_type();
        }
      }
      return 0;
    }();
    if (!quantised_ || quantised_output || type != onnx::TensorProto::FLOAT ||
        builder_.tensor(v.tensor).type == DataType::Float32) {
      return v.tensor;
    }
    const std::int32_t out = builder_.moved(name + "/dequantised", builder_.tensor(v.tensor).shape,
                                            Dequantize{}, {v.tensor});
    builder_.tensor(out).type = DataType::Float32;
    return out;
  }

  OnnxGraph onnx_;
  NetworkBuilder builder_;
  bool quantised_ = false;
  bool wide_ = false;  // constants are operands of images
  std::map<std::string, OnnxValue> values_;
  std::set<const Node*> done_;  // nodes that became part of another one
  std::set<std::string> names_;
  std::string where_;
  std::string name_;  // of the node at hand
};

}  // namespace

Network import_onnx(const std::vector<std::uint8_t>& data, const std::string& name,
                    std::uint64_t seed, bool seeded_weights) {
  return OnnxImporter(data, name, seed, seeded_weights).run();
}

}  // namespace tessera

// Values, results, and which node is read by what.
#include "network/import/onnx/onnx_importer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "tessera/import.hpp"

namespace tessera {

namespace {}  // namespace

OnnxImporter::OnnxImporter(const std::vector<std::uint8_t>& data, const std::string& name,
                           std::uint64_t seed, bool seeded_weights)
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

Network OnnxImporter::run() {
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

void OnnxImporter::fail(const std::string& text) const {
  onnx_.fail(where_ + text);
}

void OnnxImporter::require(bool condition, const std::string& text) const {
  if (!condition) {
    fail(text);
  }
}

void OnnxImporter::add_input(const onnx::ValueInfoProto& input) {
  where_ = fmt::format("input `{}`: ", input.name());
  const auto& type = input.type().tensor_type();
  Dims dims;
  std::int64_t elements = 1;
  for (const auto& dim : type.shape().dim()) {
    // A dimension by name is the batch, as a rule.
    dims.push_back(dim.has_dim_value() && dim.dim_value() > 0 ? dim.dim_value() : 1);
    elements = std::min(elements * std::min(dims.back(), kMostExtent), kMostElements + 1);
    require(dims.back() <= kMostExtent && elements <= kMostElements,
            fmt::format("extent {}", dims.back()));
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

const OnnxValue& OnnxImporter::value(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    fail(fmt::format("`{}` has no value here", name));
  }
  return found->second;
}

const OnnxValue& OnnxImporter::input(const Node& node, int i) const {
  require(i < node.input_size() && !node.input(i).empty(), fmt::format("input {} is missing", i));
  return value(node.input(i));
}

std::string OnnxImporter::name_of(const Node& node, int i) {
  return i < node.input_size() ? node.input(i) : "";
}

void OnnxImporter::set_quantisation(const OnnxValue& v, const Quantisation& quantisation) {
  Tensor& tensor = builder_.tensor(v.tensor);
  if (tensor.quantisation.scales.empty()) {
    tensor.quantisation = quantisation;
  }
  require(tensor.quantisation.scales == quantisation.scales &&
              tensor.quantisation.zero_point == quantisation.zero_point,
          "reads a value with another scale or zero point than it was written with");
}

void OnnxImporter::define(const std::string& name, std::int32_t tensor) {
  values_[name] = {tensor, logical_dims(builder_.tensor(tensor).shape)};
}

std::string OnnxImporter::unique_name(const Node& node, std::size_t index) {
  std::string name =
      node.name().empty() ? fmt::format("{}_{}", node.op_type(), index) : node.name();
  while (!names_.insert(name).second) {
    name += fmt::format("_{}", index);
  }
  return name;
}

const OnnxImporter::Node* OnnxImporter::only_reader(const std::string& name) const {
  const auto readers = onnx_.readers_of(name);
  return readers.size() == 1 ? readers[0] : nullptr;
}

OnnxImporter::Result OnnxImporter::result_of(const Node& node, bool activations) {
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

Activation OnnxImporter::activation_of(const Node& node) const {
  if (node.op_type() == "Relu") {
    return Activation::Relu;
  }
  if (node.op_type() != "Clip") {
    return Activation::None;
  }
  const auto [low, high] = clip_limits(node);
  return low == 0.0 && high == 6.0 ? Activation::Relu6 : Activation::None;
}

std::pair<double, double> OnnxImporter::clip_limits(const Node& node) const {
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

OnnxConstant OnnxImporter::clip_constant(const std::string& name) const {
  const Node* producer = onnx_.producer_of(name);
  if (producer != nullptr && producer->op_type() == "DequantizeLinear") {
    const OnnxWeights weights =
        read_weights(onnx_, name_of(*producer, 0), name_of(*producer, 1), name_of(*producer, 2), 0);
    OnnxConstant constant;
    for (const std::int32_t v : weights.values) {
      constant.values.push_back(static_cast<double>(weights.scales.at(0)) * v);
    }
    return constant;
  }
  return onnx_.constant(name);
}

void OnnxImporter::finish(const Result& result, std::int32_t tensor) {
  if (result.quantisation) {
    builder_.tensor(tensor).quantisation = *result.quantisation;
  }
  define(result.name, tensor);
}

bool OnnxImporter::is_given(const std::string& name) const {
  const Node* producer = onnx_.producer_of(name);
  return onnx_.is_constant(name) ||
         (producer != nullptr && producer->op_type() == "DequantizeLinear" &&
          onnx_.is_constant(name_of(*producer, 0)));
}

OnnxImporter::Dims OnnxImporter::given_dims(const std::string& name) const {
  require(is_given(name), fmt::format("`{}` must be a constant", name));
  return onnx_.dims_of(onnx_.is_constant(name) ? name : name_of(*onnx_.producer_of(name), 0));
}

const OnnxValue& OnnxImporter::image(const OnnxValue& v) const {
  require(v.dims.size() == 4 && v.dims[0] == 1,
          fmt::format("reads a value of shape [{}]; supported are images [1, channels, height, "
                      "width]",
                      fmt::join(v.dims, ", ")));
  return v;
}

void OnnxImporter::quantize_linear(const Node& node) {
  const OnnxValue in = input(node, 0);
  const Quantisation wanted = read_quantisation(onnx_, name_of(node, 1), name_of(node, 2));
  requantise(node.output(0), in, wanted);
}

void OnnxImporter::requantise(const std::string& name, const OnnxValue& in,
                              const Quantisation& wanted) {
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

void OnnxImporter::dequantize_linear(const Node& node) {
  if (onnx_.is_constant(name_of(node, 0))) {
    return;
  }
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(onnx_, name_of(node, 1), name_of(node, 2)));
  values_[node.output(0)] = in;
}

std::int32_t OnnxImporter::move(const OnnxValue& in, const Dims& dims, Attributes attributes) {
  return builder_.moved(name_, stored_shape(dims), std::move(attributes), {in.tensor});
}

OnnxImporter::Dims OnnxImporter::integers(const std::string& name) const {
  const OnnxConstant constant = onnx_.constant(name);
  require(constant.type == onnx::TensorProto::INT64 || constant.type == onnx::TensorProto::INT32,
          fmt::format("`{}` must be int64", name));
  Dims result;
  for (const double v : constant.values) {
    // Ends are often the greatest int64.
    result.push_back(static_cast<std::int64_t>(std::clamp(v, -1e9, 1e9)));
  }
  return result;
}

void OnnxImporter::pass(const Node& node) {
  if (onnx_.is_constant(name_of(node, 0))) {
    fail("of a constant is not supported");
  }
  values_[node.output(0)] = input(node, 0);
}

void OnnxImporter::batch_normalization(const Node& node) {
  require(!quantised_, "must be folded into the convolution before it in a quantised model");
  pass(node);
}

void OnnxImporter::constant_node(const Node&) {}  // read where it is used

const std::map<std::string, OnnxImporter::Handler>& OnnxImporter::handlers() {
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

void OnnxImporter::read_node(const Node& node) {
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

std::int32_t OnnxImporter::network_output(const std::string& name) {
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

Network import_onnx(const std::vector<std::uint8_t>& data, const std::string& name,
                    const ImportOptions& options) {
  return OnnxImporter(data, name, options.seed, options.seeded_weights).run();
}

}  // namespace tessera

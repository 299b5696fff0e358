// The run over the graph: inputs, node after node, outputs, and what is left out.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "network/import/onnx/onnx_importer.hpp"
#include "network/numerics.hpp"
#include "network/wide_sums.hpp"
#include "tessera/error.hpp"

namespace tessera {

OnnxImporter::OnnxImporter(const std::vector<std::uint8_t>& data, const std::string& name,
                           const ImportOptions& options)
    : onnx_(data, name), options_(options), builder_(name, options.seed) {
  for (const Node& node : onnx_.graph().node()) {
    quantised_ = quantised_ || node.op_type().find("Linear") != std::string::npos ||
                 node.op_type() == "MatMulInteger" || node.op_type() == "ConvInteger" ||
                 node.op_type() == "QGemm";
  }
  find_kinds();
  if (quantised_) {
    return;
  }
  quantised_ = options.in_float;
  if (!options.in_float) {
    if (!options.seeded_weights) {
      onnx_.fail(
          "a float model has shapes but no quantisation; with `weights: seeded` it runs with "
          "weights from the seed, with `weights: float` in float on the host");
    }
    builder_.note("a float model has only its shapes here: all values are drawn from the seed");
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
    if (done_.count(&node) == 0) {
      try_node(node, index);
    }
    ++index;
  }
  where_.clear();
  if (!failures_.empty() && !options_.cut) {
    fail(failures_.size() == 1
             ? failures_[0]
             : fmt::format("{} nodes are in the way:\n  {}\n(`unsupported: cut` runs what comes "
                           "before them)",
                           failures_.size(), fmt::join(failures_, "\n  ")));
  }
  for (const auto& output : onnx_.graph().output()) {
    if (missing_.count(output.name()) == 0) {
      add_output(output);
    }
  }
  cut();
  list_file_tensors();
  Network network = builder_.finish();
  // Values from the seed are no runtime's.
  const bool by_file = options_.numerics == Numerics::Auto && quantised_;
  round_as(by_file ? Numerics::OnnxRuntime : options_.numerics, network);
  bound_scaled_sums(network);
  return network;
}

// Values between DequantizeLinear and QuantizeLinear are float there, whatever they are here.
void OnnxImporter::list_file_tensors() const {
  if (options_.file_tensors == nullptr) {
    return;
  }
  // A runtime that must show a float next to a quantised value does not compute them as one. Floats
  // that are only moved say nothing, and ONNX Runtime 1.32 shows some of them in another order.
  const std::set<std::string> moves = {"Flatten", "Identity",  "Reshape",
                                       "Squeeze", "Transpose", "Unsqueeze"};
  std::set<std::string> joined;
  for (const Node& node : onnx_.graph().node()) {
    if (node.op_type() == "QuantizeLinear") {
      joined.insert(node.input(0));
    } else if (node.op_type() == "DequantizeLinear" ||
               (moves.count(node.op_type()) != 0 && kind_of(node.output(0)) == ValueKind::Float)) {
      joined.insert(node.output(0));
    }
  }
  for (const auto& graph_input : onnx_.graph().input()) {
    joined.erase(graph_input.name());
  }
  const auto is_input = [&](const std::string& name) {
    const auto& inputs = onnx_.graph().input();
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const auto& input) { return input.name() == name; });
  };
  std::set<std::int32_t> listed;
  for (const FileTensor& output : *options_.file_tensors) {
    listed.insert(output.tensor);
  }
  for (const auto& [name, v] : values_) {
    const Tensor& tensor = builder_.tensor(v.tensor);
    const ValueKind kind = kind_of(name);
    // Whole numbers are those of inputs: others may be of another type there.
    const bool is_same = tensor.type == DataType::Int8      ? kind != ValueKind::Float
                         : tensor.type == DataType::Float32 ? kind == ValueKind::Float
                                                            : is_input(name);
    if (!tensor.constant.empty() || !is_same || joined.count(name) != 0 ||
        !listed.insert(v.tensor).second) {
      continue;
    }
    options_.file_tensors->push_back(
        in_file(name, v, tensor.type == DataType::Int8 && kind == ValueKind::Unsigned));
  }
}

FileTensor OnnxImporter::in_file(const std::string& name, const OnnxValue& v, bool is_unsigned) {
  FileTensor file{v.tensor, name, -1, {}};
  file.form.is_unsigned = is_unsigned;
  file.form.shape.assign(v.dims.begin(), v.dims.end());
  file.form.order.assign(v.order.begin(), v.order.end());
  return file;
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
  for (const auto& dim : type.shape().dim()) {
    const bool given = dim.has_dim_value() && dim.dim_value() > 0;
    require(given || dims.empty(),
            fmt::format("dimension {} (`{}`) has no size; only the first may be open, it is taken "
                        "as 1",
                        dims.size(), dim.dim_param()));
    if (!given) {
      builder_.note(fmt::format("{}its first dimension{} is open and taken as 1", where_,
                                dim.dim_param().empty() ? "" : " `" + dim.dim_param() + "`"));
    }
    dims.push_back(given ? dim.dim_value() : 1);
  }
  const auto elem = type.elem_type();
  const bool is_float = elem == onnx::TensorProto::FLOAT;
  const std::map<std::int32_t, DataType> types = {
      {onnx::TensorProto::FLOAT, DataType::Float32}, {onnx::TensorProto::INT8, DataType::Int8},
      {onnx::TensorProto::UINT8, DataType::Int8},    {onnx::TensorProto::INT32, DataType::Int32},
      {onnx::TensorProto::INT64, DataType::Int64},   {onnx::TensorProto::BOOL, DataType::Bool}};
  const auto type_found = types.find(elem);
  require(
      type_found != types.end() && (quantised_ || type_found->second <= DataType::Int8 || is_float),
      fmt::format("type {}; supported are float, int8 and uint8, in quantised models int32, "
                  "int64 and bool as well",
                  elem));
  Order order = wanted_order(input.name(), dims.size(), 0).value_or(plain_order(dims.size()));
  Order sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != plain_order(dims.size())) {
    order = plain_order(dims.size());
  }
  const std::int32_t index = builder_.input(input.name(), stored_shape(dims, order));
  Tensor& tensor = builder_.tensor(index);
  if (quantised_) {
    tensor.type = type_found->second;
    tensor.quantisation = {};
  }
  tensor.form.is_unsigned = elem == onnx::TensorProto::UINT8;
  if (order != plain_order(dims.size())) {
    tensor.form.shape = stored_shape(dims, plain_order(dims.size()));
    tensor.form.order.assign(order.begin(), order.end());
  }
  define(input.name(), index, dims, order);
}

std::string OnnxImporter::unique_name(const Node& node, std::size_t index) {
  std::string name =
      node.name().empty() ? fmt::format("{}_{}", node.op_type(), index) : node.name();
  while (!names_.insert(name).second) {
    name += fmt::format("_{}", index);
  }
  return name;
}

void OnnxImporter::try_node(const Node& node, std::size_t index) {
  where_ = fmt::format("node {} ({}, `{}`): ", index, node.op_type(), node.name());
  name_ = unique_name(node, index);
  const std::size_t operators = builder_.network().operators.size();
  const std::set<const Node*> done = done_;
  try {
    read_node(node);
    for (std::size_t i = operators; i < builder_.network().operators.size(); ++i) {
      try {
        check_operator(builder_.network(), builder_.network().operators[i]);
      } catch (const InputError& error) {
        // The file's name and the operator's stand in front already.
        const std::string text = error.what();
        const std::size_t colon = text.find(": ", builder_.network().name.size() + 2);
        fail(colon == std::string::npos ? text : text.substr(colon + 2));
      }
    }
  } catch (const InputError& error) {
    builder_.truncate(operators);
    reordered_.clear();
    floats_.clear();
    done_ = done;
    leave_out(node, error.what());
  }
}

void OnnxImporter::leave_out(const Node& node, const std::string& why) {
  const std::string& file = builder_.network().name;
  const std::string text = why.rfind(file + ": ", 0) == 0 ? why.substr(file.size() + 2) : why;
  // What only lacks its inputs is not in the way itself.
  const bool lacks = std::any_of(node.input().begin(), node.input().end(),
                                 [&](const std::string& in) { return missing_.count(in) != 0; });
  if (!lacks) {
    failures_.push_back(text);
  }
  left_out_.push_back(text);
  for (const std::string& in : node.input()) {
    if (const auto found = values_.find(in); found != values_.end()) {
      open_ends_.push_back(found->second.tensor);
    }
  }
  for (const std::string& out : node.output()) {
    values_.erase(out);
    missing_[out] = node.name().empty() ? node.op_type() : fmt::format("`{}`", node.name());
  }
}

// The tensors at the cut become outputs.
void OnnxImporter::cut() {
  std::vector<bool> computed(builder_.network().tensors.size(), false);
  for (const Operator& op : builder_.network().operators) {
    computed[static_cast<std::size_t>(op.output)] = true;
  }
  for (const std::int32_t tensor : open_ends_) {
    const auto& outputs = builder_.network().outputs;
    if (computed[static_cast<std::size_t>(tensor)] &&
        std::find(outputs.begin(), outputs.end(), tensor) == outputs.end()) {
      builder_.output(tensor);
    }
  }
  require(!builder_.network().outputs.empty(),
          fmt::format("nothing is left when what is not supported is cut off:\n  {}",
                      fmt::join(left_out_, "\n  ")));
  builder_.leave_out(left_out_);
}

const std::map<std::string, OnnxImporter::Handler>& OnnxImporter::handlers() {
  using I = OnnxImporter;
  static const std::map<std::string, Handler> table = {
      {"QuantizeLinear", &I::quantize_linear},
      {"DequantizeLinear", &I::dequantize_linear},
      {"DynamicQuantizeLinear", &I::dynamic_quantize_linear},
      {"MatMulInteger", &I::matmul_integer},
      {"ConvInteger", &I::conv_integer},
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
      {"Div", &I::div},
      {"Pow", &I::pow},
      {"Min", &I::min},
      {"Max", &I::max},
      {"QLinearAdd", &I::qlinear_add},
      {"QLinearMul", &I::qlinear_mul},
      {"Relu", &I::relu},
      {"Clip", &I::clip},
      {"LeakyRelu", &I::leaky_relu},
      {"PRelu", &I::prelu},
      {"Elu", &I::elu},
      {"Sigmoid", &I::sigmoid},
      {"Tanh", &I::tanh},
      {"HardSwish", &I::hard_swish},
      {"HardSigmoid", &I::hard_sigmoid},
      {"Gelu", &I::gelu},
      {"Abs", &I::plain_function},
      {"Neg", &I::plain_function},
      {"Sqrt", &I::plain_function},
      {"Exp", &I::plain_function},
      {"Log", &I::plain_function},
      {"Floor", &I::plain_function},
      {"Ceil", &I::plain_function},
      {"Round", &I::plain_function},
      {"Erf", &I::plain_function},
      {"Sign", &I::plain_function},
      {"Sin", &I::plain_function},
      {"Cos", &I::plain_function},
      {"Reciprocal", &I::table_function},
      {"Softplus", &I::table_function},
      {"Softsign", &I::table_function},
      {"Mish", &I::table_function},
      {"ThresholdedRelu", &I::table_function},
      {"Celu", &I::table_function},
      {"Selu", &I::table_function},
      {"LogSoftmax", &I::log_softmax},
      {"QLinearSigmoid", &I::qlinear_sigmoid},
      {"QLinearLeakyRelu", &I::qlinear_leaky_relu},
      {"QLinearSoftmax", &I::qlinear_softmax},
      {"MaxPool", &I::max_pool},
      {"AveragePool", &I::average_pool},
      {"QLinearAveragePool", &I::qlinear_average_pool},
      {"GlobalAveragePool", &I::global_average_pool},
      {"GlobalMaxPool", &I::global_max_pool},
      {"QLinearGlobalAveragePool", &I::qlinear_global_average_pool},
      {"ReduceMean", &I::reduce_mean},
      {"ReduceMax", &I::reduce_max},
      {"ReduceMin", &I::reduce_min},
      {"ReduceSum", &I::reduce_sum},
      {"ReduceProd", &I::reduce_prod},
      {"ReduceL1", &I::reduce_function},
      {"ReduceL2", &I::reduce_function},
      {"ReduceSumSquare", &I::reduce_function},
      {"ArgMax", &I::arg},
      {"ArgMin", &I::arg},
      {"Reshape", &I::reshape},
      {"Flatten", &I::flatten},
      {"Squeeze", &I::squeeze},
      {"Unsqueeze", &I::unsqueeze},
      {"Transpose", &I::transpose},
      {"DepthToSpace", &I::depth_to_space},
      {"SpaceToDepth", &I::space_to_depth},
      {"Pad", &I::pad},
      {"Slice", &I::slice},
      {"Split", &I::split},
      {"Gather", &I::gather},
      {"Tile", &I::tile},
      {"Expand", &I::expand},
      {"Concat", &I::concat},
      {"QLinearConcat", &I::qlinear_concat},
      {"Resize", &I::resize},
      {"Upsample", &I::resize},
      {"Softmax", &I::softmax},
      {"Where", &I::where},
      {"Cast", &I::cast},
      {"Identity", &I::pass},
      {"Dropout", &I::pass},
      {"BatchNormalization", &I::batch_normalization},
      {"LayerNormalization", &I::layer_normalization},
      {"RMSNormalization", &I::rms_normalization},
      {"SimplifiedLayerNormalization", &I::rms_normalization},
      {"SkipLayerNormalization", &I::skip_layer_normalization},
      {"SkipSimplifiedLayerNormalization", &I::skip_rms_normalization},
      {"Einsum", &I::einsum},
      {"Constant", &I::known_node},
      {"ConstantOfShape", &I::known_node},
      {"Range", &I::known_node},
      {"Shape", &I::known_node},
      {"Size", &I::known_node},
  };
  return table;
}

void OnnxImporter::read_node(const Node& node) {
  const auto handler = handlers().find(node.op_type());
  if (handler == handlers().end()) {
    fail("is not supported (docs/reference/operators.md lists what is)");
  }
  require(node.output_size() >= 1, "has no output");
  for (const std::string& in : node.input()) {
    if (const auto missing = missing_.find(in); missing != missing_.end()) {
      fail(fmt::format("reads what {} would compute", missing->second));
    }
  }
  for (const std::string& in : node.input()) {
    require(!quantised_ || takes_bytes(node.op_type()) || values_.count(in) == 0 ||
                !is_quantised(value(in)) || kind_of(in) == ValueKind::Float,
            fmt::format("computes with the bytes of `{}`, not with what they stand for", in));
  }
  if (is_known(node.output(0))) {
    // Weights are computed where they are used; the arithmetic of shapes at once, while what it
    // looks at is there.
    const std::string& type = node.op_type();
    if (type != "DequantizeLinear" && type != "Constant" && type != "Transpose" &&
        type != "QuantizeLinear" && type != "Identity") {
      folded_[node.output(0)] = computed(node);
    }
    return;
  }
  if (has_batches(node)) {
    read_by_batches(node, handler->second);
  } else {
    (this->*handler->second)(node);
  }
}

void OnnxImporter::add_output(const onnx::ValueInfoProto& output) {
  const std::string& name = output.name();
  where_ = fmt::format("output `{}`: ", name);
  OnnxValue v = value(name);
  const auto type = output.type().tensor_type().elem_type();
  // Float outputs of quantised models are dequantised on the host.
  if (quantised_ && type == onnx::TensorProto::FLOAT) {
    name_ = name;
    v = as_float(v);
  }
  // One tensor has one form: what is an input, or an output already, gets another name.
  const Network& network = builder_.network();
  const auto taken = [&](const std::vector<std::int32_t>& tensors) {
    return std::find(tensors.begin(), tensors.end(), v.tensor) != tensors.end();
  };
  if (taken(network.inputs) || taken(network.outputs)) {
    name_ = name;
    v.tensor = moved(v, builder_.tensor(v.tensor).shape, Reshape{}, "/output");
  }
  Tensor& tensor = builder_.tensor(v.tensor);
  tensor.form.is_unsigned = type == onnx::TensorProto::UINT8 && tensor.type == DataType::Int8;
  if (v.order != plain_order(v.dims.size())) {
    tensor.form.shape = stored_shape(v.dims, plain_order(v.dims.size()));
    tensor.form.order.assign(v.order.begin(), v.order.end());
  }
  builder_.output(v.tensor);
  if (options_.file_tensors != nullptr) {
    options_.file_tensors->push_back(in_file(name, v, tensor.form.is_unsigned));
  }
}

Network import_onnx(const std::vector<std::uint8_t>& data, const std::string& name,
                    const ImportOptions& options) {
  return OnnxImporter(data, name, options).run();
}

}  // namespace tessera

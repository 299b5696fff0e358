#include <fmt/format.h>
#include <algorithm>

#include "network/import/tflite/readers.hpp"
#include "network/import/tflite/tflite_states.hpp"
#include "tessera/error.hpp"
#include "tessera/import.hpp"

namespace tessera {
namespace {

const TfliteKinds& kinds() {
  static const TfliteKinds all = [] {
    TfliteKinds result = tflite_windows();
    result.merge(tflite_moves());
    result.merge(tflite_arrangements());
    result.merge(tflite_host());
    result.merge(tflite_functions());
    return result;
  }();
  return all;
}

constexpr std::int32_t kCustom = 32;

// TensorFlow Lite's names of operators that are not supported.
std::string name_in_parentheses(std::int32_t builtin) {
  static const std::map<std::int32_t, const char*> names = {
      {7, "EMBEDDING_LOOKUP"},
      {10, "HASHTABLE_LOOKUP"},
      {12, "L2_POOL_2D"},
      {13, "LOCAL_RESPONSE_NORMALIZATION"},
      {15, "LSH_PROJECTION"},
      {16, "LSTM"},
      {24, "RNN"},
      {27, "SVDF"},
      {35, "UNIDIRECTIONAL_SEQUENCE_RNN"},
      {44, "UNIDIRECTIONAL_SEQUENCE_LSTM"},
      {46, "BIDIRECTIONAL_SEQUENCE_RNN"},
      {48, "TOPK_V2"},
      {52, "BIDIRECTIONAL_SEQUENCE_LSTM"},
      {68, "SPARSE_TO_DENSE"},
      {80, "FAKE_QUANT"},
      {85, "ONE_HOT"},
      {93, "ZEROS_LIKE"},
      {94, "FILL"},
      {96, "RANGE"},
      {103, "UNIQUE"},
      {106, "ADD_N"},
      {109, "WHERE"},
      {110, "RANK"},
      {112, "REVERSE_SEQUENCE"},
      {113, "MATRIX_DIAG"},
      {115, "MATRIX_SET_DIAG"},
      {118, "IF"},
      {119, "WHILE"},
      {120, "NON_MAX_SUPPRESSION_V4"},
      {121, "NON_MAX_SUPPRESSION_V5"},
      {122, "SCATTER_ND"},
      {124, "DENSIFY"},
      {125, "SEGMENT_SUM"},
      {128, "CUMSUM"},
      {131, "RFFT2D"},
      {132, "CONV_3D"},
  };
  const auto found = names.find(builtin);
  return found == names.end() ? "" : fmt::format(" ({})", found->second);
}

std::int32_t known_builtin(const tflite::Model& model, const tflite::Operator& source,
                           const TfliteGraph& graph) {
  const std::int32_t builtin = builtin_of(model, source);
  graph.require(builtin >= 0, "its operator code does not exist");
  return builtin;
}

const TfliteKind& kind_of(const tflite::Model& model, const tflite::Operator& source,
                          const TfliteGraph& graph) {
  const std::int32_t builtin = known_builtin(model, source, graph);
  const auto* code = model.operator_codes()->Get(source.opcode_index());
  const std::string custom = code->custom_code() != nullptr ? code->custom_code()->str() : "";
  if (builtin == kCustom && custom == tflite_detection().name) {
    return tflite_detection();
  }
  graph.require(custom != "ethos-u",
                "was compiled for an Ethos-U by Vela: its operators are a command stream by now; "
                "give the model that Vela read");
  const auto entry = kinds().find(builtin);
  graph.require(
      entry != kinds().end(),
      custom.empty()
          ? fmt::format("builtin operator {}{} is not supported (docs/reference/operators.md lists "
                        "what is)",
                        builtin, name_in_parentheses(builtin))
          : fmt::format(
                "custom operator `{}` is not supported (docs/reference/operators.md lists what is)",
                custom));
  return entry->second;
}

// Inputs in our order, and with weights around zero.
void select_inputs(Operator& op, TfliteInputs inputs, bool is_dense, TfliteGraph& graph) {
  if (inputs == TfliteInputs::Transposed) {
    // The output's shape comes first; the output tensor has it too.
    graph.require(op.inputs.size() >= 3, "needs the output's shape, a kernel and a feature");
    std::vector<std::int32_t> ours = {op.inputs[2], op.inputs[1]};
    ours.insert(ours.end(), op.inputs.begin() + 3, op.inputs.end());
    op.inputs = std::move(ours);
  }
  const bool has_kernel = inputs == TfliteInputs::Kernel || inputs == TfliteInputs::Transposed;
  if (has_kernel && op.inputs.size() > 1) {
    // Of signed ones only fully connected layers' have a zero point.
    graph.centre_kernel(op.inputs[1], is_dense);
  }
}

// A fully connected layer whose weights another operator computes is a product of matrices.
void add_computed_dense(const Operator& op, TfliteGraph& graph) {
  const Activation activation = std::get<FullyConnected>(op.attributes).activation;
  const std::vector<std::int32_t> kernel = graph.tensor(op.inputs[1]).shape;
  const std::int64_t elements = graph.tensor(op.inputs[0]).elements();
  graph.require(kernel.size() == 2 && kernel[1] >= 1 && elements % kernel[1] == 0,
                "computed weights must have shape [outputs, inputs]");
  const bool has_bias = op.inputs.size() > 2 && op.inputs[2] >= 0;
  if (has_bias) {
    const auto& bias = graph.tensor(op.inputs[2]).constant;
    graph.require(!bias.empty() && std::all_of(bias.begin(), bias.end(),
                                               [](std::uint8_t byte) { return byte == 0; }),
                  "computed weights with a bias are not supported");
  }
  graph.require(activation != Activation::ReluN1To1,
                "computed weights with RELU_N1_TO_1 are not supported");
  const auto rows = static_cast<std::int32_t>(elements / kernel[1]);
  const std::int32_t feature = graph.new_tensor("rows", {rows, kernel[1]}, op.inputs[0]);
  graph.add(Reshape{}, {op.inputs[0]}, feature);
  const std::int32_t product = graph.new_tensor("product", {rows, kernel[0]}, op.output);
  graph.add(HostOperator{HostKind::BatchMatMul, {0, 1, 1}, {}}, {feature, op.inputs[1]}, product);
  std::int32_t result = product;
  if (activation != Activation::None) {
    result = graph.new_tensor("cut", {rows, kernel[0]}, op.output);
    Unary cut;
    cut.kind = activation == Activation::Relu ? UnaryKind::Relu : UnaryKind::Relu6;
    graph.add(cut, {product}, result);
  }
  graph.add(Reshape{}, {result}, op.output);
}

// What runtimes read packed: weights, and what they unpack themselves.
void check_packed(const Operator& op, std::string_view name, const TfliteGraph& graph) {
  const bool reads_packed = name == "DEQUANTIZE" || name == "GATHER";
  const bool has_packed_weights =
      name == "CONV_2D" || name == "DEPTHWISE_CONV_2D" || name == "FULLY_CONNECTED";
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    graph.require(op.inputs[i] < 0 || graph.tensor(op.inputs[i]).form.bits == 8 || reads_packed ||
                      (has_packed_weights && i == 1),
                  "reads values of less than 8 bits; supported are weights of CONV_2D, "
                  "DEPTHWISE_CONV_2D and FULLY_CONNECTED");
  }
}

void read_operator(const tflite::Operator& source, const TfliteKind& kind, TfliteGraph& graph) {
  graph.require(source.inputs() != nullptr && source.outputs() != nullptr,
                "needs inputs and outputs");
  Operator op;
  op.inputs = values_of(source.inputs());
  const std::vector<std::int32_t> outputs = values_of(source.outputs());
  graph.check_tensors(op.inputs, -1);
  graph.check_tensors(outputs, 0);
  graph.check_usable(op.inputs);
  graph.check_usable(outputs);
  graph.claim(outputs);
  check_packed(op, kind.name, graph);
  if (kind.operators != nullptr) {
    read_in_batches(graph, kind, op);
    kind.operators(graph, source, op, outputs);
    return;
  }
  graph.require(outputs.size() == 1,
                fmt::format("has {} outputs; it must have one", outputs.size()));
  op.output = outputs[0];
  const bool is_dense = kind.name == std::string_view("FULLY_CONNECTED");
  select_inputs(op, kind.inputs, is_dense, graph);
  op.attributes = kind.attributes(graph, {source, op});
  if (is_dense && op.inputs.size() > 1 && op.inputs[1] >= 0 &&
      graph.tensor(op.inputs[1]).constant.empty() &&
      graph.tensor(op.inputs[1]).type == DataType::Int8) {
    add_computed_dense(op, graph);
    return;
  }
  if (read_in_batches(graph, kind, op)) {
    return;
  }
  if (kind.inputs == TfliteInputs::First) {
    op.inputs.resize(1);
  }
  graph.add(std::move(op));
}

Network import_model(const tflite::Model& model, const std::string& name,
                     const ImportOptions& options) {
  TfliteGraph graph(model, name, options);
  TfliteStates states(model, graph);
  std::size_t index = 0;
  for (const tflite::Operator* op : *graph.subgraph().operators()) {
    graph.at(fmt::format("operator {}: ", index));
    graph.read(*op, index, [&] {
      if (const std::int32_t builtin = known_builtin(model, *op, graph);
          TfliteStates::is_one(builtin)) {
        graph.at(fmt::format("operator {} ({}): ", index, TfliteStates::name_of(builtin)));
        states.read(*op, builtin);
        return;
      }
      const TfliteKind& kind = kind_of(model, *op, graph);
      graph.at(fmt::format("operator {} ({}): ", index, kind.name));
      graph.call(kind.name);
      read_operator(*op, kind, graph);
    });
    ++index;
  }
  states.finish();
  return graph.finish();
}

}  // namespace

Network import_tflite(const std::vector<std::uint8_t>& data, const std::string& name,
                      const ImportOptions& options) {
  flatbuffers::Verifier verifier(data.data(), data.size(), 32, 1000000);
  if (data.size() < 8 || !flatbuffers::BufferHasIdentifier(data.data(), "TFL3") ||
      !tflite::VerifyModelBuffer(verifier)) {
    throw InputError(name + ": not a TensorFlow Lite model, or a damaged one");
  }
  return import_model(*tflite::GetModel(data.data()), name, options);
}

}  // namespace tessera

// Which values ONNX has as floats, and which as signed or unsigned bytes.
#include <set>

#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {
namespace {

constexpr int kOfInput = -1;
constexpr int kFloat = -2;

// The input whose type is the output's: a zero point, or what passes through.
int type_giver(const std::string& type) {
  static const std::map<std::string, int> table = {{"DequantizeLinear", kFloat},
                                                   {"DynamicQuantizeLinear", kFloat},
                                                   {"MatMulInteger", kFloat},
                                                   {"ConvInteger", kFloat},
                                                   {"Cast", kFloat},
                                                   {"Where", 1},
                                                   {"QLinearConv", 7},
                                                   {"QLinearMatMul", 7},
                                                   {"QLinearAdd", 7},
                                                   {"QLinearMul", 7},
                                                   {"QGemm", 8},
                                                   {"QLinearConcat", 1},
                                                   {"QLinearSigmoid", 4},
                                                   {"QLinearLeakyRelu", 4},
                                                   {"QLinearSoftmax", 4},
                                                   {"QLinearAveragePool", 4},
                                                   {"QLinearGlobalAveragePool", 4}};
  const auto found = table.find(type);
  return found == table.end() ? kOfInput : found->second;
}

}  // namespace

OnnxImporter::ValueKind OnnxImporter::kind_of_type(std::int64_t type) {
  return type == onnx::TensorProto::INT8    ? ValueKind::Signed
         : type == onnx::TensorProto::UINT8 ? ValueKind::Unsigned
                                            : ValueKind::Float;
}

OnnxImporter::ValueKind OnnxImporter::kind_of(const std::string& name) const {
  if (const auto found = kinds_.find(name); found != kinds_.end()) {
    return found->second;
  }
  return onnx_.is_constant(name) ? kind_of_type(onnx_.type_of(name)) : ValueKind::Float;
}

bool OnnxImporter::takes_bytes(const std::string& type) {
  static const std::set<std::string> types = {
      "ArgMax",   "ArgMin",    "Cast",         "Clip",          "Concat",  "ConvInteger",
      "Dropout",  "Expand",    "DepthToSpace", "Flatten",       "Gather",  "DequantizeLinear",
      "Identity", "Max",       "MaxPool",      "MatMulInteger", "Min",     "Pad",
      "QGemm",    "ReduceMax", "ReduceMin",    "Relu",          "Reshape", "Resize",
      "Shape",    "Size",      "Slice",        "SpaceToDepth",  "Split",   "Squeeze",
      "Tile",     "Transpose", "Unsqueeze",    "Upsample",      "Where"};
  return types.count(type) != 0 || type.rfind("QLinear", 0) == 0;
}

void OnnxImporter::find_kinds() {
  for (const auto& input : onnx_.graph().input()) {
    if (!onnx_.is_constant(input.name())) {
      kinds_[input.name()] = kind_of_type(input.type().tensor_type().elem_type());
    }
  }
  for (const Node& node : onnx_.graph().node()) {
    ValueKind kind = ValueKind::Float;
    const int giver = type_giver(node.op_type());
    if (node.op_type() == "QuantizeLinear") {
      const std::int64_t type = OnnxAttributes(node).integer("output_dtype", 0);
      kind = !name_of(node, 2).empty() ? kind_of(name_of(node, 2))
             : type != 0               ? kind_of_type(type)
                                       : ValueKind::Unsigned;
    } else if (giver != kFloat) {
      kind = kind_of(name_of(node, giver == kOfInput ? 0 : giver));
    }
    for (const std::string& output : node.output()) {
      kinds_[output] = kind;
    }
  }
}

}  // namespace tessera

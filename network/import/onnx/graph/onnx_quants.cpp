#include "network/import/onnx/graph/onnx_quants.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "tessera/error.hpp"

namespace tessera {
namespace {

std::vector<float> floats_of(const onnx::TensorProto& tensor) {
  std::vector<float> values(tensor.float_data().begin(), tensor.float_data().end());
  if (values.empty() && tensor.data_type() == onnx::TensorProto::FLOAT) {
    values.resize(tensor.raw_data().size() / sizeof(float));
    std::memcpy(values.data(), tensor.raw_data().data(), values.size() * sizeof(float));
  }
  return values;
}

class Rewriting {
 public:
  Rewriting(onnx::GraphProto& graph, const std::string& name) : graph_(graph), name_(name) {
    for (const auto& tensor : graph.initializer()) {
      constants_[tensor.name()] = &tensor;
    }
    for (const auto& node : graph.node()) {
      if (node.op_type() == "Constant" && node.output_size() == 1) {
        for (const auto& attribute : node.attribute()) {
          if (attribute.name() == "value" && attribute.has_t()) {
            constants_[node.output(0)] = &attribute.t();
          }
        }
      }
    }
  }

  void run() {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    for (const auto& node : graph_.node()) {
      if (node.op_type() == "Quant") {
        replace(node, nodes);
      } else {
        *nodes.Add() = node;
      }
    }
    *graph_.mutable_node() = nodes;
    for (onnx::TensorProto& tensor : added_) {
      *graph_.add_initializer() = std::move(tensor);
    }
  }

 private:
  [[noreturn]] void fail(const onnx::NodeProto& node, const std::string& text) const {
    throw InputError(fmt::format("{}: node `{}` (Quant): {}", name_, node.name(), text));
  }

  [[nodiscard]] const onnx::TensorProto& constant(const onnx::NodeProto& node, int i,
                                                  const char* what) const {
    const auto found = i < node.input_size() ? constants_.find(node.input(i)) : constants_.end();
    if (found == constants_.end() || floats_of(*found->second).empty()) {
      fail(node, fmt::format("its {} must be a constant of floats", what));
    }
    return *found->second;
  }

  static std::int64_t flag(const onnx::NodeProto& node, const char* name, std::int64_t fallback) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == name) {
        return attribute.i();
      }
    }
    return fallback;
  }

  // A constant of that integer type; its name.
  std::string add(const std::string& value, onnx::TensorProto::DataType type,
                  const std::vector<std::int32_t>& values, bool is_scalar) {
    onnx::TensorProto tensor;
    tensor.set_name(value);
    tensor.set_data_type(type);
    if (!is_scalar) {
      tensor.add_dims(static_cast<std::int64_t>(values.size()));
    }
    for (const std::int32_t v : values) {
      tensor.add_int32_data(v);
    }
    added_.push_back(std::move(tensor));
    return value;
  }

  void replace(const onnx::NodeProto& node,
               google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.name() == "rounding_mode" && attribute.s() != "ROUND") {
        fail(node, fmt::format("rounding_mode `{}`; supported is ROUND", attribute.s()));
      }
    }
    if (node.output_size() != 1 || node.input_size() != 4) {
      fail(node, "needs a value, a scale, a zero point and a number of bits");
    }
    const bool is_signed = flag(node, "signed", 1) != 0;
    const bool is_narrow = flag(node, "narrow", 0) != 0;
    const float bits = floats_of(constant(node, 3, "number of bits"))[0];
    const float fewest = is_signed ? 2 : 1;
    const bool is_whole = bits >= fewest && bits <= 8 && bits == std::floor(bits);
    if (!is_whole) {
      fail(node, fmt::format("{} bits; supported are whole numbers up to 8", bits));
    }
    const std::int32_t levels = 1 << static_cast<int>(bits);
    const std::int32_t low = is_signed ? -levels / 2 + (is_narrow ? 1 : 0) : 0;
    const std::int32_t high = is_signed ? levels / 2 - 1 : levels - 1 - (is_narrow ? 1 : 0);
    const auto type = is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;

    // Scales along one axis have a dimension of their own among ones.
    const onnx::TensorProto& scale = constant(node, 1, "scale");
    const std::vector<float> scales = floats_of(scale);
    int axis = -1;
    for (int d = 0; d < scale.dims_size(); ++d) {
      if (scale.dims(d) > 1) {
        if (axis >= 0) {
          fail(node, "its scales lie along more than one dimension");
        }
        axis = d - scale.dims_size();
      }
    }
    const std::vector<float> zeros = floats_of(constant(node, 2, "zero point"));
    std::vector<std::int32_t> whole_zeros;
    for (std::size_t i = 0; i < scales.size(); ++i) {
      const float zero = zeros[i % zeros.size()];
      if (zero != std::nearbyint(zero) || zero < static_cast<float>(low) ||
          zero > static_cast<float>(high) || (zeros.size() != 1 && zeros.size() != scales.size())) {
        fail(node,
             fmt::format("zero point {}; it must be a whole number of {} to {}", zero, low, high));
      }
      whole_zeros.push_back(static_cast<std::int32_t>(zero));
    }
    const std::string& out = node.output(0);
    onnx::TensorProto flat;
    flat.set_name(out + "/scale");
    flat.set_data_type(onnx::TensorProto::FLOAT);
    if (axis != -1 || scales.size() > 1) {
      flat.add_dims(static_cast<std::int64_t>(scales.size()));
    }
    for (const float s : scales) {
      flat.add_float_data(s);
    }
    added_.push_back(flat);
    const std::string zero = add(out + "/zero_point", type, whole_zeros, scales.size() == 1);

    const auto linear = [&](const char* kind, const std::string& in, const std::string& to) {
      onnx::NodeProto* const added = nodes.Add();
      added->set_op_type(kind);
      added->set_name(node.name());
      added->add_input(in);
      added->add_input(flat.name());
      added->add_input(zero);
      added->add_output(to);
      if (scales.size() > 1) {
        onnx::AttributeProto* const along = added->add_attribute();
        along->set_name("axis");
        along->set_type(onnx::AttributeProto::INT);
        along->set_i(axis);
      }
    };
    std::string stored = out + "/stored";
    linear("QuantizeLinear", node.input(0), stored);
    const std::int32_t least = is_signed ? -128 : 0;
    if (low != least || high != least + 255) {
      onnx::NodeProto* const clip = nodes.Add();
      clip->set_op_type("Clip");
      clip->set_name(node.name());
      clip->add_input(stored);
      clip->add_input(add(out + "/low", type, {low}, true));
      clip->add_input(add(out + "/high", type, {high}, true));
      stored = out + "/cut";
      clip->add_output(stored);
    }
    linear("DequantizeLinear", stored, out);
  }

  onnx::GraphProto& graph_;
  const std::string& name_;
  std::map<std::string, const onnx::TensorProto*> constants_;
  std::vector<onnx::TensorProto> added_;
};

}  // namespace

void rewrite_quants(onnx::GraphProto& graph, const std::string& name) {
  for (const auto& node : graph.node()) {
    if (node.op_type() == "Quant") {
      Rewriting(graph, name).run();
      return;
    }
  }
}

}  // namespace tessera

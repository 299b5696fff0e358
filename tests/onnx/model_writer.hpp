// Builds small ONNX models.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "network/import/onnx/graph/onnx_graph.hpp"
#include "tessera/rng.hpp"

namespace tessera::test {

class ModelWriter {
 public:
  explicit ModelWriter(std::uint64_t seed, int opset = 15) : rng_(seed) {
    model_.set_ir_version(8);
    auto* set = model_.add_opset_import();
    set->set_domain("");
    set->set_version(opset);
    auto* microsoft = model_.add_opset_import();
    microsoft->set_domain("com.microsoft");
    microsoft->set_version(1);
    model_.mutable_graph()->set_name("test");
  }

  struct Attribute {
    onnx::AttributeProto proto;
  };
  static Attribute ints(const std::string& name, const std::vector<std::int64_t>& values) {
    Attribute a;
    a.proto.set_name(name);
    a.proto.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) {
      a.proto.add_ints(value);
    }
    return a;
  }
  static Attribute integer(const std::string& name, std::int64_t value) {
    Attribute a;
    a.proto.set_name(name);
    a.proto.set_type(onnx::AttributeProto::INT);
    a.proto.set_i(value);
    return a;
  }
  static Attribute number(const std::string& name, float value) {
    Attribute a;
    a.proto.set_name(name);
    a.proto.set_type(onnx::AttributeProto::FLOAT);
    a.proto.set_f(value);
    return a;
  }
  static Attribute text(const std::string& name, const std::string& value) {
    Attribute a;
    a.proto.set_name(name);
    a.proto.set_type(onnx::AttributeProto::STRING);
    a.proto.set_s(value);
    return a;
  }

  void node(const std::string& op, const std::vector<std::string>& inputs,
            const std::vector<std::string>& outputs, const std::vector<Attribute>& attributes = {},
            const std::string& domain = "") {
    auto* node = model_.mutable_graph()->add_node();
    node->set_op_type(op);
    node->set_domain(domain);
    for (const std::string& input : inputs) {
      node->add_input(input);
    }
    for (const std::string& output : outputs) {
      node->add_output(output);
    }
    for (const Attribute& attribute : attributes) {
      *node->add_attribute() = attribute.proto;
    }
  }

  template <class T>
  void constant(const std::string& name, onnx::TensorProto::DataType type,
                const std::vector<std::int64_t>& dims, const std::vector<T>& values) {
    auto* tensor = model_.mutable_graph()->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(type);
    for (const std::int64_t extent : dims) {
      tensor->add_dims(extent);
    }
    tensor->set_raw_data(
        std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)));
  }
  void numbers(const std::string& name, const std::vector<std::int64_t>& values) {
    constant(name, onnx::TensorProto::INT64, {static_cast<std::int64_t>(values.size())}, values);
  }
  void scale(const std::string& name, float value) {
    constant<float>(name, onnx::TensorProto::FLOAT, {}, {value});
  }
  void zero(const std::string& name, bool is_signed, int value) {
    constant<std::uint8_t>(name, is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8, {},
                           {static_cast<std::uint8_t>(value)});
  }

  /// Quantised weights `name_q` with scales `name_s` and zero points `name_z`, seeded; with `axis`
  /// of at least 0 one scale for each of its extents.
  void quantised(const std::string& name, const std::vector<std::int64_t>& dims, bool is_signed,
                 int zero_point, std::int64_t axis, float scale_value, int bits = 8) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : dims) {
      elements *= extent;
    }
    std::vector<std::uint8_t> values;
    for (std::int64_t i = 0; i < elements; ++i) {
      const auto value = static_cast<std::int8_t>(rng_.next() >> 56);
      values.push_back(static_cast<std::uint8_t>(value >> (8 - bits)));
    }
    const auto type = is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8;
    constant(name + "_q", type, dims, values);
    std::vector<std::int64_t> shape;
    std::vector<float> scales = {scale_value};
    if (axis >= 0) {
      shape = {dims[static_cast<std::size_t>(axis)]};
      for (std::int64_t i = 1; i < shape[0]; ++i) {
        scales.push_back(scale_value * (1 + static_cast<float>(rng_.below(64)) / 64));
      }
    }
    constant(name + "_s", onnx::TensorProto::FLOAT, shape, scales);
    constant(name + "_z", type, shape,
             std::vector<std::uint8_t>(scales.size(), static_cast<std::uint8_t>(zero_point)));
    if (axis >= 0) {
      node("DequantizeLinear", {name + "_q", name + "_s", name + "_z"}, {name},
           {integer("axis", axis)});
    } else {
      node("DequantizeLinear", {name + "_q", name + "_s", name + "_z"}, {name});
    }
  }
  void bias(const std::string& name, std::int64_t outputs) {
    std::vector<std::int32_t> values;
    for (std::int64_t i = 0; i < outputs; ++i) {
      values.push_back(static_cast<std::int32_t>(rng_.below(4000)) - 2000);
    }
    constant(name, onnx::TensorProto::INT32, {outputs}, values);
  }

  void input(const std::string& name, onnx::TensorProto::DataType type,
             const std::vector<std::int64_t>& dims) {
    describe(model_.mutable_graph()->add_input(), name, type, dims);
  }
  void output(const std::string& name, onnx::TensorProto::DataType type) {
    auto* info = model_.mutable_graph()->add_output();
    info->set_name(name);
    info->mutable_type()->mutable_tensor_type()->set_elem_type(type);
  }

  [[nodiscard]] std::vector<std::uint8_t> bytes() const {
    const std::string text = model_.SerializeAsString();
    return {text.begin(), text.end()};
  }

 private:
  static void describe(onnx::ValueInfoProto* info, const std::string& name,
                       onnx::TensorProto::DataType type, const std::vector<std::int64_t>& dims) {
    info->set_name(name);
    auto* tensor = info->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    for (const std::int64_t extent : dims) {
      tensor->mutable_shape()->add_dim()->set_dim_value(extent);
    }
  }

  onnx::ModelProto model_;
  SplitMix64 rng_;
};

}  // namespace tessera::test

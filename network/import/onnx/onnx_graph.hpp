// An ONNX graph as the importer looks at it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#define ONNX_ML 1
#define ONNX_NAMESPACE onnx
#include <onnx/onnx_pb.h>

namespace tessera {

/// A tensor of given values. Integers are exact: no type is wider than int32 where values matter.
struct OnnxConstant {
  std::vector<std::int64_t> dims;
  onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT;
  std::vector<double> values;
};

class OnnxGraph {
 public:
  /// Throws InputError prefixed by `name` for files that are no ONNX model, for opsets outside 10
  /// to 21 and for nodes that are not in topological order.
  OnnxGraph(const std::vector<std::uint8_t>& data, std::string name);

  [[nodiscard]] const onnx::GraphProto& graph() const { return model_.graph(); }
  [[nodiscard]] std::int64_t opset() const { return opset_; }
  /// Nodes that read a value, in order. A network output counts as one more, nullptr.
  [[nodiscard]] std::vector<const onnx::NodeProto*> readers_of(const std::string& value) const;
  /// The node that computes a value, or nullptr.
  [[nodiscard]] const onnx::NodeProto* producer_of(const std::string& value) const;

  /// Whether the value is an initialiser or the output of a Constant.
  [[nodiscard]] bool is_constant(const std::string& value) const;
  /// Its dimensions alone, which costs nothing.
  [[nodiscard]] std::vector<std::int64_t> dims_of(const std::string& value) const;
  /// Throws InputError when the value is not constant or of another type than float, int8, uint8,
  /// int32, int64.
  [[nodiscard]] OnnxConstant constant(const std::string& value) const;

  [[noreturn]] void fail(const std::string& text) const;

 private:
  [[nodiscard]] const onnx::TensorProto* tensor_of(const std::string& value) const;

  onnx::ModelProto model_;
  std::string name_;
  std::int64_t opset_ = 0;
  std::map<std::string, const onnx::TensorProto*> constants_;
  std::map<std::string, std::vector<const onnx::NodeProto*>> readers_;
  std::map<std::string, const onnx::NodeProto*> producers_;
};

/// A node's attributes, with defaults.
class OnnxAttributes {
 public:
  explicit OnnxAttributes(const onnx::NodeProto& node);
  [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t fallback) const;
  [[nodiscard]] float number(const std::string& name, float fallback) const;
  [[nodiscard]] std::string text(const std::string& name, const std::string& fallback) const;
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name,
                                                   std::vector<std::int64_t> fallback) const;
  [[nodiscard]] bool has(const std::string& name) const { return find(name) != nullptr; }

 private:
  [[nodiscard]] const onnx::AttributeProto* find(const std::string& name) const;
  const onnx::NodeProto& node_;
};

}  // namespace tessera

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

/// A tensor of given values. Integers are exact up to 2^53. With scales: floats that are stored
/// quantised, the zero point taken off already; each is a value times its scale.
struct OnnxConstant {
  std::vector<std::int64_t> dims;
  onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT;
  std::vector<double> values;
  std::vector<float> scales;
  std::size_t axis = 0;  ///< of which the scales are, when there are several

  /// As float, whatever it is stored as.
  [[nodiscard]] double real(std::size_t i) const;
  /// Scale of value i.
  [[nodiscard]] double scale_of(std::size_t i) const;
};

class OnnxGraph {
 public:
  /// Throws InputError prefixed by `name` for files that are no ONNX model, for opsets outside 6
  /// to 25 and for nodes that are not in topological order.
  OnnxGraph(const std::vector<std::uint8_t>& data, std::string name);

  [[nodiscard]] const onnx::GraphProto& graph() const { return model_.graph(); }
  [[nodiscard]] std::int64_t opset() const { return opset_; }
  /// Nodes that read a value, in order. A network output counts as one more, nullptr.
  [[nodiscard]] std::vector<const onnx::NodeProto*> readers_of(const std::string& value) const;
  /// The node that computes a value, or nullptr.
  [[nodiscard]] const onnx::NodeProto* producer_of(const std::string& value) const;

  /// Whether the value is an initialiser or the output of a Constant.
  [[nodiscard]] bool is_constant(const std::string& value) const;
  /// Its type and dimensions alone, which cost nothing.
  [[nodiscard]] std::int32_t type_of(const std::string& value) const;
  [[nodiscard]] std::vector<std::int64_t> dims_of(const std::string& value) const;
  /// Throws InputError when the value is not constant or of another type than float, int8, uint8,
  /// int32, int64.
  [[nodiscard]] OnnxConstant constant(const std::string& value) const;

  /// A tensor of the file; `what` is what errors call it.
  [[nodiscard]] OnnxConstant values_of(const onnx::TensorProto& tensor,
                                       const std::string& what) const;

  [[noreturn]] void fail(const std::string& text) const;

 private:
  void read_external(onnx::TensorProto& tensor) const;
  [[nodiscard]] const onnx::TensorProto* tensor_of(const std::string& value) const;
  [[nodiscard]] std::vector<std::int64_t> checked_dims(const onnx::TensorProto& tensor,
                                                       const std::string& value) const;

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
  [[nodiscard]] bool flag(const std::string& name, bool fallback) const {
    return integer(name, fallback ? 1 : 0) != 0;
  }
  [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t fallback) const;
  [[nodiscard]] float number(const std::string& name, float fallback) const;
  [[nodiscard]] std::string text(const std::string& name, const std::string& fallback) const;
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& name,
                                                   std::vector<std::int64_t> fallback) const;
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const;
  [[nodiscard]] const onnx::TensorProto* tensor(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const { return find(name) != nullptr; }

 private:
  [[nodiscard]] const onnx::AttributeProto* find(const std::string& name) const;
  const onnx::NodeProto& node_;
};

}  // namespace tessera

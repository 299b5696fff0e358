// A TensorFlow Lite model on its way to a network: tensors, and what reading operators needs.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tessera/network.hpp"
#include "tflite_generated.h"

namespace tessera {

/// Copies, because damaged files have vectors at any address.
template <class T>
std::vector<T> values_of(const flatbuffers::Vector<T>* vector) {
  std::vector<T> values(vector != nullptr ? vector->size() : 0);
  if (!values.empty()) {
    std::memcpy(values.data(), vector->Data(), values.size() * sizeof(T));
  }
  return values;
}

class TfliteGraph {
 public:
  /// Reads the tensors; operators follow.
  TfliteGraph(const tflite::Model& model, const std::string& name);

  [[nodiscard]] const tflite::SubGraph& subgraph() const { return *subgraph_; }
  /// Everything else that errors name.
  void at(const std::string& where) { where_ = where; }
  [[noreturn]] void fail(const std::string& text) const;
  void require(bool condition, const std::string& text) const;

  /// A tensor that must exist; its index was checked when the operator was read.
  [[nodiscard]] const Tensor& input(const Operator& op, std::size_t i) const;
  [[nodiscard]] const Tensor& output(const Operator& op) const;
  [[nodiscard]] const Tensor& tensor(std::int32_t index) const;
  /// Tensors that were uint8.
  [[nodiscard]] bool is_unsigned(std::int32_t tensor) const {
    return is_unsigned_[static_cast<std::size_t>(tensor)];
  }
  void check_tensors(const std::vector<std::int32_t>& tensors, std::int32_t least) const;

  /// A constant int32 vector, such as axes or sizes.
  [[nodiscard]] std::vector<std::int32_t> integers(const Operator& op, std::size_t i,
                                                   const char* what) const;
  [[nodiscard]] std::size_t axis_of(std::int32_t axis, std::size_t rank) const;
  [[nodiscard]] Activation activation(tflite::Activation code) const;
  void require_rank4(const Tensor& tensor, const char* what) const;
  /// For functions whose unsigned kernels compute in other steps than the signed ones.
  void refuse_unsigned(const Operator& op) const;
  template <class Options>
  const Options& need(const Options* options) const {
    require(options != nullptr, "its options are missing");
    return *options;
  }

  /// Weights around zero. Unsigned ones have their zero point anywhere; around it they span up to
  /// 511 values.
  void centre_kernel(std::int32_t index);
  void add(Operator op);
  /// The network, checked.
  Network finish();

 private:
  void read_tensor(const tflite::Tensor& source);
  [[nodiscard]] DataType type_of(const tflite::Tensor& source) const;
  [[nodiscard]] Quantisation quantisation_of(const tflite::Tensor& source) const;

  const tflite::Model& model_;
  const tflite::SubGraph* subgraph_ = nullptr;
  Network network_;
  std::string where_;
  std::vector<bool> is_unsigned_;
};

}  // namespace tessera

// Builds small TensorFlow Lite models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tflite_generated.h"

namespace tessera::test {

/// Of a tensor.
struct TfliteQuantisation {
  std::vector<float> scales = {0.05F};
  std::vector<std::int64_t> zero_points = {3};
};

class TfliteWriter {
 public:
  using Quantised = TfliteQuantisation;

  TfliteWriter() { buffers_.push_back(tflite::CreateBuffer(builder_)); }

  /// Returns the tensor's index; without `data` it is computed or an input.
  std::int32_t tensor(const std::vector<std::int32_t>& shape, tflite::TensorType type,
                      const Quantised& q = {}, const std::vector<std::uint8_t>& data = {}) {
    std::uint32_t buffer = 0;
    if (!data.empty()) {
      buffer = static_cast<std::uint32_t>(buffers_.size());
      buffers_.push_back(tflite::CreateBufferDirect(builder_, &data));
    }
    const auto quantisation = tflite::CreateQuantizationParametersDirect(builder_, nullptr, nullptr,
                                                                         &q.scales, &q.zero_points);
    const std::string name = "t" + std::to_string(tensors_.size());
    tensors_.push_back(
        tflite::CreateTensorDirect(builder_, &shape, type, buffer, name.c_str(), quantisation));
    return static_cast<std::int32_t>(tensors_.size()) - 1;
  }
  std::int32_t integers(const std::vector<std::int32_t>& values) {
    std::vector<std::uint8_t> bytes;
    for (const std::int32_t value : values) {
      for (int b = 0; b < 4; ++b) {
        bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(value) >> (8 * b)));
      }
    }
    return tensor({static_cast<std::int32_t>(values.size())}, tflite::TensorType_INT32, {}, bytes);
  }

  /// `code`: TensorFlow Lite's number of the operator.
  void op(std::int32_t code, const std::vector<std::int32_t>& inputs,
          const std::vector<std::int32_t>& outputs,
          tflite::BuiltinOptions type = tflite::BuiltinOptions_NONE,
          flatbuffers::Offset<void> options = 0, const std::string& custom = "") {
    const auto name =
        custom.empty() ? flatbuffers::Offset<flatbuffers::String>() : builder_.CreateString(custom);
    codes_.push_back(tflite::CreateOperatorCode(
        builder_, static_cast<std::int8_t>(code < 127 ? code : 127), name, 1, code));
    operators_.push_back(tflite::CreateOperatorDirect(
        builder_, static_cast<std::uint32_t>(codes_.size()) - 1, &inputs, &outputs, type, options));
  }

  flatbuffers::FlatBufferBuilder& builder() { return builder_; }

  std::vector<std::uint8_t> finish(const std::vector<std::int32_t>& inputs,
                                   const std::vector<std::int32_t>& outputs, int subgraphs = 1) {
    const auto graph =
        tflite::CreateSubGraphDirect(builder_, &tensors_, &inputs, &outputs, &operators_, "main");
    const std::vector<flatbuffers::Offset<tflite::SubGraph>> graphs(
        static_cast<std::size_t>(subgraphs), graph);
    tflite::FinishModelBuffer(
        builder_, tflite::CreateModelDirect(builder_, 3, &codes_, &graphs, "test", &buffers_));
    return {builder_.GetBufferPointer(), builder_.GetBufferPointer() + builder_.GetSize()};
  }

 private:
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<flatbuffers::Offset<tflite::Buffer>> buffers_;
  std::vector<flatbuffers::Offset<tflite::Tensor>> tensors_;
  std::vector<flatbuffers::Offset<tflite::OperatorCode>> codes_;
  std::vector<flatbuffers::Offset<tflite::Operator>> operators_;
};

}  // namespace tessera::test

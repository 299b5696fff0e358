// The reference kernels, one per operator.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/network.hpp"

namespace tessera::reference {

/// Tensors and data of one operator.
struct Operands {
  const Network& network;
  const Operator& op;
  const std::vector<const std::uint8_t*>& inputs;
  std::uint8_t* output_data;

  [[nodiscard]] const Tensor& input(std::size_t i) const {
    return network.tensors[static_cast<std::size_t>(op.inputs[i])];
  }
  [[nodiscard]] const Tensor& output() const {
    return network.tensors[static_cast<std::size_t>(op.output)];
  }
  /// nullptr when the input is absent.
  template <class T>
  [[nodiscard]] const T* data(std::size_t i) const {
    return i < inputs.size() ? reinterpret_cast<const T*>(inputs[i]) : nullptr;
  }
  [[nodiscard]] std::int8_t* result() const { return reinterpret_cast<std::int8_t*>(output_data); }
};

void conv(const Conv2d& conv, const Operands& operands);
void depthwise_conv(const DepthwiseConv2d& depthwise, const Operands& operands);
void fully_connected(const FullyConnected& fc, const Operands& operands);
void transpose_conv(const TransposeConv2d& conv, const Operands& operands);
void binary(const Binary& binary, const Operands& operands);
void unary(const Unary& unary, const Operands& operands);
void mean(const Mean& mean, const Operands& operands);
void transpose(const Transpose& transpose, const Operands& operands);
void strided_slice(const StridedSlice& slice, const Operands& operands);
void resize_nearest(const ResizeNearest& resize, const Operands& operands);
void dequantize(const Operands& operands);
void pool(const Pool2d& pool, const Operands& operands);
void softmax(const Softmax& softmax, const Operands& operands);
void pad(const Pad& pad, const Operands& operands);
void concatenation(const Concatenation& concat, const Operands& operands);
void reshape(const Operands& operands);
void host(const HostOperator& host, const Operands& operands);

}  // namespace tessera::reference

// Kernels of the operators that only the host has. On int8 they are TensorFlow Lite's, bit by bit.
#pragma once

#include <array>

#include "network/reference/reference_kernels.hpp"

namespace tessera::reference {

void host_pair(const HostOperator& host, const Operands& x);  ///< two values
/// A mean as ONNX Runtime's operator of bytes has it: a sum without its zero points times a factor
/// in single precision, to nearest, halves to even; -128 to 127.
std::int32_t mean_of_bytes(std::int32_t sum, float scale, std::int32_t zero_point);
/// GELU by the hyperbolic tangent, as its attribute `approximate` asks.
float gelu_by_tanh(float x);
void host_single(const HostOperator& host, const Operands& x);  ///< one value
void host_cast(const Operands& x);
void host_select(const Operands& x);
void host_reduce(const HostOperator& host, const Operands& x);
void host_arg(const HostOperator& host, const Operands& x);
void host_move(const HostOperator& host, const Operands& x);  ///< gather, tile, pad, ...
void host_resize_bilinear(const HostOperator& host, const Operands& x);
void host_pool(const HostOperator& host, const Operands& x);
void host_l2_normalisation(const HostOperator& host, const Operands& x);
void host_layer_normalisation(const HostOperator& host, const Operands& x);  ///< of floats
void host_batch_matmul(const Operands& x);
/// Exponentials of `count` bytes by their distance from the greatest: its own is the largest entry,
/// scaled so that their sum is a float.
std::array<float, 256> softmax_table(float of_scale, std::int64_t count);
void host_softmax(const HostOperator& host, const Operands& x);  ///< of floats
void host_weighted(const HostOperator& host, const Operands& x);
void host_log_softmax(const HostOperator& host, const Operands& x);
/// Boxes from a detector's raw outputs: decoded at the anchors, the overlapping ones removed.
void host_detections(const HostOperator& host, const Operands& x);

}  // namespace tessera::reference

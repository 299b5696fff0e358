// QONNX's Quant nodes, of at most 8 bits.
#pragma once

#include <string>

#define ONNX_ML 1
#define ONNX_NAMESPACE onnx
#include <onnx/onnx_pb.h>

namespace tessera {

/// Each becomes what it means: QuantizeLinear, Clip where its bits or its range are fewer than the
/// type's, DequantizeLinear. Throws InputError prefixed by `name` for those that mean something
/// else: more bits, scales that are no constants, other roundings.
void rewrite_quants(onnx::GraphProto& graph, const std::string& name);

}  // namespace tessera

// Values of an ONNX graph in the builder's network: layouts and quantisation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "network/builder.hpp"
#include "network/import/onnx/onnx_graph.hpp"

namespace tessera {

/// Of one dimension, and of all together.
inline constexpr std::int64_t kMostExtent = 1 << 24;
inline constexpr std::int64_t kMostElements = 1 << 30;

/// A value that some node has computed. Those of rank 4 are stored as NHWC, all others as they are.
struct OnnxValue {
  std::int32_t tensor = -1;
  std::vector<std::int64_t> dims;  ///< as ONNX has them: NCHW
};

/// Dimensions as stored: of rank 4 the channels go last.
std::vector<std::int32_t> stored_shape(const std::vector<std::int64_t>& dims);
/// Where ONNX's axis is in the stored tensor; negative axes count from the end.
std::size_t stored_axis(std::int64_t axis, std::size_t rank);
/// ONNX's axis of a stored one.
std::size_t logical_axis(std::size_t axis, std::size_t rank);
/// ONNX's dimensions of a stored shape.
std::vector<std::int64_t> logical_dims(const std::vector<std::int32_t>& shape);

/// Kernel, bias or operand values around their zero point, with one scale or one per channel.
struct OnnxWeights {
  std::vector<std::int64_t> dims;
  std::vector<std::int32_t> values;
  std::vector<float> scales;
};

/// From the constants of values, scale and zero point (may be empty) along `axis`.
OnnxWeights read_weights(const OnnxGraph& graph, const std::string& values,
                         const std::string& scale, const std::string& zero_point,
                         std::int64_t axis);

/// int8 bytes when all values fit, else int16. `order` gives the position of each new value in the
/// old ones.
void set_kernel(GivenWeights& given, const std::vector<std::int32_t>& values,
                const std::vector<std::size_t>& order);

/// A scale and a zero point, that of uint8 brought to int8.
Quantisation read_quantisation(const OnnxGraph& graph, const std::string& scale,
                               const std::string& zero_point);

}  // namespace tessera

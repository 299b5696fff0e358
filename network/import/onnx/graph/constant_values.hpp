// Tensors of given values: what is computed from them whatever node asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "network/import/onnx/graph/onnx_graph.hpp"

namespace tessera {

std::int64_t elements_of(const std::vector<std::int64_t>& dims);

/// Of an integer type, and not quantised.
bool is_whole(const OnnxConstant& constant);
OnnxConstant whole(const std::vector<std::int64_t>& dims, std::vector<double> values);

/// Values of two constants whose shapes broadcast; whole ones of whole ones.
OnnxConstant paired(const OnnxConstant& a, const OnnxConstant& b,
                    const std::function<double(double, double)>& function);
/// `along` of the source for each index of the result along one axis; all are in it.
OnnxConstant taken(const OnnxConstant& from, std::size_t axis,
                   const std::vector<std::int64_t>& along);
/// `perm` is a permutation of the axes.
OnnxConstant transposed(const OnnxConstant& from, const std::vector<std::size_t>& perm);

}  // namespace tessera

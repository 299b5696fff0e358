#include "network/import/onnx/graph/constant_values.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {

std::int64_t elements_of(const std::vector<std::int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

bool is_whole(const OnnxConstant& constant) {
  return constant.scales.empty() && constant.type != onnx::TensorProto::FLOAT &&
         constant.type != onnx::TensorProto::DOUBLE;
}

OnnxConstant whole(const std::vector<std::int64_t>& dims, std::vector<double> values) {
  return {dims, onnx::TensorProto::INT64, std::move(values), {}, 0};
}

OnnxConstant paired(const OnnxConstant& a, const OnnxConstant& b,
                    const std::function<double(double, double)>& function) {
  const std::size_t rank = std::max(a.dims.size(), b.dims.size());
  OnnxConstant result;
  result.type = is_whole(a) && is_whole(b) ? onnx::TensorProto::INT64 : onnx::TensorProto::FLOAT;
  const auto extent = [rank](const OnnxConstant& c, std::size_t d) {
    const std::size_t more = rank - c.dims.size();
    return d < more ? std::int64_t{1} : c.dims[d - more];
  };
  for (std::size_t d = 0; d < rank; ++d) {
    result.dims.push_back(std::max(extent(a, d), extent(b, d)));
  }
  const std::int64_t count = elements_of(result.dims);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::size_t at_a = 0;
    std::size_t at_b = 0;
    std::size_t step_a = 1;
    std::size_t step_b = 1;
    for (std::size_t d = rank; d-- > 0;) {
      const auto at = static_cast<std::size_t>(rest % result.dims[d]);
      rest /= result.dims[d];
      at_a += extent(a, d) == 1 ? 0 : at * step_a;
      at_b += extent(b, d) == 1 ? 0 : at * step_b;
      step_a *= static_cast<std::size_t>(extent(a, d));
      step_b *= static_cast<std::size_t>(extent(b, d));
    }
    double value = function(a.real(at_a % a.values.size()), b.real(at_b % b.values.size()));
    value = result.type == onnx::TensorProto::INT64 ? std::trunc(value) : value;
    result.values.push_back(std::isfinite(value) ? value : 0.0);
  }
  return result;
}

OnnxConstant taken(const OnnxConstant& from, std::size_t axis,
                   const std::vector<std::int64_t>& along) {
  OnnxConstant result = from;
  result.values.clear();
  result.dims[axis] = static_cast<std::int64_t>(along.size());
  const std::int64_t inner =
      elements_of({from.dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1, from.dims.end()});
  const std::int64_t outer =
      elements_of({from.dims.begin(), from.dims.begin() + static_cast<std::ptrdiff_t>(axis)});
  for (std::int64_t o = 0; o < outer; ++o) {
    for (const std::int64_t at : along) {
      const auto first = from.values.begin() + (o * from.dims[axis] + at) * inner;
      result.values.insert(result.values.end(), first, first + inner);
    }
  }
  return result;
}

OnnxConstant transposed(const OnnxConstant& from, const std::vector<std::size_t>& perm) {
  OnnxConstant result = from;
  const std::size_t rank = from.dims.size();
  std::vector<std::int64_t> strides(rank, 1);
  for (std::size_t d = rank; d-- > 1;) {
    strides[d - 1] = strides[d] * from.dims[d];
  }
  for (std::size_t d = 0; d < rank; ++d) {
    result.dims[d] = from.dims[perm[d]];
    if (perm[d] == from.axis) {
      result.axis = d;
    }
  }
  std::vector<std::int64_t> at(rank, 0);
  for (double& value : result.values) {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      index += at[d] * strides[perm[d]];
    }
    value = from.values[static_cast<std::size_t>(index)];
    for (std::size_t d = rank; d-- > 0;) {
      if (++at[d] < result.dims[d]) {
        break;
      }
      at[d] = 0;
    }
  }
  return result;
}

}  // namespace tessera

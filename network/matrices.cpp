#include "network/matrices.hpp"

namespace tessera {
namespace {

using Shape = std::vector<std::int32_t>;

// Matrices of a tensor from one step along each batch dimension of the output to the next.
std::vector<std::int64_t> batch_strides(const Shape& shape, std::size_t dimensions) {
  std::vector<std::int64_t> strides(dimensions, 0);
  std::int64_t stride = 1;
  for (std::size_t d = 0; d + 2 < shape.size(); ++d) {
    const std::int32_t extent = shape[shape.size() - 3 - d];
    strides[dimensions - 1 - d] = extent == 1 ? 0 : stride;
    stride *= extent;
  }
  return strides;
}

// The first element of each batch's matrix.
std::vector<std::int64_t> batch_starts(const Shape& shape, const Shape& output) {
  const std::size_t dimensions = output.size() - 2;
  const std::vector<std::int64_t> strides = batch_strides(shape, dimensions);
  const std::int64_t matrix = std::int64_t{shape.back()} * shape[shape.size() - 2];
  std::vector<std::int64_t> starts = {0};
  for (std::size_t d = 0; d < dimensions; ++d) {
    std::vector<std::int64_t> finer;
    for (const std::int64_t start : starts) {
      for (std::int32_t i = 0; i < output[d]; ++i) {
        finer.push_back(start + strides[d] * i * matrix);
      }
    }
    starts = std::move(finer);
  }
  return starts;
}

}  // namespace

MatrixProduct matrix_product(const Network& network, const Operator& op) {
  const auto shape_of = [&](std::int32_t tensor) -> const Shape& {
    return network.tensors[static_cast<std::size_t>(tensor)].shape;
  };
  const auto& host = std::get<HostOperator>(op.attributes);
  const Shape& a = shape_of(op.inputs[0]);
  const Shape& b = shape_of(op.inputs[1]);
  const Shape& out = shape_of(op.output);
  const bool turn_a = host.integers[0] != 0;
  const bool turn_b = host.integers[1] != 0;
  MatrixProduct product;
  product.rows = out[out.size() - 2];
  product.cols = out.back();
  product.depth = turn_a ? a[a.size() - 2] : a.back();
  product.first_row = turn_a ? 1 : product.depth;
  product.first_step = turn_a ? product.rows : 1;
  product.second_col = turn_b ? product.depth : 1;
  product.second_step = turn_b ? 1 : product.cols;
  product.firsts = batch_starts(a, out);
  product.seconds = batch_starts(b, out);
  return product;
}

}  // namespace tessera

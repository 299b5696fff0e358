#include "network/matrices.hpp"

namespace tessera {
namespace {

using Shape = std::vector<std::int32_t>;

// The first element of each batch's matrix.
std::vector<std::int64_t> batch_starts(const Shape& shape, const Strides& strides,
                                       const Shape& output) {
  std::vector<std::int64_t> starts = {0};
  for (std::size_t d = 0; d + 2 < output.size(); ++d) {
    // Dimensions that a factor lacks, or has once, are the same matrix again.
    const std::size_t lacks = output.size() - shape.size();
    const std::int64_t stride = d < lacks || shape[d - lacks] == 1 ? 0 : strides[d - lacks];
    std::vector<std::int64_t> finer;
    for (const std::int64_t start : starts) {
      for (std::int32_t i = 0; i < output[d]; ++i) {
        finer.push_back(start + stride * i);
      }
    }
    starts = std::move(finer);
  }
  return starts;
}

const Shape& shape_of(const Network& network, std::int32_t tensor) {
  return network.tensors[static_cast<std::size_t>(tensor)].shape;
}

}  // namespace

Strides row_major_strides(const Shape& shape) {
  Strides strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) {
    strides[d - 1] = strides[d] * shape[d];
  }
  return strides;
}

MatrixProduct matrix_product(const Network& network, const Operator& op) {
  return matrix_product(network, op, row_major_strides(shape_of(network, op.inputs[0])),
                        row_major_strides(shape_of(network, op.inputs[1])));
}

MatrixProduct matrix_product(const Network& network, const Operator& op, const Strides& first,
                             const Strides& second) {
  const auto& host = std::get<HostOperator>(op.attributes);
  const Shape& a = shape_of(network, op.inputs[0]);
  const Shape& b = shape_of(network, op.inputs[1]);
  const Shape& out = shape_of(network, op.output);
  // Rows of the first factor times columns of the second one, either the other way round.
  const std::size_t row = a.size() - (host.integers[0] != 0 ? 1 : 2);
  const std::size_t col = b.size() - (host.integers[1] != 0 ? 2 : 1);
  const std::size_t first_step = 2 * a.size() - 3 - row;
  const std::size_t second_step = 2 * b.size() - 3 - col;
  MatrixProduct product;
  product.rows = out[out.size() - 2];
  product.cols = out.back();
  product.depth = a[first_step];
  product.first_row = first[row];
  product.first_step = first[first_step];
  product.second_col = second[col];
  product.second_step = second[second_step];
  product.firsts = batch_starts(a, first, out);
  product.seconds = batch_starts(b, second, out);
  return product;
}

}  // namespace tessera

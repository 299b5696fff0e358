// Products of matrices, batch by batch, as indices into their tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "tessera/network.hpp"

namespace tessera {

/// Output element (row, col) of batch n is the sum over `depth` steps of first[firsts[n] + row *
/// first_row + step * first_step] * second[seconds[n] + col * second_col + step * second_step].
/// Outputs are [batch][row][col] without gaps.
struct MatrixProduct {
  std::int64_t rows = 0, cols = 0, depth = 0;
  std::vector<std::int64_t> firsts, seconds;  ///< of each batch; batches are broadcast
  std::int64_t first_row = 0, first_step = 0;
  std::int64_t second_col = 0, second_step = 0;
};

/// Elements from one step along each dimension to the next, outermost first.
using Strides = std::vector<std::int64_t>;
Strides row_major_strides(const std::vector<std::int32_t>& shape);

/// Of a BatchMatMul whose tensors check_network has passed.
MatrixProduct matrix_product(const Network& network, const Operator& op);
/// The same where the factors' elements lie otherwise than row by row.
MatrixProduct matrix_product(const Network& network, const Operator& op, const Strides& first,
                             const Strides& second);

}  // namespace tessera

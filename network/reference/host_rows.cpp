// Functions of whole rows: normalisations, softmax of floats, products of matrices.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "network/matrices.hpp"
#include "network/reference/elements.hpp"
#include "network/reference/fixed_point_functions.hpp"
#include "network/reference/host_kernels.hpp"
#include "tessera/quantise.hpp"

namespace tessera::reference {
namespace {

// The kernel of unsigned bytes multiplies before it rounds.
void l2_int8(const Operands& x, std::int64_t depth, bool of_unsigned) {
  constexpr int kOutputBits = 7;  // the output's scale is 1/128
  const Tensor& in = x.input(0);
  for (std::int64_t row = 0; row < in.elements() / depth; ++row) {
    const auto centred = [&](std::int64_t c) {
      return get<std::int8_t>(x.inputs[0], row * depth + c) - in.quantisation.zero_point;
    };
    std::int32_t squares = 0;
    for (std::int64_t c = 0; c < depth; ++c) {
      squares += centred(c) * centred(c);
    }
    FixedPoint factor = inverse_root(squares);
    factor.shift += of_unsigned ? 0 : kOutputBits;
    for (std::int64_t c = 0; c < depth; ++c) {
      const std::int32_t value = requantise(centred(c) * (of_unsigned ? 1 << kOutputBits : 1),
                                            factor, x.output().quantisation.zero_point);
      put(x.output_data, row * depth + c, static_cast<std::int8_t>(std::clamp(value, -128, 127)));
    }
  }
}

// As ONNX Runtime has it: a whole number of steps in 1.
void softmax_of_bytes(const HostOperator& host, const Operands& x) {
  const Tensor& in = x.input(0);
  const Quantisation& out = x.output().quantisation;
  const MeanExtents extents = extents_of({host.integers[0], 1}, in.shape);
  const std::int64_t count = extents.count;
  const std::int64_t inner = extents.inner;
  const std::array<float, 256> table = softmax_table(in.quantisation.scales[0], count);
  const float steps = std::floor(1.0F / out.scales[0]);
  for (std::int64_t row = 0; row < extents.outer * inner; ++row) {
    const std::int64_t first = row / inner * inner * count + row % inner;
    const auto value = [&](std::int64_t i) {
      return std::int32_t{get<std::int8_t>(x.inputs[0], first + i * inner)};
    };
    std::int32_t greatest = value(0);
    for (std::int64_t i = 1; i < count; ++i) {
      greatest = std::max(greatest, value(i));
    }
    const auto entry = [&](std::int64_t i) {
      return table[static_cast<std::size_t>(greatest - value(i))];
    };
    float sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      sum += entry(i);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const float share = std::nearbyint(entry(i) * steps / sum);
      put(x.output_data, first + i * inner,
          static_cast<std::int8_t>(
              std::clamp(share + static_cast<float>(out.zero_point), -128.0F, 127.0F)));
    }
  }
}

}  // namespace

std::array<float, 256> softmax_table(float of_scale, std::int64_t count) {
  const auto scale = static_cast<double>(of_scale);
  const float room = std::numeric_limits<float>::max() / static_cast<float>(count);
  const double shift = std::max(0.0, static_cast<double>(std::log(room)) - 5) / scale;
  std::array<float, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<float>(std::exp((shift - static_cast<double>(i)) * scale));
  }
  return table;
}

void host_l2_normalisation(const HostOperator& host, const Operands& x) {
  const Tensor& in = x.input(0);
  const std::int64_t depth = in.shape.back();
  if (in.type == DataType::Int8) {
    l2_int8(x, depth, !host.integers.empty() && host.integers[0] != 0);
    return;
  }
  for (std::int64_t row = 0; row < in.elements() / depth; ++row) {
    float squares = 0;
    for (std::int64_t c = 0; c < depth; ++c) {
      const auto value = get<float>(x.inputs[0], row * depth + c);
      squares += value * value;
    }
    const float norm = std::max(std::sqrt(squares), 1e-6F);
    for (std::int64_t c = 0; c < depth; ++c) {
      put(x.output_data, row * depth + c, get<float>(x.inputs[0], row * depth + c) / norm);
    }
  }
}

void host_batch_matmul(const Operands& x) {
  const MatrixProduct m = matrix_product(x.network, x.op);
  const bool whole = x.input(0).type == DataType::Int8;
  const bool plain = x.input(0).type == DataType::Int32;
  const Quantisation& qa = x.input(0).quantisation;
  const Quantisation& qb = x.input(1).quantisation;
  const Quantisation& qo = x.output().quantisation;
  const FixedPoint factor =
      whole ? weighted_factors(qa, qb, qo, 1, scale_arithmetic(x.op, qb))[0] : FixedPoint{};
  std::int64_t out = 0;
  for (std::size_t batch = 0; batch < m.firsts.size(); ++batch) {
    for (std::int64_t r = 0; r < m.rows; ++r) {
      for (std::int64_t c = 0; c < m.cols; ++c, ++out) {
        std::int64_t a = m.firsts[batch] + r * m.first_row;
        std::int64_t b = m.seconds[batch] + c * m.second_col;
        std::int32_t sum = 0;
        std::uint32_t number = 0;  // wraps as integers of other runtimes do
        float real = 0;
        for (std::int64_t k = 0; k < m.depth; ++k, a += m.first_step, b += m.second_step) {
          if (whole) {
            sum += (get<std::int8_t>(x.inputs[0], a) - qa.zero_point) *
                   (get<std::int8_t>(x.inputs[1], b) - qb.zero_point);
          } else if (plain) {
            number += static_cast<std::uint32_t>(get<std::int32_t>(x.inputs[0], a)) *
                      static_cast<std::uint32_t>(get<std::int32_t>(x.inputs[1], b));
          } else {
            real += get<float>(x.inputs[0], a) * get<float>(x.inputs[1], b);
          }
        }
        if (whole) {
          const std::int32_t value = requantise(sum, factor, qo.zero_point, x.op.rounding);
          put(x.output_data, out, static_cast<std::int8_t>(std::clamp(value, -128, 127)));
        } else if (plain) {
          put(x.output_data, out, static_cast<std::int32_t>(number));
        } else {
          put(x.output_data, out, real);
        }
      }
    }
  }
}

void host_softmax(const HostOperator& host, const Operands& x) {
  const Tensor& in = x.input(0);
  if (in.type == DataType::Int8) {
    softmax_of_bytes(host, x);
    return;
  }
  const MeanExtents extents = extents_of({host.integers[0], 1}, in.shape);
  const std::int64_t count = extents.count;
  const std::int64_t inner = extents.inner;
  for (std::int64_t row = 0; row < in.elements() / count; ++row) {
    const std::int64_t first = row / inner * inner * count + row % inner;
    const auto value = [&](std::int64_t i) { return get<float>(x.inputs[0], first + i * inner); };
    float greatest = value(0);
    for (std::int64_t i = 1; i < count; ++i) {
      greatest = std::max(greatest, value(i));
    }
    float sum = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      sum += std::exp((value(i) - greatest) * host.numbers[0]);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      put(x.output_data, first + i * inner,
          std::exp((value(i) - greatest) * host.numbers[0]) / sum);
    }
  }
}

}  // namespace tessera::reference

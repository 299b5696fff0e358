#include <algorithm>
#include <cstring>

#include "network/reference_kernels.hpp"
#include "tessera/quantise.hpp"

namespace tessera::reference {

void add(const Add& add, const Operands& x) {
  constexpr int kLeftShift = 20;
  const Quantisation& a = x.input(0).quantisation;
  const Quantisation& b = x.input(1).quantisation;
  const Quantisation& out = x.output().quantisation;
  const double twice_max = 2.0 * static_cast<double>(std::max(a.scales[0], b.scales[0]));
  const FixedPoint factor_a = fixed_point(static_cast<double>(a.scales[0]) / twice_max);
  const FixedPoint factor_b = fixed_point(static_cast<double>(b.scales[0]) / twice_max);
  const FixedPoint factor_out = fixed_point(
      twice_max / ((std::int64_t{1} << kLeftShift) * static_cast<double>(out.scales[0])));
  const ClampRange range = activation_range(add.activation, out);
  const auto* data_a = x.data<std::int8_t>(0);
  const auto* data_b = x.data<std::int8_t>(1);
  const auto scaled = [](std::int8_t value, std::int32_t zero_point, FixedPoint factor) {
    return requantise((value - zero_point) * (1 << kLeftShift), factor);
  };
  for (std::int64_t i = 0; i < x.output().elements(); ++i) {
    const std::int32_t sum =
        scaled(data_a[i], a.zero_point, factor_a) + scaled(data_b[i], b.zero_point, factor_b);
    const std::int32_t value = requantise(sum, factor_out) + out.zero_point;
    x.result()[i] = static_cast<std::int8_t>(std::clamp(value, range.low, range.high));
  }
}

void pool(const Pool2d& pool, const Operands& x) {
  const Tensor& in = x.input(0);
  const Tensor& out = x.output();
  const ClampRange range = activation_range(pool.activation, out.quantisation);
  const std::int32_t channels = in.shape[3];
  const auto* feature = x.data<std::int8_t>(0);
  auto* result = x.result();
  for (std::int32_t oy = 0; oy < out.shape[1]; ++oy) {
    const std::int32_t top = oy * pool.stride_h - pool.padding.top;
    const std::int32_t y0 = std::max(top, 0);
    const std::int32_t y1 = std::min(top + pool.filter_h, in.shape[1]);
    for (std::int32_t ox = 0; ox < out.shape[2]; ++ox) {
      const std::int32_t left = ox * pool.stride_w - pool.padding.left;
      const std::int32_t x0 = std::max(left, 0);
      const std::int32_t x1 = std::min(left + pool.filter_w, in.shape[2]);
      const std::int32_t cells = std::max((y1 - y0) * (x1 - x0), 1);
      for (std::int32_t c = 0; c < channels; ++c) {
        std::int32_t sum = 0;
        std::int32_t greatest = -128;
        for (std::int32_t y = y0; y < y1; ++y) {
          for (std::int32_t col = x0; col < x1; ++col) {
            const std::int32_t value =
                feature[(std::int64_t{y} * in.shape[2] + col) * channels + c];
            sum += value;
            greatest = std::max(greatest, value);
          }
        }
        const std::int32_t mean = (sum > 0 ? sum + cells / 2 : sum - cells / 2) / cells;
        const std::int32_t value = pool.kind == PoolKind::Average ? mean : greatest;
        *result++ = static_cast<std::int8_t>(std::clamp(value, range.low, range.high));
      }
    }
  }
}

void reshape(const Operands& x) {
  std::memcpy(x.output_data, x.inputs[0], x.output().bytes());
}

void pad(const Pad& pad, const Operands& x) {
  const Tensor& in = x.input(0);
  const Tensor& out = x.output();
  std::fill_n(x.result(), out.elements(), static_cast<std::int8_t>(in.quantisation.zero_point));
  // Rows of the innermost dimension, at the coordinates of the outer ones.
  const std::size_t rank = in.shape.size();
  const std::int32_t row = in.shape[rank - 1];
  std::vector<std::int32_t> at(rank, 0);
  const auto* source = x.data<std::int8_t>(0);
  for (std::int64_t done = 0; done < in.elements(); done += row) {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      offset = offset * out.shape[d] + at[d] + pad.before[d];
    }
    std::copy_n(source + done, row, x.result() + offset);
    for (std::size_t d = rank - 1; d-- > 0;) {
      if (++at[d] < in.shape[d]) {
        break;
      }
      at[d] = 0;
    }
  }
}

void concatenation(const Concatenation& concat, const Operands& x) {
  const Tensor& out = x.output();
  std::int64_t outer = 1;
  for (std::int32_t d = 0; d < concat.axis; ++d) {
    outer *= out.shape[static_cast<std::size_t>(d)];
  }
  const std::int64_t out_chunk = out.elements() / outer;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < x.op.inputs.size(); ++i) {
    const std::int64_t chunk = x.input(i).elements() / outer;
    for (std::int64_t o = 0; o < outer; ++o) {
      std::copy_n(x.data<std::int8_t>(i) + o * chunk, chunk, x.result() + o * out_chunk + offset);
    }
    offset += chunk;
  }
}

}  // namespace tessera::reference

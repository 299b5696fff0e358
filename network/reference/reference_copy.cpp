// Operators that move values without computing.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "network/reference/elements.hpp"
#include "network/reference/reference_kernels.hpp"
#include "tessera/quantise.hpp"
#include "tessera/reference.hpp"

namespace tessera {

std::int32_t nearest_source(const ResizeNearest& resize, std::int32_t at, std::int32_t in,
                            std::int32_t out) {
  const bool corners = resize.align_corners && out > 1;
  const float scale = corners ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                              : static_cast<float>(in) / static_cast<float>(out);
  const float place = (static_cast<float>(at) + (resize.half_pixel_centers ? 0.5F : 0.0F)) * scale;
  const float whole = resize.align_corners ? std::round(place) : std::floor(place);
  return std::clamp(static_cast<std::int32_t>(whole), 0, in - 1);
}

}  // namespace tessera

namespace tessera::reference {

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
  const auto size = static_cast<std::int64_t>(size_of(out.type));
  const std::int64_t out_chunk = out.elements() / outer;
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < x.op.inputs.size(); ++i) {
    const Tensor& in = x.input(i);
    const std::int64_t chunk = in.elements() / outer;
    const bool rescaled =
        out.type == DataType::Int8 && (in.quantisation.scales != out.quantisation.scales ||
                                       in.quantisation.zero_point != out.quantisation.zero_point);
    const FixedPoint factor =
        rescaled ? rescale_factor(in.quantisation, out.quantisation) : FixedPoint{};
    for (std::int64_t o = 0; o < outer; ++o) {
      if (!rescaled) {
        std::memcpy(x.output_data + (o * out_chunk + offset) * size, x.inputs[i] + o * chunk * size,
                    static_cast<std::size_t>(chunk * size));
        continue;
      }
      for (std::int64_t e = 0; e < chunk; ++e) {
        const std::int32_t centred =
            x.data<std::int8_t>(i)[o * chunk + e] - in.quantisation.zero_point;
        const std::int32_t value =
            requantise(centred, factor, out.quantisation.zero_point, x.op.rounding);
        x.result()[o * out_chunk + offset + e] =
            static_cast<std::int8_t>(std::clamp(value, -128, 127));
      }
    }
    offset += chunk;
  }
}

void transpose(const Transpose& transpose, const Operands& x) {
  const std::vector<std::int32_t>& shape = x.input(0).shape;
  std::vector<std::int32_t> source(shape.size());
  move_elements(x, 0, [&](const std::vector<std::int32_t>& at) {
    for (std::size_t d = 0; d < at.size(); ++d) {
      source[static_cast<std::size_t>(transpose.order[d])] = at[d];
    }
    return index_of(shape, source);
  });
}

void strided_slice(const StridedSlice& slice, const Operands& x) {
  const std::vector<std::int32_t>& shape = x.input(0).shape;
  std::vector<std::int32_t> source(shape.size());
  move_elements(x, 0, [&](const std::vector<std::int32_t>& at) {
    for (std::size_t d = 0; d < at.size(); ++d) {
      source[d] = slice.begin[d] + at[d] * slice.stride[d];
    }
    return index_of(shape, source);
  });
}

void resize_nearest(const ResizeNearest& resize, const Operands& x) {
  const std::vector<std::int32_t>& shape = x.input(0).shape;
  const std::vector<std::int32_t>& to = x.output().shape;
  move_elements(x, 0, [&](const std::vector<std::int32_t>& at) {
    const std::vector<std::int32_t> source = {at[0], nearest_source(resize, at[1], shape[1], to[1]),
                                              nearest_source(resize, at[2], shape[2], to[2]),
                                              at[3]};
    return index_of(shape, source);
  });
}

void dequantize(const Operands& x) {
  const Quantisation& in = x.input(0).quantisation;
  auto* result = reinterpret_cast<float*>(x.output_data);
  for (std::int64_t i = 0; i < x.output().elements(); ++i) {
    const std::int32_t centred = x.data<std::int8_t>(0)[i] - in.zero_point;
    result[i] = in.scales[0] * static_cast<float>(centred);
  }
}

}  // namespace tessera::reference

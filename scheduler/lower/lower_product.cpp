// Products of two computed tensors: one of them is loaded as weights.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "network/matrices.hpp"
#include "network/numerics.hpp"
#include "scheduler/lower/lowering_parts.hpp"
#include "scheduler/lower/tiling.hpp"
#include "tessera/quantise.hpp"

namespace tessera::lowering {
namespace {

constexpr std::size_t kMostBatches = 256;

/// One of the two factors: what the array walks, pixel by pixel, or its weights.
struct Factor {
  std::int32_t tensor;
  const std::vector<std::int64_t>& starts;  ///< of each batch's matrix
  std::int64_t vectors;                     ///< rows or columns that are multiplied
  std::int64_t stride;                      ///< from one of them to the next
  std::int64_t step;                        ///< from one of its elements to the next
  std::int64_t out_stride;                  ///< of the output, from one of them to the next
};

View view_of(const Factor& factor, std::size_t batch) {
  const auto bytes = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  return {bytes(factor.starts[batch]), bytes(factor.vectors * factor.stride), bytes(factor.stride),
          bytes(factor.step)};
}

// Channels that fill up the last atom are zeros in both factors, which count as zero points.
std::int32_t filled_up(std::int64_t channels, const Hardware& hardware) {
  const auto atom = static_cast<std::int64_t>(hardware.atomic_c);
  return static_cast<std::int32_t>((atom - channels % atom) % atom);
}

/// A tensor, and the bytes from one step along each dimension of the factor to the next.
struct Source {
  std::int32_t tensor;
  Strides strides;
};

Source source_of(const Context& c, std::size_t input, const std::optional<FoldedInput>& folded) {
  if (!folded) {
    return {c.op.inputs[input], row_major_strides(c.input(input).shape)};
  }
  const Strides own = row_major_strides(tensor_of(c.network, folded->feature).shape);
  Source source{folded->feature, {}};
  for (const std::int32_t axis : folded->order) {
    source.strides.push_back(own[static_cast<std::size_t>(axis)]);
  }
  return source;
}

/// What all kernels have.
struct Scaling {
  FixedPoint factor;
  std::int32_t bias = 0;
  std::int32_t zero_point = 0;  ///< of the output
};

LayerKernel kernel_of(const Scaling& scaling, std::int32_t outputs) {
  LayerKernel kernel;
  kernel.biases.assign(u32(outputs), static_cast<std::uint32_t>(scaling.bias));
  kernel.factors.assign(u32(outputs), scaling.factor);
  kernel.quant.zero_point = scaling.zero_point;
  kernel.quant.low = -128;
  kernel.quant.high = 127;
  return kernel;
}

}  // namespace

Lowering batch_matmul(const Context& c, const FoldedInputs& folded) {
  const Source sources[] = {source_of(c, 0, folded[0]), source_of(c, 1, folded[1])};
  const MatrixProduct product =
      matrix_product(c.network, c.op, sources[0].strides, sources[1].strides);
  const std::size_t batches = product.firsts.size();
  if (c.input(1).type != DataType::Int8) {
    return refuse(fmt::format("computes on {}, the array on int8", name_of(c.input(1).type)));
  }
  if (batches > kMostBatches) {
    return refuse(
        fmt::format("has {} products, at most {} are passes of the array", batches, kMostBatches));
  }
  const Factor first{sources[0].tensor, product.firsts,     product.rows,
                     product.first_row, product.first_step, product.cols};
  const Factor second{sources[1].tensor,  product.seconds,     product.cols,
                      product.second_col, product.second_step, 1};
  // Pixels have their channels side by side; kernels may have them anywhere.
  const bool is_plain = first.step == 1 || product.depth == 1;
  if (!is_plain && second.step != 1) {
    return refuse("multiplies columns by columns: neither side's channels are adjacent");
  }
  const Factor& pixels = is_plain ? first : second;
  const Factor& kernels = is_plain ? second : first;
  const std::int32_t pixel_zero = tensor_of(c.network, pixels.tensor).quantisation.zero_point;
  const std::int32_t kernel_zero = tensor_of(c.network, kernels.tensor).quantisation.zero_point;
  const Quantisation& right = c.input(1).quantisation;
  const Scaling scaling{weighted_factors(c.input(0).quantisation, right, c.output().quantisation, 1,
                                         scale_arithmetic(c.op, right))[0],
                        -pixel_zero * kernel_zero * filled_up(product.depth, c.hardware),
                        c.output().quantisation.zero_point};
  Lowering lowering;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    ArrayPass pass;
    pass.shape.name = c.op.name;
    pass.shape.in_w = pass.shape.out_w = static_cast<std::int32_t>(pixels.vectors);
    pass.shape.in_c = static_cast<std::int32_t>(product.depth);
    pass.shape.out_c = static_cast<std::int32_t>(kernels.vectors);
    pass.shape.weight_zero = kernel_zero;
    pass.feature = pixels.tensor;
    pass.feature_view = view_of(pixels, batch);
    pass.feature_view.channel_stride = 1;
    pass.weights = ComputedWeights{kernels.tensor, view_of(kernels, batch), pixel_zero};
    pass.output_view = {batch * static_cast<std::uint64_t>(product.rows * product.cols),
                        static_cast<std::uint64_t>(product.rows * product.cols),
                        static_cast<std::uint64_t>(pixels.out_stride),
                        static_cast<std::uint64_t>(kernels.out_stride)};
    pass.kernel = [scaling, outputs = pass.shape.out_c](Contents /*contents*/) {
      return kernel_of(scaling, outputs);
    };
    lowering.passes.push_back(std::move(pass));
  }
  return lowering;
}

bool absorb_transposition(Lowering& product, const Network& network, const Operator& next) {
  const auto& order = std::get<Transpose>(next.attributes).order;
  const Strides from = row_major_strides(tensor_of(network, next.inputs[0]).shape);
  const Strides to = row_major_strides(tensor_of(network, next.output).shape);
  const std::size_t rank = order.size();
  const auto is_row_by_row = [&](const ArrayPass& pass) {
    return pass.weights && pass.constant.empty() && pass.output_view.channel_stride == 1 &&
           rank >= 2 && pass.output_view.pixel_stride == static_cast<std::uint64_t>(from[rank - 2]);
  };
  if (product.passes.empty() || static_cast<std::size_t>(order.back()) != rank - 1 ||
      !std::all_of(product.passes.begin(), product.passes.end(), is_row_by_row)) {
    return false;
  }
  // By the product's dimension.
  Strides strides(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    strides[static_cast<std::size_t>(order[d])] = to[d];
  }
  for (ArrayPass& pass : product.passes) {
    auto left = static_cast<std::int64_t>(pass.output_view.offset);
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      offset += left / from[d] * strides[d];
      left %= from[d];
    }
    pass.output_view.offset = static_cast<std::uint64_t>(offset);
    pass.output_view.pixel_stride = static_cast<std::uint64_t>(strides[rank - 2]);
  }
  return true;
}

}  // namespace tessera::lowering

// What lower() is made of, by kind of operator.
#pragma once

#include "scheduler/lower/lowering.hpp"

namespace tessera::lowering {

/// 1 of a scalar.
inline std::int32_t last_extent(const Tensor& tensor) {
  return tensor.shape.empty() ? 1 : tensor.shape.back();
}

inline const Tensor& tensor_of(const Network& network, std::int32_t index) {
  return network.tensors[static_cast<std::size_t>(index)];
}

/// What an operator's lowering looks at.
struct Context {
  const Network& network;
  const Operator& op;
  const Hardware& hardware;

  [[nodiscard]] const Tensor& input(std::size_t i) const {
    return tensor_of(network, op.inputs[i]);
  }
  [[nodiscard]] const Tensor& output() const { return tensor_of(network, op.output); }
};

/// A shape with the sizes of two NHWC tensors.
ConvShape shape_between(const std::string& name, const Tensor& in, const Tensor& out);

Lowering refuse(std::string problem);

/// Features that what follows the requantiser needs and the hardware does not have, a bit each.
std::uint32_t missing_features(const std::optional<PostOperation>& post, const Hardware& hardware);

Lowering conv(const Context& context, const Conv2d& conv, const std::optional<FoldedInput>& pad);
Lowering depthwise(const Context& context, const DepthwiseConv2d& conv,
                   const std::optional<FoldedInput>& pad);
Lowering transpose_conv(const Context& context, const TransposeConv2d& conv);
Lowering fully_connected(const Context& context, const FullyConnected& fc);
Lowering pool(const Context& context, const Pool2d& pool);
Lowering mean(const Context& context, const Mean& mean);
/// Of a transposition that the mean reads in its stead.
Lowering transposed_mean(const Context& context, const Mean& mean, const FoldedInput& input);
Lowering unary(const Context& context);
Lowering binary(const Context& context);
/// Over the last dimension, on hardware that has it.
Lowering softmax(const Context& context, const Softmax& softmax);
Lowering pad(const Context& context, const Pad& pad);
Lowering concatenation(const Context& context, const Concatenation& concat);
Lowering strided_slice(const Context& context, const StridedSlice& slice);
Lowering transpose(const Context& context, const Transpose& transpose);
Lowering resize_nearest(const Context& context, const ResizeNearest& resize);
/// A product of two computed tensors: one of them is loaded as weights. Transpositions that leave
/// the last dimension in its place are part of it.
Lowering batch_matmul(const Context& context, const FoldedInputs& folded);
/// Lets the product write what `next` would make of it. False when it cannot.
bool absorb_transposition(Lowering& product, const Network& network, const Operator& next);

/// Values pass unchanged, or rescaled.
LayerKernel identity_kernel(std::int32_t channels);
LayerKernel rescaling_kernel(std::int32_t channels, const Quantisation& in,
                             const Quantisation& out);

/// The kernels [begin, end) of all.
LayerKernel some_kernels(LayerKernel kernel, std::int32_t begin, std::int32_t end);

/// Ordinary convolutions of a few channels each, whose kernels have zeros for all channels but
/// their own, in the place of depthwise ones that look for sums, not maxima: for arrays without a
/// window.
std::vector<ArrayPass> without_window(const std::vector<ArrayPass>& pieces,
                                      const Hardware& hardware);

}  // namespace tessera::lowering

#include "scheduler/lower/lowering.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "network/numerics.hpp"
#include "scheduler/lower/lowering_parts.hpp"
#include "scheduler/lower/weight_range.hpp"

namespace tessera {
namespace {

struct Lowerer {
  const lowering::Context& context;
  const FoldedInputs& inputs;
  const std::optional<FoldedInput>& folded = inputs[0];

  Lowering operator()(const Conv2d& op) const { return lowering::conv(context, op, folded); }
  Lowering operator()(const DepthwiseConv2d& op) const {
    return lowering::depthwise(context, op, folded);
  }
  Lowering operator()(const TransposeConv2d& op) const {
    return lowering::transpose_conv(context, op);
  }
  Lowering operator()(const FullyConnected& op) const {
    return lowering::fully_connected(context, op);
  }
  Lowering operator()(const Binary&) const { return lowering::binary(context); }
  Lowering operator()(const Unary&) const { return lowering::unary(context); }
  Lowering operator()(const Pool2d& op) const { return lowering::pool(context, op); }
  Lowering operator()(const Mean& op) const {
    return folded ? lowering::transposed_mean(context, op, *folded) : lowering::mean(context, op);
  }
  Lowering operator()(const Transpose& op) const { return lowering::transpose(context, op); }
  Lowering operator()(const StridedSlice& op) const { return lowering::strided_slice(context, op); }
  Lowering operator()(const ResizeNearest& op) const {
    return lowering::resize_nearest(context, op);
  }
  Lowering operator()(const Pad& op) const { return lowering::pad(context, op); }
  Lowering operator()(const Concatenation& op) const {
    return lowering::concatenation(context, op);
  }
  Lowering operator()(const Reshape&) const { return on_host(); }
  Lowering operator()(const Softmax& op) const { return lowering::softmax(context, op); }
  Lowering operator()(const Dequantize&) const { return on_host(); }
  Lowering operator()(const HostOperator& host) const {
    switch (host.kind) {
      case HostKind::BatchMatMul:
        return lowering::batch_matmul(context, inputs);
      case HostKind::SquaredDifference:
        return lowering::binary(context);
      default:
        return on_host();
    }
  }

  [[nodiscard]] Lowering on_host() const {
    return lowering::refuse(std::string(context.op.type_name()) + " has no accelerator unit");
  }
};

}  // namespace

View packed_view(std::int32_t cols, std::int32_t channels) {
  const auto pixel = static_cast<std::uint64_t>(channels);
  return {0, static_cast<std::uint64_t>(cols) * pixel, pixel, 1};
}

namespace lowering {

ConvShape shape_between(const std::string& name, const Tensor& in, const Tensor& out) {
  ConvShape shape;
  shape.name = name;
  shape.in_h = in.shape[1];
  shape.in_w = in.shape[2];
  shape.in_c = in.shape[3];
  shape.out_h = out.shape[1];
  shape.out_w = out.shape[2];
  shape.out_c = out.shape[3];
  return shape;
}

Lowering refuse(std::string problem) {
  Lowering lowering;
  lowering.problem = std::move(problem);
  return lowering;
}

namespace {

// Kernels with other zero points are other passes.
std::vector<ArrayPass> cut_by_zero(const std::vector<ArrayPass>& pieces,
                                   const std::vector<KernelRange>& ranges) {
  std::vector<ArrayPass> result;
  for (const ArrayPass& whole : pieces) {
    for (const KernelRange& range : ranges) {
      const std::int32_t begin = std::max(range.begin - whole.first_kernel, 0);
      const std::int32_t end = std::min(range.end - whole.first_kernel, whole.shape.out_c);
      if (begin >= end) {
        continue;
      }
      ArrayPass part = whole;
      part.shape.weight_zero = range.zero;
      const bool is_all = end - begin == whole.shape.out_c;
      for (auto* folded : {&part.folded, &part.folded_columns}) {
        if (*folded && is_all) {
          (*folded)->shape.weight_zero = range.zero;
        } else {
          folded->reset();
        }
      }
      if (!is_all) {
        part.shape.out_c = end - begin;
        part.output_view.offset +=
            static_cast<std::uint64_t>(begin) * whole.output_view.channel_stride;
        if (whole.shape.depthwise) {
          part.shape.in_c = part.shape.out_c;
          part.feature_view.offset += static_cast<std::uint64_t>(begin);
        }
        part.kernel = [kernel = whole.kernel, begin, end](Contents contents) {
          return some_kernels(kernel(contents), begin, end);
        };
      }
      result.push_back(std::move(part));
    }
  }
  return result;
}

void round_as(Rounding rounding, Lowering& lowering) {
  lowering.rounding = rounding;
  if (rounding == Rounding::Twice) {
    return;
  }
  for (ArrayPass& piece : lowering.passes) {
    piece.kernel = [kernel = std::move(piece.kernel), rounding](Contents contents) {
      LayerKernel result = kernel(contents);
      result.quant.rounding = static_cast<std::uint32_t>(rounding);
      std::transform(result.factors.begin(), result.factors.end(), result.factors.begin(),
                     without_excess);
      return result;
    };
  }
}

// What nothing else can take the place of.
std::uint32_t missing_for(const Lowering& lowering, const Hardware& hardware) {
  std::uint32_t needed = missing_features(lowering.post, hardware);
  if (lowering.rounding != Rounding::Twice) {
    needed |= 1U << static_cast<unsigned>(isa::Feature::SingleRounding);
  }
  for (const ArrayPass& piece : lowering.passes) {
    if (piece.shape.maximum) {
      needed |= 1U << static_cast<unsigned>(isa::Feature::Depthwise);
    }
    if (piece.shape.weight_zero != 0) {
      needed |= 1U << static_cast<unsigned>(isa::Feature::ZeroPoints);
    }
  }
  return needed & ~hardware.features;
}

}  // namespace

std::uint32_t missing_features(const std::optional<PostOperation>& post, const Hardware& hardware) {
  if (!post) {
    return 0;
  }
  std::uint32_t needed = post->softmax ? isa::features_of(isa::encode(*post->softmax))
                                       : isa::features_of(isa::encode(post->command));
  if (post->operand >= 0) {
    needed |= isa::features_of(isa::encode(post->result));
  }
  return needed & ~hardware.features;
}

}  // namespace lowering

Lowering lower(const Network& network, const Operator& op, const Hardware& hardware,
               const FoldedInputs& folded) {
  const lowering::Context context{network, op, hardware};
  for (const std::int32_t t : {op.inputs[0], op.output}) {
    const DataType type = lowering::tensor_of(network, t).type;
    if (type != DataType::Int8) {
      return lowering::refuse(fmt::format("computes on {}, the array on int8", name_of(type)));
    }
  }
  Lowering result = std::visit(Lowerer{context, folded}, op.attributes);
  if (!result.problem.empty()) {
    return result;
  }
  if (op.inputs.size() > 1 && op.inputs[1] >= 0) {
    const Tensor& kernel = lowering::tensor_of(network, op.inputs[1]);
    if (kernel.type == DataType::Int16) {
      const bool outputs_last = std::holds_alternative<DepthwiseConv2d>(op.attributes);
      result.passes = lowering::cut_by_zero(result.passes, kernel_ranges(kernel, outputs_last));
    }
  }
  lowering::round_as(rounding_of(network, op), result);
  if (const std::uint32_t missing = lowering::missing_for(result, hardware); missing != 0) {
    return lowering::refuse(
        fmt::format("needs {}, which the hardware is built without", isa::feature_names(missing)));
  }
  if (!hardware.has(isa::Feature::Depthwise)) {
    result.passes = lowering::without_window(result.passes, hardware);
  }
  for (const ArrayPass& piece : result.passes) {
    if (piece.constant.empty() && !lowering::tensor_of(network, piece.feature).constant.empty()) {
      return lowering::refuse("its input is a constant");
    }
    if (std::string problem = accelerator_problem(piece.shape, hardware); !problem.empty()) {
      return lowering::refuse(std::move(problem));
    }
  }
  return result;
}

std::optional<FoldedInput> foldable_input(const Network& network, const Operator& op) {
  const Tensor& in = lowering::tensor_of(network, op.inputs[0]);
  if (const auto* transposition = std::get_if<Transpose>(&op.attributes);
      transposition != nullptr && in.constant.empty()) {
    return FoldedInput{op.inputs[0], {}, transposition->order};
  }
  const auto* pad = std::get_if<Pad>(&op.attributes);
  if (pad == nullptr || in.shape.size() != 4 || !in.constant.empty() || pad->before[0] != 0 ||
      pad->after[0] != 0 || pad->before[3] != 0 || pad->after[3] != 0) {
    return std::nullopt;
  }
  return FoldedInput{
      op.inputs[0], {pad->before[1], pad->before[2], pad->after[1], pad->after[2]}, {}};
}

}  // namespace tessera

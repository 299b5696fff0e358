#include "scheduler/lower/lowering.hpp"

#include <fmt/format.h>

#include "scheduler/lower/lowering_parts.hpp"

namespace tessera {
namespace {

struct Lowerer {
  const lowering::Context& context;
  const std::optional<FoldedPad>& folded;

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
  Lowering operator()(const Mean& op) const { return lowering::mean(context, op); }
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
  Lowering operator()(const Softmax&) const { return on_host(); }
  Lowering operator()(const Dequantize&) const { return on_host(); }
  Lowering operator()(const HostOperator&) const { return on_host(); }

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

}  // namespace lowering

Lowering lower(const Network& network, const Operator& op, const Hardware& hardware,
               const std::optional<FoldedPad>& pad) {
  const lowering::Context context{network, op, hardware};
  for (const std::int32_t t : {op.inputs[0], op.output}) {
    const DataType type = lowering::tensor_of(network, t).type;
    if (type != DataType::Int8) {
      return lowering::refuse(fmt::format("computes on {}, the array on int8", name_of(type)));
    }
  }
  Lowering result = std::visit(Lowerer{context, pad}, op.attributes);
  for (const Piece& piece : result.pieces) {
    if (!lowering::tensor_of(network, piece.feature).constant.empty()) {
      return lowering::refuse("its input is a constant");
    }
    if (std::string problem = accelerator_problem(piece.shape, hardware); !problem.empty()) {
      return lowering::refuse(std::move(problem));
    }
  }
  return result;
}

std::optional<FoldedPad> foldable_pad(const Network& network, const Operator& op) {
  const auto* pad = std::get_if<Pad>(&op.attributes);
  const Tensor& in = lowering::tensor_of(network, op.inputs[0]);
  if (pad == nullptr || in.shape.size() != 4 || !in.constant.empty() || pad->before[0] != 0 ||
      pad->after[0] != 0 || pad->before[3] != 0 || pad->after[3] != 0) {
    return std::nullopt;
  }
  return FoldedPad{op.inputs[0], {pad->before[1], pad->before[2], pad->after[1], pad->after[2]}};
}

}  // namespace tessera

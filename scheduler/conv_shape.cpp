#include <fmt/format.h>

#include "scheduler/tiling.hpp"
#include "tessera/isa.hpp"
#include "tessera/schedule.hpp"

namespace tessera {
namespace {

ConvShape shape_of(const Network& network, const Operator& op, const Conv2d& conv) {
  const auto tensor = [&](std::int32_t index) -> const Tensor& {
    return network.tensors[static_cast<std::size_t>(index)];
  };
  const Tensor& in = tensor(op.inputs[0]);
  const Tensor& kernel = tensor(op.inputs[1]);
  const Tensor& out = tensor(op.output);
  ConvShape shape;
  shape.name = op.name;
  shape.in_h = in.shape[1];
  shape.in_w = in.shape[2];
  shape.in_c = in.shape[3];
  shape.out_h = out.shape[1];
  shape.out_w = out.shape[2];
  shape.out_c = out.shape[3];
  shape.kernel_h = kernel.shape[1];
  shape.kernel_w = kernel.shape[2];
  shape.stride_h = conv.stride_h;
  shape.stride_w = conv.stride_w;
  shape.dilation_h = conv.dilation_h;
  shape.dilation_w = conv.dilation_w;
  shape.pad_top = conv.padding.top;
  shape.pad_left = conv.padding.left;
  return shape;
}

}  // namespace

std::uint64_t ConvShape::macs() const {
  return static_cast<std::uint64_t>(out_h) * static_cast<std::uint64_t>(out_w) *
         static_cast<std::uint64_t>(out_c) * static_cast<std::uint64_t>(kernel_h) *
         static_cast<std::uint64_t>(kernel_w) * (depthwise ? 1 : static_cast<std::uint64_t>(in_c));
}

std::optional<ConvShape> conv_shape_of(const Network& network, const Operator& op) {
  if (const auto* conv = std::get_if<Conv2d>(&op.attributes); conv != nullptr) {
    return shape_of(network, op, *conv);
  }
  if (const auto* depthwise = std::get_if<DepthwiseConv2d>(&op.attributes); depthwise != nullptr) {
    ConvShape shape = shape_of(network, op, depthwise->conv);
    // With one input channel every kernel sees all of the input: an ordinary convolution.
    shape.depthwise = shape.in_c > 1;
    return shape;
  }
  if (std::holds_alternative<FullyConnected>(op.attributes)) {
    const Tensor& in = network.tensors[static_cast<std::size_t>(op.inputs[0])];
    const Tensor& kernel = network.tensors[static_cast<std::size_t>(op.inputs[1])];
    ConvShape shape;
    shape.name = op.name;
    shape.in_c = kernel.shape[1];
    shape.out_c = kernel.shape[0];
    shape.in_w = static_cast<std::int32_t>(in.elements() / kernel.shape[1]);
    shape.out_w = shape.in_w;
    return shape;
  }
  return std::nullopt;
}

std::string accelerator_problem(const ConvShape& shape, const Hardware& hardware) {
  if (shape.depthwise && shape.in_c != shape.out_c) {
    return fmt::format("depthwise with {} outputs per channel has no accelerator unit",
                       shape.out_c / shape.in_c);
  }
  if (shape.depthwise && hardware.depthwise_window().rows == 0) {
    return fmt::format("depthwise needs a square array, this one is {} x {}", hardware.atomic_c,
                       hardware.atomic_k);
  }
  struct Limit {
    const char* what;
    std::int64_t value;
    std::int64_t highest;
  };
  const Limit limits[] = {
      {"kernel height", shape.kernel_h, 16},
      {"kernel width", shape.kernel_w, 16},
      {"vertical stride", shape.stride_h, 8},
      {"horizontal stride", shape.stride_w, 8},
      {"vertical dilation", shape.dilation_h, 16},
      {"horizontal dilation", shape.dilation_w, 16},
      {"input height", shape.in_h, 32767},
      {"input width", shape.in_w, 32767},
      {"input channels", shape.in_c, 65535},
      {"bytes of an input row", std::int64_t{shape.in_w} * shape.in_c, (1 << 24) - 1},
      {"bytes of an output row", std::int64_t{shape.out_w} * shape.out_c, (1 << 24) - 1},
      {"channel atoms", atoms_of(shape, hardware), 4095},
  };
  for (const Limit& limit : limits) {
    if (limit.value > limit.highest) {
      return fmt::format("{} is {}, the command set allows {}", limit.what, limit.value,
                         limit.highest);
    }
  }
  return "";
}

}  // namespace tessera

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/tiling.hpp"
#include "tessera/isa.hpp"
#include "tessera/quantise.hpp"
#include "tessera/schedule.hpp"

namespace tessera {
namespace {

constexpr std::int32_t kMostAveraged = 16384;  // their weighted sum stays far inside int32

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

ConvShape shape_of(const Network& network, const Operator& op, const Pool2d& pool) {
  const Tensor& in = network.tensors[static_cast<std::size_t>(op.inputs[0])];
  const Tensor& out = network.tensors[static_cast<std::size_t>(op.output)];
  ConvShape shape;
  shape.name = op.name;
  shape.in_h = in.shape[1];
  shape.in_w = in.shape[2];
  shape.in_c = in.shape[3];
  shape.out_h = out.shape[1];
  shape.out_w = out.shape[2];
  shape.out_c = out.shape[3];
  shape.kernel_h = pool.filter_h;
  shape.kernel_w = pool.filter_w;
  // A single output has no stride, whatever the operator says.
  shape.stride_h = shape.out_h == 1 ? 1 : pool.stride_h;
  shape.stride_w = shape.out_w == 1 ? 1 : pool.stride_w;
  shape.pad_top = pool.padding.top;
  shape.pad_left = pool.padding.left;
  shape.depthwise = true;
  shape.maximum = pool.kind == PoolKind::Max;
  shape.divisor = shape.maximum ? 0
                                : static_cast<std::int32_t>(std::min<std::int64_t>(
                                      std::int64_t{pool.filter_h} * pool.filter_w, INT32_MAX));
  return shape;
}

std::string pooling_problem(const ConvShape& s) {
  const std::int32_t last_row = (s.out_h - 1) * s.stride_h - s.pad_top + s.kernel_h;
  const std::int32_t last_col = (s.out_w - 1) * s.stride_w - s.pad_left + s.kernel_w;
  if (s.pad_top > 0 || s.pad_left > 0 || last_row > s.in_h || last_col > s.in_w) {
    return "its windows reach into padding, where the divisor changes";
  }
  if (s.divisor > kMostAveraged) {
    return fmt::format("it averages {} values, supported are {}", s.divisor, kMostAveraged);
  }
  return average_factor(s.divisor)
             ? ""
             : fmt::format("no requantisation averages {} values exactly", s.divisor);
}

std::string depthwise_problem(const ConvShape& shape, const Hardware& hardware) {
  if (shape.in_c != shape.out_c) {
    return fmt::format("depthwise with {} outputs per channel has no accelerator unit",
                       shape.out_c / shape.in_c);
  }
  const Hardware::Window window = hardware.depthwise_window();
  if (window.rows == 0) {
    return fmt::format("depthwise needs a square array, this one is {} x {}", hardware.atomic_c,
                       hardware.atomic_k);
  }
  const WindowTiling tiling = window_tiling(shape, hardware);
  if (tiling.chunks_y > 16 || tiling.chunks_x > 16) {
    return fmt::format("its kernel needs {} x {} windows of the array, the command set allows 16",
                       tiling.chunks_y, tiling.chunks_x);
  }
  return shape.divisor > 0 ? pooling_problem(shape) : "";
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
  if (const auto* pool = std::get_if<Pool2d>(&op.attributes); pool != nullptr) {
    return shape_of(network, op, *pool);
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
  if (shape.depthwise) {
    if (std::string problem = depthwise_problem(shape, hardware); !problem.empty()) {
      return problem;
    }
  }
  struct Limit {
    const char* what;
    std::int64_t value;
    std::int64_t highest;
  };
  const Limit limits[] = {
      {"kernel height", shape.depthwise ? 1 : shape.kernel_h, 16},
      {"kernel width", shape.depthwise ? 1 : shape.kernel_w, 16},
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

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "network/network_checker.hpp"
#include "tessera/error.hpp"

namespace tessera {

void NetworkChecker::check_bias(const Operator& op, std::int32_t channels) const {
  if (op.inputs.size() < 3 || op.inputs[2] < 0) {
    return;
  }
  const Tensor& bias = input(op, 2, "bias");
  require(bias.type == DataType::Int32 && bias.elements() == channels && !bias.constant.empty(),
          fmt::format("bias must be {} constant int32", channels));
}

void NetworkChecker::check_kernel(const Tensor& kernel, std::int32_t channels) const {
  require(
      (kernel.type == DataType::Int8 || kernel.type == DataType::Int16) && !kernel.constant.empty(),
      "kernel must be constant int8");
  for (std::size_t i = 0; kernel.type == DataType::Int16 && i < kernel.constant.size(); i += 2) {
    const auto weight = static_cast<std::int16_t>(kernel.constant[i] | kernel.constant[i + 1] << 8);
    require(weight >= -255 && weight <= 255,
            fmt::format("weight {} is {}; allowed is -255 to 255", i / 2, weight));
  }
  require(kernel.quantisation.zero_point == 0, "kernel zero point must be 0");
  const std::size_t scales = kernel.quantisation.scales.size();
  require(scales == 1 || scales == static_cast<std::size_t>(channels),
          fmt::format("kernel has {} scales; allowed is 1 or {}", scales, channels));
}

// Sums times this are the output's steps. Beyond 2^30 the fixed-point arithmetic has no shift.
void NetworkChecker::check_factors(const Tensor& in, const Tensor& kernel,
                                   const Tensor& out) const {
  for (const float scale : kernel.quantisation.scales) {
    const double factor = static_cast<double>(in.quantisation.scales[0]) *
                          static_cast<double>(scale) /
                          static_cast<double>(out.quantisation.scales[0]);
    require(factor < double{1 << 30},
            fmt::format("scales {} of its input, {} of its kernel and {} of its output give a "
                        "factor of {:.3g}; allowed is below 2^30",
                        in.quantisation.scales[0], scale, out.quantisation.scales[0], factor));
  }
}

void NetworkChecker::check_window(std::int32_t in, std::int32_t kernel, std::int32_t stride,
                                  std::int32_t dilation, std::int32_t before, std::int32_t after,
                                  std::int32_t out, const char* axis) const {
  require(stride >= 1 && dilation >= 1 && kernel >= 1 && before >= 0 && after >= 0,
          fmt::format("{}: stride, dilation and kernel must be at least 1, padding 0", axis));
  const std::int64_t span = std::int64_t{dilation} * (kernel - 1) + 1;
  const std::int64_t room = std::int64_t{in} + before + after - span;
  require(room >= 0, fmt::format("{}: kernel spans {} but the padded input has {}", axis, span,
                                 std::int64_t{in} + before + after));
  require(room / stride + 1 == out, fmt::format("{}: output has {}, stride and padding give {}",
                                                axis, out, room / stride + 1));
  require(before < span && after < span + stride, fmt::format("{}: padding exceeds kernel", axis));
}

void NetworkChecker::check_conv_windows(const Conv2d& conv, const Tensor& in, const Tensor& kernel,
                                        const Tensor& out) const {
  check_window(in.shape[1], kernel.shape[1], conv.stride_h, conv.dilation_h, conv.padding.top,
               conv.padding.bottom, out.shape[1], "height");
  check_window(in.shape[2], kernel.shape[2], conv.stride_w, conv.dilation_w, conv.padding.left,
               conv.padding.right, out.shape[2], "width");
}

void NetworkChecker::check(const Operator& op, const Conv2d& conv) const {
  const Tensor& in = input(op, 0, "feature");
  const Tensor& kernel = input(op, 1, "kernel");
  const Tensor& out = output(op);
  check_nhwc(in, "feature");
  check_nhwc(out, "output");
  require(kernel.shape.size() == 4 && kernel.shape[0] == out.shape[3] &&
              in.shape[3] % kernel.shape[3] == 0 &&
              out.shape[3] % (in.shape[3] / kernel.shape[3]) == 0,
          fmt::format("kernel has shape [{}]; {} outputs are needed, and inputs that divide {} "
                      "into as many groups as the outputs",
                      fmt::join(kernel.shape, ", "), out.shape[3], in.shape[3]));
  check_kernel(kernel, out.shape[3]);
  check_factors(in, kernel, out);
  check_bias(op, out.shape[3]);
  check_conv_windows(conv, in, kernel, out);
}

void NetworkChecker::check(const Operator& op, const DepthwiseConv2d& depthwise) const {
  const Tensor& in = input(op, 0, "feature");
  const Tensor& kernel = input(op, 1, "kernel");
  const Tensor& out = output(op);
  check_nhwc(in, "feature");
  check_nhwc(out, "output");
  require(
      depthwise.multiplier >= 1 && out.shape[3] == std::int64_t{in.shape[3]} * depthwise.multiplier,
      fmt::format("{} outputs from {} inputs with multiplier {}", out.shape[3], in.shape[3],
                  depthwise.multiplier));
  require(kernel.shape.size() == 4 && kernel.shape[0] == 1 && kernel.shape[3] == out.shape[3],
          fmt::format("kernel has shape [{}]", fmt::join(kernel.shape, ", ")));
  check_kernel(kernel, out.shape[3]);
  check_factors(in, kernel, out);
  check_bias(op, out.shape[3]);
  check_conv_windows(depthwise.conv, in, kernel, out);
}

void NetworkChecker::check(const Operator& op, const TransposeConv2d& conv) const {
  const Tensor& in = input(op, 0, "feature");
  const Tensor& kernel = input(op, 1, "kernel");
  const Tensor& out = output(op);
  check_nhwc(in, "feature");
  check_nhwc(out, "output");
  require(
      kernel.shape.size() == 4 && kernel.shape[0] == out.shape[3] && kernel.shape[3] == in.shape[3],
      fmt::format("kernel has shape [{}]; {} outputs and {} inputs are needed",
                  fmt::join(kernel.shape, ", "), out.shape[3], in.shape[3]));
  check_kernel(kernel, out.shape[3]);
  check_factors(in, kernel, out);
  check_bias(op, out.shape[3]);
  const Padding& cut = conv.padding;
  require(conv.stride_h >= 1 && conv.stride_w >= 1 && cut.top >= 0 && cut.left >= 0 &&
              cut.bottom >= 0 && cut.right >= 0,
          "strides must be at least 1, padding 0");
  const auto full = [](std::int32_t extent, std::int32_t stride, std::int32_t taps) {
    return std::int64_t{extent - 1} * stride + taps;
  };
  const std::int64_t height = full(in.shape[1], conv.stride_h, kernel.shape[1]);
  const std::int64_t width = full(in.shape[2], conv.stride_w, kernel.shape[2]);
  require(
      out.shape[1] + std::int64_t{cut.top} + cut.bottom >= height &&
          out.shape[2] + std::int64_t{cut.left} + cut.right >= width && cut.top < kernel.shape[1] &&
          cut.left < kernel.shape[2],
      fmt::format("its full result is {} x {}, padding and output do not fit it", height, width));
}

void NetworkChecker::check(const Operator& op, const FullyConnected&) const {
  const Tensor& in = input(op, 0, "feature");
  const Tensor& kernel = input(op, 1, "kernel");
  const Tensor& out = output(op);
  check_activation(in, "feature");
  check_activation(out, "output");
  require(kernel.shape.size() == 2, "kernel must have shape [outputs, inputs]");
  require(in.elements() % kernel.shape[1] == 0 &&
              out.elements() == in.elements() / kernel.shape[1] * kernel.shape[0],
          fmt::format("{} inputs and {} outputs do not fit kernel [{}]", in.elements(),
                      out.elements(), fmt::join(kernel.shape, ", ")));
  check_kernel(kernel, kernel.shape[0]);
  check_factors(in, kernel, out);
  check_bias(op, kernel.shape[0]);
}

void NetworkChecker::check(const Operator& op, const Pool2d& pool) const {
  const Tensor& in = input(op, 0, "feature");
  const Tensor& out = output(op);
  check_nhwc(in, "feature");
  check_nhwc(out, "output");
  require(in.shape[3] == out.shape[3], "channels of input and output differ");
  check_window(in.shape[1], pool.filter_h, pool.stride_h, 1, pool.padding.top, pool.padding.bottom,
               out.shape[1], "height");
  check_window(in.shape[2], pool.filter_w, pool.stride_w, 1, pool.padding.left, pool.padding.right,
               out.shape[2], "width");
  const bool alike = in.quantisation.scales == out.quantisation.scales &&
                     in.quantisation.zero_point == out.quantisation.zero_point;
  require(alike || (pool.kind == PoolKind::Average && !pool.ties_up),
          "input and output are quantised differently");
}

}  // namespace tessera

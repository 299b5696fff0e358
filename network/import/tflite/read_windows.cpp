#include <algorithm>

#include "network/import/tflite/readers.hpp"

namespace tessera {
namespace {

// Padding of one axis: what SAME needs, or what is left over for VALID (nothing).
void pad_axis(bool same, std::int64_t in, std::int64_t kernel, std::int64_t stride,
              std::int64_t dilation, std::int32_t& before, std::int32_t& after) {
  if (!same || stride < 1) {
    return;
  }
  const std::int64_t out = (in + stride - 1) / stride;
  const std::int64_t total =
      std::clamp<std::int64_t>((out - 1) * stride + (kernel - 1) * dilation + 1 - in, 0, 1 << 20);
  before = static_cast<std::int32_t>(total / 2);
  after = static_cast<std::int32_t>(total - total / 2);
}
Padding padding_of(tflite::Padding mode, const Tensor& in, std::int32_t kernel_h,
                   std::int32_t kernel_w, const Conv2d& conv) {
  Padding padding;
  const bool same = mode == tflite::Padding_SAME;
  pad_axis(same, in.shape[1], kernel_h, conv.stride_h, conv.dilation_h, padding.top,
           padding.bottom);
  pad_axis(same, in.shape[2], kernel_w, conv.stride_w, conv.dilation_w, padding.left,
           padding.right);
  return padding;
}
template <class Options>
Conv2d conv_of(const TfliteGraph& graph, const Options& options, const Operator& op) {
  Conv2d conv;
  conv.stride_h = options.stride_h();
  conv.stride_w = options.stride_w();
  conv.dilation_h = options.dilation_h_factor();
  conv.dilation_w = options.dilation_w_factor();
  conv.activation = graph.activation(options.fused_activation_function());
  graph.require_rank4(graph.input(op, 0), "feature");
  graph.require_rank4(graph.input(op, 1), "kernel");
  conv.padding = padding_of(options.padding(), graph.input(op, 0), graph.input(op, 1).shape[1],
                            graph.input(op, 1).shape[2], conv);
  conv.single_product = graph.is_unsigned(op, 0);
  return conv;
}

Pool2d pool_of(const TfliteGraph& graph, const tflite::Pool2DOptions& options, const Operator& op,
               PoolKind kind) {
  const Quantisation& in = graph.input(op, 0).quantisation;
  const Quantisation& out = graph.output(op).quantisation;
  graph.require(in.scales == out.scales && in.zero_point == out.zero_point,
                "input and output are quantised differently");
  Pool2d pool;
  pool.kind = kind;
  pool.ties_up = kind == PoolKind::Average && graph.is_unsigned(op, 0);
  pool.filter_h = options.filter_height();
  pool.filter_w = options.filter_width();
  pool.stride_h = options.stride_h();
  pool.stride_w = options.stride_w();
  pool.activation = graph.activation(options.fused_activation_function());
  Conv2d window;
  window.stride_h = pool.stride_h;
  window.stride_w = pool.stride_w;
  pool.padding =
      padding_of(options.padding(), graph.input(op, 0), pool.filter_h, pool.filter_w, window);
  return pool;
}

TransposeConv2d transpose_conv_of(const TfliteGraph& graph,
                                  const tflite::TransposeConvOptions& options, const Operator& op) {
  TransposeConv2d conv;
  conv.stride_h = options.stride_h();
  conv.stride_w = options.stride_w();
  conv.activation = graph.activation(options.fused_activation_function());
  conv.single_product = graph.is_unsigned(op, 0);
  const Tensor& in = graph.input(op, 0);
  const Tensor& kernel = graph.input(op, 1);
  const Tensor& out = graph.output(op);
  graph.require_rank4(in, "feature");
  graph.require_rank4(kernel, "kernel");
  graph.require_rank4(out, "output");
  // As the convolution that leads back from the output to the input would be padded.
  const bool same = options.padding() == tflite::Padding_SAME;
  const auto leads_back = [&](std::int32_t extent, std::int32_t stride, std::int32_t taps,
                              std::int32_t outputs, const char* axis) {
    const std::int64_t room = same ? std::int64_t{outputs} : std::int64_t{outputs} - taps + 1;
    const std::int64_t back = stride < 1 ? 0 : (room + stride - 1) / stride;
    graph.require(back == extent,
                  fmt::format("{}: an output of {} belongs to an input of {}, which has {}", axis,
                              outputs, back, extent));
  };
  leads_back(in.shape[1], conv.stride_h, kernel.shape[1], out.shape[1], "height");
  leads_back(in.shape[2], conv.stride_w, kernel.shape[2], out.shape[2], "width");
  const auto cut = [&](std::int64_t extent, std::int64_t stride, std::int64_t taps,
                       std::int64_t outputs, std::int32_t& before, std::int32_t& after) {
    const std::int64_t excess =
        std::clamp<std::int64_t>((extent - 1) * stride + taps - outputs, 0, 1 << 20);
    before = same ? static_cast<std::int32_t>(excess / 2) : 0;
    after = static_cast<std::int32_t>(excess) - before;
  };
  cut(in.shape[1], conv.stride_h, kernel.shape[1], out.shape[1], conv.padding.top,
      conv.padding.bottom);
  cut(in.shape[2], conv.stride_w, kernel.shape[2], out.shape[2], conv.padding.left,
      conv.padding.right);
  return conv;
}

// A convolution of floats.
HostOperator in_float(const TfliteGraph& graph, HostKind kind, const Conv2d& conv,
                      const Operator& op, tflite::Activation activation) {
  const bool per_channel =
      kind == HostKind::DepthwiseConv2d || graph.input(op, 1).quantisation.scales.size() != 1;
  const bool of_bytes = graph.input(op, 1).type == DataType::Int8;
  const Padding& p = conv.padding;
  const DynamicBytes how = !of_bytes     ? DynamicBytes::None
                           : per_channel ? DynamicBytes::ZeroPoint
                                         : DynamicBytes::AroundZero;
  return HostOperator{kind,
                      {conv.stride_h, conv.stride_w, conv.dilation_h, conv.dilation_w, p.top,
                       p.left, p.bottom, p.right, static_cast<std::int32_t>(how)},
                      graph.limits(activation)};
}

Attributes read_conv(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_Conv2DOptions());
  const Conv2d conv = conv_of(graph, options, o.op);
  return graph.is_float(o.op) ? Attributes{in_float(graph, HostKind::Conv2d, conv, o.op,
                                                    options.fused_activation_function())}
                              : conv;
}

Attributes read_depthwise(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_DepthwiseConv2DOptions());
  const Conv2d conv = conv_of(graph, options, o.op);
  return graph.is_float(o.op) ? Attributes{in_float(graph, HostKind::DepthwiseConv2d, conv, o.op,
                                                    options.fused_activation_function())}
                              : DepthwiseConv2d{conv, options.depth_multiplier()};
}

Attributes read_fully_connected(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_FullyConnectedOptions());
  graph.require(options.weights_format() == 0, "shuffled weights are not supported");
  if (graph.is_float(o.op)) {
    const bool of_bytes = graph.input(o.op, 1).type == DataType::Int8;
    const DynamicBytes how = !of_bytes                              ? DynamicBytes::None
                             : options.asymmetric_quantize_inputs() ? DynamicBytes::ZeroPoint
                                                                    : DynamicBytes::AroundZero;
    return HostOperator{HostKind::FullyConnected,
                        {static_cast<std::int32_t>(how)},
                        graph.limits(options.fused_activation_function())};
  }
  return FullyConnected{graph.activation(options.fused_activation_function())};
}

Attributes read_transpose_conv(const TfliteGraph& graph, const TfliteOperator& o) {
  return transpose_conv_of(graph, graph.need(o.source.builtin_options_as_TransposeConvOptions()),
                           o.op);
}

template <PoolKind kKind>
Attributes read_pool(const TfliteGraph& graph, const TfliteOperator& o) {
  graph.require_rank4(graph.input(o.op, 0), "feature");
  const Pool2d pool =
      pool_of(graph, graph.need(o.source.builtin_options_as_Pool2DOptions()), o.op, kKind);
  if (!graph.is_float(o.op)) {
    return pool;
  }
  graph.require(pool.activation == Activation::None,
                "of floats with an activation is not supported");
  const Padding& p = pool.padding;
  return HostOperator{kKind == PoolKind::Max ? HostKind::MaxPool : HostKind::AveragePool,
                      {pool.filter_h, pool.filter_w, pool.stride_h, pool.stride_w, 1, 1, p.top,
                       p.left, p.bottom, p.right, 0},
                      {}};
}

}  // namespace

TfliteKinds tflite_windows() {
  return {{1, {"AVERAGE_POOL_2D", read_pool<PoolKind::Average>}},
          {3, {"CONV_2D", read_conv, TfliteInputs::Kernel}},
          {4, {"DEPTHWISE_CONV_2D", read_depthwise, TfliteInputs::Kernel}},
          {9, {"FULLY_CONNECTED", read_fully_connected, TfliteInputs::Kernel}},
          {17, {"MAX_POOL_2D", read_pool<PoolKind::Max>}},
          {67, {"TRANSPOSE_CONV", read_transpose_conv, TfliteInputs::Transposed}}};
}

}  // namespace tessera

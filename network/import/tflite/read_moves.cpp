#include <algorithm>
#include <cmath>
#include <cstring>

#include "network/import/tflite/readers.hpp"

namespace tessera {
namespace {

Pad pad_of(const TfliteGraph& graph, const Operator& op) {
  const std::vector<std::int32_t> values = graph.integers(op, 1, "paddings");
  const std::size_t rank = graph.input(op, 0).shape.size();
  graph.require(values.size() == 2 * rank, "paddings must have shape [rank, 2]");
  Pad pad;
  for (std::size_t d = 0; d < rank; ++d) {
    pad.before.push_back(values[2 * d]);
    pad.after.push_back(values[2 * d + 1]);
  }
  return pad;
}

// With any value, on any type.
HostOperator host_pad(const Pad& pad, float value) {
  HostOperator host{HostKind::PadValue, pad.before, {value}};
  host.integers.insert(host.integers.end(), pad.after.begin(), pad.after.end());
  return host;
}

StridedSlice slice_of(const TfliteGraph& graph, const Operator& op) {
  StridedSlice slice;
  slice.begin = graph.integers(op, 1, "begin");
  slice.stride.assign(slice.begin.size(), 1);
  return slice;
}

Transpose transpose_of(const TfliteGraph& graph, const Operator& op) {
  Transpose transpose;
  const std::size_t rank = graph.input(op, 0).shape.size();
  for (const std::int32_t axis : graph.integers(op, 1, "order")) {
    transpose.order.push_back(static_cast<std::int32_t>(graph.axis_of(axis, rank)));
  }
  return transpose;
}

Attributes read_pad(const TfliteGraph& graph, const TfliteOperator& o) {
  const Pad pad = pad_of(graph, o.op);
  return is_quantised(graph, o.op) ? Attributes{pad} : Attributes{host_pad(pad, 0)};
}

Attributes read_pad_v2(const TfliteGraph& graph, const TfliteOperator& o) {
  const Pad pad = pad_of(graph, o.op);
  if (o.op.inputs.size() < 3 || o.op.inputs[2] < 0) {
    return read_pad(graph, o);
  }
  const Tensor& value = graph.input(o.op, 2);
  graph.require(value.elements() == 1 && value.constant.size() == size_of(value.type),
                "the value must be one constant");
  if (is_quantised(graph, o.op)) {
    const auto stored = static_cast<std::int8_t>(value.constant[0]);
    return stored == graph.input(o.op, 0).quantisation.zero_point
               ? Attributes{pad}
               : Attributes{host_pad(pad, stored)};
  }
  graph.require(value.type == DataType::Float32 || value.type == DataType::Int32,
                "the value must be int8, uint8, int32 or float32");
  float real = 0;
  std::int32_t whole = 0;
  std::memcpy(&real, value.constant.data(), sizeof(real));
  std::memcpy(&whole, value.constant.data(), sizeof(whole));
  return host_pad(pad, value.type == DataType::Float32 ? real : static_cast<float>(whole));
}

Attributes read_slice(const TfliteGraph& graph, const TfliteOperator& o) {
  return slice_of(graph, o.op);
}

Attributes read_transpose(const TfliteGraph& graph, const TfliteOperator& o) {
  return transpose_of(graph, o.op);
}

Attributes read_resize_nearest(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_ResizeNearestNeighborOptions());
  return ResizeNearest{options.align_corners(), options.half_pixel_centers()};
}

// Bytes in the output's scale, as TensorFlow Lite's kernel has it: one product, rounded once.
Unary rescaled(const Quantisation& in, const Quantisation& out) {
  const float scale = in.scales[0] * (1.0F / out.scales[0]);
  const float bias = static_cast<float>(-(in.zero_point + 128)) * scale;
  Unary unary;
  unary.kind = UnaryKind::Lookup;
  for (std::int32_t x = 0; x <= 255; ++x) {
    const float steps =
        std::round(static_cast<float>(x) * scale + bias) + static_cast<float>(out.zero_point);
    unary.table.push_back(static_cast<std::int8_t>(std::clamp(steps, -128.0F, 127.0F)));
  }
  return unary;
}

// Unsigned inputs may have scales of their own; signed ones have the output's.
void read_concatenation(TfliteGraph& graph, const tflite::Operator& source, const Operator& op,
                        const std::vector<std::int32_t>& outputs) {
  const auto& options = graph.need(source.builtin_options_as_ConcatenationOptions());
  graph.require(options.fused_activation_function() == tflite::Activation_NONE,
                "an activation on a concatenation is not supported");
  graph.require(outputs.size() == 1,
                fmt::format("has {} outputs; it must have one", outputs.size()));
  const Tensor out = graph.tensor(outputs[0]);
  const auto axis = static_cast<std::int32_t>(graph.axis_of(options.axis(), out.shape.size()));
  std::vector<std::int32_t> inputs = op.inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor in = graph.input(op, i);
    const Quantisation& a = in.quantisation;
    const Quantisation& b = out.quantisation;
    if (in.type != DataType::Int8 || out.type != DataType::Int8 || a.scales.size() != 1 ||
        b.scales.size() != 1 || (a.scales == b.scales && a.zero_point == b.zero_point)) {
      continue;
    }
    graph.require(graph.is_unsigned(op, i),
                  fmt::format("input {} has scale {} and zero point {}, its output {} and {}; of "
                              "int8 they must be equal",
                              i, a.scales[0], a.zero_point, b.scales[0], b.zero_point));
    inputs[i] = graph.new_tensor(in.name + "/rescaled", in.shape, outputs[0]);
    graph.add(rescaled(a, b), {op.inputs[i]}, inputs[i]);
  }
  graph.add(Concatenation{axis}, inputs, outputs[0]);
}

template <ReshapeKind kKind>
Attributes read_reshape(const TfliteGraph& /*graph*/, const TfliteOperator& /*o*/) {
  return Reshape{kKind};
}

}  // namespace

TfliteKinds tflite_moves() {
  constexpr auto kFirst = TfliteInputs::First;
  return {{2, {"CONCATENATION", nullptr, TfliteInputs::All, read_concatenation}},
          {22, {"RESHAPE", read_reshape<ReshapeKind::Reshape>, kFirst}},
          {34, {"PAD", read_pad, kFirst}},
          {39, {"TRANSPOSE", read_transpose, kFirst}},
          {43, {"SQUEEZE", read_reshape<ReshapeKind::Squeeze>, kFirst}},
          {60, {"PADV2", read_pad_v2, kFirst}},
          {65, {"SLICE", read_slice, kFirst}},
          {70, {"EXPAND_DIMS", read_reshape<ReshapeKind::ExpandDims>, kFirst}},
          {97, {"RESIZE_NEAREST_NEIGHBOR", read_resize_nearest, kFirst}}};
}

}  // namespace tessera

#include <algorithm>

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

// The value must be the zero point: real zero, in the input's terms.
void check_pad_value(const TfliteGraph& graph, const Operator& op) {
  if (op.inputs.size() < 3 || op.inputs[2] < 0) {
    return;
  }
  const Tensor& value = graph.input(op, 2);
  graph.require(value.constant.size() == 1 && static_cast<std::int8_t>(value.constant[0]) ==
                                                  graph.input(op, 0).quantisation.zero_point,
                "pads with another value than the zero point");
}

StridedSlice strided_slice_of(const TfliteGraph& graph, const tflite::StridedSliceOptions& options,
                              const Operator& op) {
  const Tensor& in = graph.input(op, 0);
  const auto begin = graph.integers(op, 1, "begin");
  const auto end = graph.integers(op, 2, "end");
  const auto stride = graph.integers(op, 3, "strides");
  const std::size_t rank = in.shape.size();
  graph.require(
      begin.size() == rank && end.size() == rank && stride.size() == rank &&
          options.ellipsis_mask() == 0 && options.new_axis_mask() == 0 &&
          options.shrink_axis_mask() == 0 && !options.offset(),
      "supported are slices with begin, end and stride for each dimension, without ellipsis, "
      "new or dropped axes");
  StridedSlice slice;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t extent = in.shape[d];
    const auto place = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
    };
    graph.require(stride[d] >= 1, fmt::format("stride {}; supported are positive ones", stride[d]));
    const bool from_start = (options.begin_mask() >> d & 1) != 0;
    slice.begin.push_back(from_start ? 0 : static_cast<std::int32_t>(place(begin[d])));
    slice.stride.push_back(stride[d]);
  }
  return slice;
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

// Each output is a slice.
void add_slices(TfliteGraph& graph, const Operator& op, const std::vector<std::int32_t>& outputs,
                std::size_t feature, std::int32_t along) {
  const Tensor in = graph.input(op, feature);
  const std::size_t axis = graph.axis_of(along, in.shape.size());
  std::int32_t at = 0;
  for (const std::int32_t output : outputs) {
    StridedSlice slice;
    slice.begin.assign(in.shape.size(), 0);
    slice.stride.assign(in.shape.size(), 1);
    slice.begin[axis] = at;
    const Tensor& part = graph.tensor(output);
    graph.require(part.shape.size() == in.shape.size(), "input and outputs differ in rank");
    at += part.shape[axis];
    graph.require(at >= 0 && at <= in.shape[axis], "its outputs are more than its input");
    Operator one;
    one.attributes = slice;
    one.inputs = {op.inputs[feature]};
    one.output = output;
    graph.add(std::move(one));
  }
}

template <std::size_t kInputs, std::size_t kFeature, std::size_t kAxis>
void read_split(TfliteGraph& graph, const Operator& op, const std::vector<std::int32_t>& outputs) {
  graph.require(op.inputs.size() == kInputs, "has a wrong number of inputs");
  const auto axes = graph.integers(op, kAxis, "axis");
  graph.require(axes.size() == 1, "needs one axis");
  add_slices(graph, op, outputs, kFeature, axes[0]);
}

Attributes read_pad(const TfliteGraph& graph, const TfliteOperator& o) {
  return pad_of(graph, o.op);
}

Attributes read_pad_v2(const TfliteGraph& graph, const TfliteOperator& o) {
  check_pad_value(graph, o.op);
  return pad_of(graph, o.op);
}

Attributes read_strided_slice(const TfliteGraph& graph, const TfliteOperator& o) {
  return strided_slice_of(graph, graph.need(o.source.builtin_options_as_StridedSliceOptions()),
                          o.op);
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

Attributes read_concatenation(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_ConcatenationOptions());
  graph.require(options.fused_activation_function() == tflite::Activation_NONE,
                "an activation on a concatenation is not supported");
  const auto rank = static_cast<std::int32_t>(graph.output(o.op).shape.size());
  return Concatenation{options.axis() < 0 ? options.axis() + rank : options.axis()};
}

template <ReshapeKind kKind>
Attributes read_reshape(const TfliteGraph& /*graph*/, const TfliteOperator& /*o*/) {
  return Reshape{kKind};
}

}  // namespace

TfliteKinds tflite_moves() {
  constexpr auto kFirst = TfliteInputs::First;
  return {{2, {"CONCATENATION", read_concatenation}},
          {22, {"RESHAPE", read_reshape<ReshapeKind::Reshape>, kFirst}},
          {34, {"PAD", read_pad, kFirst}},
          {39, {"TRANSPOSE", read_transpose, kFirst}},
          {43, {"SQUEEZE", read_reshape<ReshapeKind::Squeeze>, kFirst}},
          {45, {"STRIDED_SLICE", read_strided_slice, kFirst}},
          {49, {"SPLIT", nullptr, TfliteInputs::All, read_split<2, 1, 0>}},
          {60, {"PADV2", read_pad_v2, kFirst}},
          {65, {"SLICE", read_slice, kFirst}},
          {70, {"EXPAND_DIMS", read_reshape<ReshapeKind::ExpandDims>, kFirst}},
          {97, {"RESIZE_NEAREST_NEIGHBOR", read_resize_nearest, kFirst}},
          {102, {"SPLIT_V", nullptr, TfliteInputs::All, read_split<3, 0, 2>}}};
}

}  // namespace tessera

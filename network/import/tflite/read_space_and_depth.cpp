// Operators of the file that take several of ours: each part of a split is a slice, blocks of space
// are transpositions.
#include <algorithm>
#include <numeric>
#include <optional>

#include "network/import/tflite/readers.hpp"

namespace tessera {
namespace {

using Shape = std::vector<std::int32_t>;
using Tensors = std::vector<std::int32_t>;

// A shape of the same elements.
std::int32_t reshaped(TfliteGraph& graph, std::int32_t in, const Shape& shape) {
  const std::int32_t out = graph.new_tensor(graph.tensor(in).name + "/shape", shape, in);
  graph.add(Reshape{}, {in}, out);
  return out;
}

std::int32_t transposed(TfliteGraph& graph, std::int32_t in, const Shape& order) {
  Shape shape;
  for (const std::int32_t axis : order) {
    shape.push_back(graph.tensor(in).shape[static_cast<std::size_t>(axis)]);
  }
  const std::int32_t out = graph.new_tensor(graph.tensor(in).name + "/order", shape, in);
  graph.add(Transpose{order}, {in}, out);
  return out;
}

std::int32_t only(const TfliteGraph& graph, const Tensors& outputs) {
  graph.require(outputs.size() == 1,
                fmt::format("has {} outputs; it must have one", outputs.size()));
  return outputs[0];
}

// Splits ----------------------------------------------------------------------------------------

void add_slices(TfliteGraph& graph, const Operator& op, const Tensors& outputs, std::size_t feature,
                std::int32_t along) {
  const Tensor in = graph.input(op, feature);
  const std::size_t axis = graph.axis_of(along, in.shape.size());
  std::int64_t at = 0;
  for (const std::int32_t output : outputs) {
    StridedSlice slice;
    slice.begin.assign(in.shape.size(), 0);
    slice.stride.assign(in.shape.size(), 1);
    slice.begin[axis] = static_cast<std::int32_t>(at);
    const Tensor& part = graph.tensor(output);
    graph.require(part.shape.size() == in.shape.size(), "input and outputs differ in rank");
    at += part.shape[axis];
    graph.require(at >= 0 && at <= in.shape[axis], "its outputs are more than its input");
    graph.add(slice, {op.inputs[feature]}, output);
  }
}

template <std::size_t kInputs, std::size_t kFeature, std::size_t kAxis>
void read_split(TfliteGraph& graph, const tflite::Operator& /*source*/, const Operator& op,
                const Tensors& outputs) {
  graph.require(op.inputs.size() == kInputs, "has a wrong number of inputs");
  const auto axes = graph.integers(op, kAxis, "axis");
  graph.require(axes.size() == 1, "needs one axis");
  add_slices(graph, op, outputs, kFeature, axes[0]);
}

void read_unpack(TfliteGraph& graph, const tflite::Operator& source, const Operator& op,
                 const Tensors& outputs) {
  const auto& options = graph.need(source.builtin_options_as_UnpackOptions());
  const Tensor in = graph.input(op, 0);
  const std::size_t axis = graph.axis_of(options.axis(), in.shape.size());
  graph.require(static_cast<std::int64_t>(outputs.size()) == in.shape[axis],
                fmt::format("has {} outputs for {} elements", outputs.size(), in.shape[axis]));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    StridedSlice slice{Shape(in.shape.size(), 0), Shape(in.shape.size(), 1)};
    slice.begin[axis] = static_cast<std::int32_t>(i);
    Shape shape = in.shape;
    shape[axis] = 1;
    const std::int32_t part = graph.new_tensor(in.name + "/part", shape, op.inputs[0]);
    graph.add(slice, {op.inputs[0]}, part);
    graph.add(Reshape{}, {part}, outputs[i]);
  }
}

void read_pack(TfliteGraph& graph, const tflite::Operator& source, const Operator& op,
               const Tensors& outputs) {
  const auto& options = graph.need(source.builtin_options_as_PackOptions());
  const std::int32_t output = only(graph, outputs);
  Shape shape = graph.input(op, 0).shape;
  const std::size_t axis = graph.axis_of(options.axis(), shape.size() + 1);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  graph.require(shape.size() <= 8, "more than 8 dimensions");
  Tensors parts;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    graph.require(graph.input(op, i).shape == graph.input(op, 0).shape, "inputs differ in shape");
    parts.push_back(reshaped(graph, op.inputs[i], shape));
  }
  graph.add(Concatenation{static_cast<std::int32_t>(axis)}, parts, output);
}

// Slices ----------------------------------------------------------------------------------------

// One range for each dimension of the input, as the masks of the options say.
void read_strided_slice(TfliteGraph& graph, const tflite::Operator& source, const Operator& op,
                        const Tensors& outputs) {
  const auto& options = graph.need(source.builtin_options_as_StridedSliceOptions());
  const Tensor in = graph.input(op, 0);
  const std::int32_t output = only(graph, outputs);
  const auto begin = graph.integers(op, 1, "begin");
  const auto end = graph.integers(op, 2, "end");
  const auto stride = graph.integers(op, 3, "strides");
  graph.require(begin.size() == end.size() && begin.size() == stride.size() && begin.size() <= 16,
                "begin, end and strides differ in length");
  const auto bit = [](std::int32_t mask, std::size_t i) { return (mask >> i & 1) != 0; };
  std::size_t named = 0;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    named += bit(options.ellipsis_mask(), i) || bit(options.new_axis_mask(), i) ? 0 : 1;
  }
  const std::size_t rank = in.shape.size();
  graph.require(named <= rank, "has more ranges than its input dimensions");
  StridedSlice slice;
  Shape shape;
  Shape turned;  // axes
  const auto whole = [&] {
    shape.push_back(in.shape[shape.size()]);
    slice.begin.push_back(0);
    slice.stride.push_back(1);
  };
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (bit(options.ellipsis_mask(), i)) {
      for (std::size_t d = named; d < rank; ++d) {
        whole();
      }
      named = rank;
      continue;
    }
    if (bit(options.new_axis_mask(), i)) {
      continue;
    }
    const std::int64_t extent = in.shape[shape.size()];
    const auto place = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
    };
    graph.require(stride[i] != 0, "stride 0");
    if (stride[i] < 0 && !bit(options.shrink_axis_mask(), i)) {
      // From the end on: the same elements in rising order, turned round.
      const auto before = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + extent : at, -1, extent - 1);
      };
      graph.require(!options.offset(), "a negative stride with offset is not supported");
      const std::int64_t step = -std::int64_t{stride[i]};
      const std::int64_t first = bit(options.begin_mask(), i) ? extent - 1 : before(begin[i]);
      const std::int64_t last = bit(options.end_mask(), i) ? -1 : before(end[i]);
      graph.require(first > last, "takes nothing");
      const std::int64_t count = (first - last + step - 1) / step;
      turned.push_back(static_cast<std::int32_t>(shape.size()));
      slice.begin.push_back(static_cast<std::int32_t>(first - (count - 1) * step));
      slice.stride.push_back(static_cast<std::int32_t>(step));
      shape.push_back(static_cast<std::int32_t>(count));
      continue;
    }
    const std::int64_t from = bit(options.begin_mask(), i) ? 0 : place(begin[i]);
    std::int64_t to = bit(options.end_mask(), i) ? extent : place(end[i]);
    if (bit(options.shrink_axis_mask(), i)) {
      to = from + 1;
    } else if (options.offset() && !bit(options.end_mask(), i)) {
      to = place(from + end[i]);
    }
    graph.require(from < to && to <= extent, "takes nothing, or more than there is");
    slice.begin.push_back(static_cast<std::int32_t>(from));
    slice.stride.push_back(stride[i]);
    shape.push_back(static_cast<std::int32_t>((to - from + stride[i] - 1) / stride[i]));
  }
  while (shape.size() < rank) {
    whole();
  }
  const bool same_axes = shape == graph.tensor(output).shape;
  std::int32_t part = same_axes && turned.empty()
                          ? output
                          : graph.new_tensor(in.name + "/part", shape, op.inputs[0]);
  graph.add(slice, {op.inputs[0]}, part);
  if (!turned.empty()) {
    const std::int32_t reversed =
        same_axes ? output : graph.new_tensor(in.name + "/turned", shape, op.inputs[0]);
    graph.add(HostOperator{HostKind::Reverse, turned, {}}, {part}, reversed);
    part = reversed;
  }
  // Axes are added or dropped.
  if (!same_axes) {
    graph.add(Reshape{}, {part}, output);
  }
}

// Blocks of space -------------------------------------------------------------------------------

std::int32_t block_of(const TfliteGraph& graph, const Operator& op, std::int32_t block) {
  graph.require_rank4(graph.input(op, 0), "feature");
  graph.require(block >= 1 && block <= 1024, fmt::format("block of {}", block));
  return block;
}

void read_space_to_depth(TfliteGraph& graph, const tflite::Operator& source, const Operator& op,
                         const Tensors& outputs) {
  const std::int32_t b =
      block_of(graph, op, graph.need(source.builtin_options_as_SpaceToDepthOptions()).block_size());
  const Shape s = graph.input(op, 0).shape;
  graph.require(s[1] % b == 0 && s[2] % b == 0, "height and width are no multiples of the block");
  const std::int32_t cut = reshaped(graph, op.inputs[0], {s[0], s[1] / b, b, s[2] / b, b, s[3]});
  graph.add(Reshape{}, {transposed(graph, cut, {0, 1, 3, 2, 4, 5})}, only(graph, outputs));
}

void read_depth_to_space(TfliteGraph& graph, const tflite::Operator& source, const Operator& op,
                         const Tensors& outputs) {
  const std::int32_t b =
      block_of(graph, op, graph.need(source.builtin_options_as_DepthToSpaceOptions()).block_size());
  const Shape s = graph.input(op, 0).shape;
  graph.require(s[3] % (b * b) == 0, "channels are no multiple of the block");
  const std::int32_t cut = reshaped(graph, op.inputs[0], {s[0], s[1], s[2], b, b, s[3] / (b * b)});
  graph.add(Reshape{}, {transposed(graph, cut, {0, 1, 3, 2, 4, 5})}, only(graph, outputs));
}

bool is_line(const TfliteGraph& graph, const Operator& op) {
  return graph.input(op, 0).shape.size() == 3;
}

// Height and width of blocks; a line of three dimensions, [batch, width, channels], has width
// alone.
Shape blocks_of(const TfliteGraph& graph, const Operator& op) {
  Shape blocks = graph.integers(op, 1, "block shape");
  graph.require((blocks.size() == 2 && graph.input(op, 0).shape.size() == 4) ||
                    (blocks.size() == 1 && is_line(graph, op)),
                "supported are blocks of height and width, or of a width alone");
  for (const std::int32_t block : blocks) {
    graph.require(block >= 1 && block <= 1024, fmt::format("block of {}", block));
  }
  if (blocks.size() == 1) {
    blocks.insert(blocks.begin(), 1);
  }
  return blocks;
}

// What is added around or cropped off: four numbers, for lines two.
Shape margins_of(const TfliteGraph& graph, const Operator& op, const char* what) {
  Shape margins = graph.integers(op, 2, what);
  graph.require(margins.size() == (is_line(graph, op) ? 2U : 4U) &&
                    *std::min_element(margins.begin(), margins.end()) >= 0 &&
                    *std::max_element(margins.begin(), margins.end()) < 65536,
                fmt::format("{} must be two numbers from 0 to 65535 for each block", what));
  if (margins.size() == 2) {
    margins.insert(margins.begin(), 2, 0);
  }
  return margins;
}

// [batch, width, channels] as a picture of one row.
std::int32_t picture_of(TfliteGraph& graph, const Operator& op) {
  const Shape s = graph.input(op, 0).shape;
  return is_line(graph, op) ? reshaped(graph, op.inputs[0], {s[0], 1, s[1], s[2]}) : op.inputs[0];
}

// Only noted: most are part of a dilated convolution.
void read_space_to_batch(TfliteGraph& graph, const tflite::Operator& /*source*/, const Operator& op,
                         const Tensors& outputs) {
  const Shape b = blocks_of(graph, op);
  const Shape pads = margins_of(graph, op, "paddings");
  const std::int32_t feature = picture_of(graph, op);
  const Shape s = graph.tensor(feature).shape;
  graph.require((std::int64_t{s[1]} + pads[0] + pads[1]) % b[0] == 0 &&
                    (std::int64_t{s[2]} + pads[2] + pads[3]) % b[1] == 0,
                "height and width are no multiples of the blocks");
  graph.batches()[only(graph, outputs)] = {feature, b, pads, std::nullopt};
}

void compute_batch(TfliteGraph& graph, std::int32_t output, const SpaceInBatches& batch) {
  const Shape& b = batch.blocks;
  const Shape& pads = batch.pads;
  Shape s = graph.tensor(batch.feature).shape;
  s[1] += pads[0] + pads[1];
  s[2] += pads[2] + pads[3];
  const std::int32_t padded = graph.new_tensor("padded", s, batch.feature);
  graph.add(Pad{{0, pads[0], pads[2], 0}, {0, pads[1], pads[3], 0}}, {batch.feature}, padded);
  const std::int32_t cut =
      reshaped(graph, padded, {s[0], s[1] / b[0], b[0], s[2] / b[1], b[1], s[3]});
  graph.add(Reshape{}, {transposed(graph, cut, {2, 4, 0, 1, 3, 5})}, output);
}

void read_batch_to_space(TfliteGraph& graph, const tflite::Operator& /*source*/, const Operator& op,
                         const Tensors& outputs) {
  const Shape b = blocks_of(graph, op);
  const Shape crops = margins_of(graph, op, "crops");
  // Lines are pictures of one row on the way.
  const std::int32_t output = only(graph, outputs);
  const bool line = is_line(graph, op);
  const Shape own = graph.tensor(output).shape;
  graph.require(!line || own.size() == 3, "its output must have three dimensions");
  const std::int32_t picture =
      line ? graph.new_tensor("row", {own[0], 1, own[1], own[2]}, output) : output;
  if (const auto batch = graph.batches().find(op.inputs[0]); batch != graph.batches().end()) {
    // The convolution itself, its padding less what is cropped off.
    const SpaceInBatches& in = batch->second;
    graph.require(in.conv && in.blocks == b, "does not put together what was taken apart");
    Operator conv = *in.conv;
    auto* depthwise = std::get_if<DepthwiseConv2d>(&conv.attributes);
    Conv2d& window = depthwise != nullptr ? depthwise->conv : std::get<Conv2d>(conv.attributes);
    window.dilation_h = b[0];
    window.dilation_w = b[1];
    window.padding = {in.pads[0] - crops[0], in.pads[2] - crops[2], in.pads[1] - crops[1],
                      in.pads[3] - crops[3]};
    conv.inputs[0] = in.feature;
    conv.output = picture;
    graph.add(std::move(conv));
    if (line) {
      graph.add(Reshape{}, {picture}, output);
    }
    return;
  }
  const std::int32_t taken = picture_of(graph, op);
  const Shape s = graph.tensor(taken).shape;
  graph.require(s[0] % (b[0] * b[1]) == 0, "batch and blocks do not fit");
  const std::int32_t batch = s[0] / (b[0] * b[1]);
  const std::int32_t cut = reshaped(graph, taken, {b[0], b[1], batch, s[1], s[2], s[3]});
  const std::int32_t joined = reshaped(graph, transposed(graph, cut, {2, 3, 0, 4, 1, 5}),
                                       {batch, s[1] * b[0], s[2] * b[1], s[3]});
  graph.add(StridedSlice{{0, crops[0], crops[2], 0}, {1, 1, 1, 1}}, {joined}, picture);
  if (line) {
    graph.add(Reshape{}, {picture}, output);
  }
}

// The input's dimensions, which are known.
void read_shape(TfliteGraph& graph, const tflite::Operator& /*source*/, const Operator& op,
                const Tensors& outputs) {
  const std::int32_t output = only(graph, outputs);
  const bool is_wide = graph.tensor(output).type == DataType::Int64;
  graph.require(is_wide || graph.tensor(output).type == DataType::Int32,
                "its output must be int32 or int64");
  const Shape& shape = graph.input(op, 0).shape;
  std::vector<std::uint8_t> bytes;
  for (const std::int32_t extent : shape) {
    const auto wide = static_cast<std::uint64_t>(extent);
    for (int b = 0; b < (is_wide ? 8 : 4); ++b) {
      bytes.push_back(static_cast<std::uint8_t>(wide >> (8 * b)));
    }
  }
  graph.set_shape(output, {static_cast<std::int32_t>(shape.size())});
  graph.set_constant(output, std::move(bytes));
}

}  // namespace

bool read_in_batches(TfliteGraph& graph, const TfliteKind& kind, const Operator& op) {
  const bool is_conv = std::holds_alternative<Conv2d>(op.attributes) ||
                       std::holds_alternative<DepthwiseConv2d>(op.attributes);
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const auto found = graph.batches().find(op.inputs[i]);
    if (found == graph.batches().end() || kind.operators == read_batch_to_space) {
      continue;
    }
    SpaceInBatches batch = found->second;
    // A line becomes a picture of one row, and back.
    if (i == 0 && std::holds_alternative<Reshape>(op.attributes) && batch.blocks[0] == 1) {
      const auto without_ones = [&](std::int32_t tensor) {
        Shape shape = graph.tensor(tensor).shape;
        shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
        return shape;
      };
      const std::size_t rank = graph.tensor(op.output).shape.size();
      if ((rank == 3 || (rank == 4 && graph.tensor(op.output).shape[1] == 1)) &&
          without_ones(op.inputs[0]) == without_ones(op.output)) {
        graph.batches()[op.output] = batch;
        return true;
      }
    }
    graph.require(!batch.conv, "reads the result of a convolution over a batch of blocks");
    if (is_conv && i == 0) {
      const auto* depthwise = std::get_if<DepthwiseConv2d>(&op.attributes);
      const Conv2d& conv = depthwise != nullptr ? depthwise->conv : std::get<Conv2d>(op.attributes);
      const Padding& p = conv.padding;
      graph.require(conv.stride_h == 1 && conv.stride_w == 1 && conv.dilation_h == 1 &&
                        conv.dilation_w == 1 && p.top + p.left + p.bottom + p.right == 0,
                    "a convolution over a batch of blocks must have stride 1 and no padding");
      batch.conv = op;
      graph.batches()[op.output] = std::move(batch);
      return true;
    }
    compute_batch(graph, op.inputs[i], batch);
    graph.batches().erase(op.inputs[i]);
  }
  return false;
}

TfliteKinds tflite_arrangements() {
  constexpr auto kAll = TfliteInputs::All;
  return {{5, {"DEPTH_TO_SPACE", nullptr, kAll, read_depth_to_space}},
          {26, {"SPACE_TO_DEPTH", nullptr, kAll, read_space_to_depth}},
          {37, {"BATCH_TO_SPACE_ND", nullptr, kAll, read_batch_to_space}},
          {38, {"SPACE_TO_BATCH_ND", nullptr, kAll, read_space_to_batch}},
          {45, {"STRIDED_SLICE", nullptr, kAll, read_strided_slice}},
          {49, {"SPLIT", nullptr, kAll, read_split<2, 1, 0>}},
          {77, {"SHAPE", nullptr, kAll, read_shape}},
          {83, {"PACK", nullptr, kAll, read_pack}},
          {88, {"UNPACK", nullptr, kAll, read_unpack}},
          {102, {"SPLIT_V", nullptr, kAll, read_split<3, 0, 2>}}};
}

}  // namespace tessera

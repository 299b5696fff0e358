// Nodes that cut tensors into parts or put parts together.
#include "network/import/onnx/onnx_importer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace tessera {

void OnnxImporter::slice(const Node& node) {
  const OnnxValue in = input(node, 0);
  const std::size_t rank = in.dims.size();
  const Dims starts = integers(name_of(node, 1));
  const Dims ends = integers(name_of(node, 2));
  Dims axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  axes = name_of(node, 3).empty() ? axes : integers(name_of(node, 3));
  const Dims steps = name_of(node, 4).empty() ? Dims(starts.size(), 1) : integers(name_of(node, 4));
  require(
      ends.size() == starts.size() && axes.size() == starts.size() && steps.size() == starts.size(),
      "starts, ends, axes and steps differ in length");
  StridedSlice slice;
  slice.begin.assign(rank, 0);
  slice.stride.assign(rank, 1);
  Dims dims = in.dims;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + static_cast<std::int64_t>(rank) : axes[i];
    require(axis >= 0 && axis < static_cast<std::int64_t>(rank) && steps[i] >= 1,
            fmt::format("axis {}, step {}; supported are positive steps", axes[i], steps[i]));
    const std::int64_t extent = in.dims[static_cast<std::size_t>(axis)];
    const auto place = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
    };
    const std::int64_t begin = place(starts[i]);
    const std::int64_t end = place(ends[i]);
    require(begin < end, "takes nothing");
    dims[static_cast<std::size_t>(axis)] = (end - begin + steps[i] - 1) / steps[i];
    slice.begin[stored_axis(axis, rank)] = static_cast<std::int32_t>(begin);
    slice.stride[stored_axis(axis, rank)] = static_cast<std::int32_t>(steps[i]);
  }
  define(node.output(0), move(in, dims, slice));
}

void OnnxImporter::split(const Node& node) {
  const OnnxAttributes attributes(node);
  const OnnxValue in = input(node, 0);
  const std::size_t rank = in.dims.size();
  const std::int64_t given = attributes.integer("axis", 0);
  const std::int64_t axis = given < 0 ? given + static_cast<std::int64_t>(rank) : given;
  require(axis >= 0 && axis < static_cast<std::int64_t>(rank), fmt::format("axis {}", given));
  const std::int64_t extent = in.dims[static_cast<std::size_t>(axis)];
  const std::int64_t count = node.output_size();
  Dims sizes =
      name_of(node, 1).empty() ? attributes.integers("split", {}) : integers(name_of(node, 1));
  if (sizes.empty()) {
    const std::int64_t part = (extent + count - 1) / count;
    for (std::int64_t i = 0; i < count; ++i) {
      sizes.push_back(std::min(part, extent - i * part));
    }
  }
  require(static_cast<std::int64_t>(sizes.size()) == count, "has as many sizes as outputs");
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t size = sizes[static_cast<std::size_t>(i)];
    require(size >= 1 && at + size <= extent, fmt::format("part {} has size {}", i, size));
    StridedSlice slice;
    slice.begin.assign(rank, 0);
    slice.stride.assign(rank, 1);
    slice.begin[stored_axis(axis, rank)] = static_cast<std::int32_t>(at);
    Dims dims = in.dims;
    dims[static_cast<std::size_t>(axis)] = size;
    const std::int32_t part =
        builder_.moved(fmt::format("{}:{}", name_, i), stored_shape(dims), slice, {in.tensor});
    define(node.output(static_cast<int>(i)), part);
    at += size;
  }
}

void OnnxImporter::concatenate(const std::string& name, const std::vector<OnnxValue>& parts,
                               std::int64_t given_axis, const std::optional<Quantisation>& out) {
  require(!parts.empty(), "needs inputs");
  const std::size_t rank = parts[0].dims.size();
  const std::int64_t axis =
      given_axis < 0 ? given_axis + static_cast<std::int64_t>(rank) : given_axis;
  require(axis >= 0 && axis < static_cast<std::int64_t>(rank), fmt::format("axis {}", given_axis));
  Dims dims = parts[0].dims;
  std::vector<std::int32_t> tensors = {parts[0].tensor};
  for (std::size_t i = 1; i < parts.size(); ++i) {
    require(parts[i].dims.size() == rank, "inputs differ in rank");
    dims[static_cast<std::size_t>(axis)] += parts[i].dims[static_cast<std::size_t>(axis)];
    tensors.push_back(parts[i].tensor);
  }
  const std::int32_t tensor =
      builder_.moved(name_, stored_shape(dims),
                     Concatenation{static_cast<std::int32_t>(stored_axis(axis, rank))}, tensors);
  if (out) {
    builder_.tensor(tensor).quantisation = *out;
  }
  define(name, tensor);
}

void OnnxImporter::concat(const Node& node) {
  std::vector<OnnxValue> parts;
  parts.reserve(static_cast<std::size_t>(node.input_size()));
  for (int i = 0; i < node.input_size(); ++i) {
    parts.push_back(input(node, i));
  }
  std::string name = node.output(0);
  std::optional<Quantisation> out;
  const Node* next = only_reader(name);
  if (quantised_ && next != nullptr && next->op_type() == "QuantizeLinear") {
    const Result result = result_of(node, false);
    out = result.quantisation;
    name = result.name;
  }
  concatenate(name, parts, OnnxAttributes(node).integer("axis", 0), out);
}

void OnnxImporter::qlinear_concat(const Node& node) {
  const Quantisation out = read_quantisation(onnx_, name_of(node, 0), name_of(node, 1));
  std::vector<OnnxValue> parts;
  for (int i = 2; i + 2 < node.input_size(); i += 3) {
    parts.push_back(input(node, i));
    set_quantisation(parts.back(),
                     read_quantisation(onnx_, name_of(node, i + 1), name_of(node, i + 2)));
  }
  concatenate(node.output(0), parts, OnnxAttributes(node).integer("axis", 0), out);
}

}  // namespace tessera

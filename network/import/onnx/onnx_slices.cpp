// Nodes that cut tensors into parts or put parts together.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {

void OnnxImporter::slice(const Node& node) {
  const OnnxValue in = input(node, 0);
  const std::size_t rank = in.dims.size();
  const Dims starts = integers_of(node, 1, "starts");
  const Dims ends = integers_of(node, 2, "ends");
  Dims axes = integers_of(node, 3, "axes");
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  const Dims steps = name_of(node, 4).empty() ? Dims(starts.size(), 1) : integers(name_of(node, 4));
  require(
      ends.size() == starts.size() && axes.size() == starts.size() && steps.size() == starts.size(),
      "starts, ends, axes and steps differ in length");
  StridedSlice slice;
  slice.begin.assign(rank, 0);
  slice.stride.assign(rank, 1);
  Dims dims = in.dims;
  std::set<std::int32_t> turned;  // stored axes
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = axis_of(axes[i], rank);
    require(steps[i] != 0 && steps[i] > -65536, fmt::format("axis {}, step {}", axes[i], steps[i]));
    const std::int64_t extent = in.dims[axis];
    if (steps[i] < 0) {
      // The same elements in rising order, turned round.
      const auto before = [&](std::int64_t at, std::int64_t least) {
        return std::clamp<std::int64_t>(at < 0 ? at + extent : at, least, extent - 1);
      };
      const std::int64_t first = before(starts[i], 0);
      const std::int64_t last = before(ends[i], -1);
      require(first > last, "takes nothing");
      const std::int64_t count = (first - last - steps[i] - 1) / -steps[i];
      dims[axis] = count;
      turned.insert(static_cast<std::int32_t>(stored_axis(in, axis)));
      slice.begin[stored_axis(in, axis)] =
          static_cast<std::int32_t>(first + (count - 1) * steps[i]);
      slice.stride[stored_axis(in, axis)] = static_cast<std::int32_t>(-steps[i]);
      continue;
    }
    const auto place = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent);
    };
    const std::int64_t begin = place(starts[i]);
    const std::int64_t end = place(ends[i]);
    require(begin < end, "takes nothing");
    dims[axis] = (end - begin + steps[i] - 1) / steps[i];
    slice.begin[stored_axis(in, axis)] = static_cast<std::int32_t>(begin);
    slice.stride[stored_axis(in, axis)] = static_cast<std::int32_t>(steps[i]);
  }
  OnnxValue out{moved(in, stored_shape(dims, in.order), slice), dims, in.order};
  if (!turned.empty()) {
    out.tensor =
        moved(out, stored_shape(dims, in.order),
              HostOperator{HostKind::Reverse, {turned.begin(), turned.end()}, {}}, "/turned");
  }
  define(node.output(0), out);
}

void OnnxImporter::split(const Node& node) {
  const OnnxValue in = input(node, 0);
  const std::size_t rank = in.dims.size();
  const std::size_t axis = axis_of(OnnxAttributes(node).integer("axis", 0), rank);
  const std::int64_t extent = in.dims[axis];
  const std::int64_t count = node.output_size();
  Dims sizes = integers_of(node, 1, "split");
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
    slice.begin[stored_axis(in, axis)] = static_cast<std::int32_t>(at);
    Dims dims = in.dims;
    dims[axis] = size;
    const std::int32_t part = builder_.moved(fmt::format("{}:{}", name_, i),
                                             stored_shape(dims, in.order), slice, {in.tensor});
    define(node.output(static_cast<int>(i)), part, dims, in.order);
    at += size;
  }
}

// One index is a slice; others are gathered on the host.
void OnnxImporter::gather(const Node& node) {
  const OnnxValue in = input(node, 0);
  const std::size_t axis = axis_of(OnnxAttributes(node).integer("axis", 0), in.dims.size());
  const OnnxConstant indices = constant(name_of(node, 1));
  const std::int64_t extent = in.dims[axis];
  std::vector<std::int64_t> places;
  for (const double index : indices.values) {
    const auto at = static_cast<std::int64_t>(std::clamp(index, -1e9, 1e9));
    places.push_back(at < 0 ? at + extent : at);
    require(places.back() >= 0 && places.back() < extent,
            fmt::format("index {} of {}", at, extent));
  }
  require(!places.empty() && indices.dims.size() <= 1, "supported are an index or a list of them");
  OnnxValue part = in;
  part.dims[axis] = static_cast<std::int64_t>(places.size());
  bool follow = true;
  for (std::size_t i = 1; i < places.size(); ++i) {
    follow = follow && places[i] == places[i - 1] + 1;
  }
  const std::size_t stored = stored_axis(in, axis);
  const std::vector<std::int32_t> shape = stored_shape(part.dims, in.order);
  if (follow) {
    StridedSlice slice{std::vector<std::int32_t>(in.dims.size(), 0),
                       std::vector<std::int32_t>(in.dims.size(), 1)};
    slice.begin[stored] = static_cast<std::int32_t>(places[0]);
    part.tensor = moved(in, shape, slice);
  } else {
    std::vector<std::uint8_t> bytes;
    for (const std::int64_t at : places) {
      for (int b = 0; b < 4; ++b) {
        bytes.push_back(static_cast<std::uint8_t>(at >> (8 * b)));
      }
    }
    const std::int32_t list = builder_.constant(
        name_ + "/indices", {static_cast<std::int32_t>(places.size())}, {}, std::move(bytes));
    builder_.tensor(list).type = DataType::Int32;
    part.tensor = builder_.moved(
        name_, shape, HostOperator{HostKind::Gather, {static_cast<std::int32_t>(stored), 0}, {}},
        {in.tensor, list});
  }
  if (!indices.dims.empty()) {
    define(node.output(0), part);
    return;
  }
  Dims dims = part.dims;
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  Order order;
  for (const std::size_t d : in.order) {
    if (d != axis) {
      order.push_back(d > axis ? d - 1 : d);
    }
  }
  define(node.output(0), moved(part, stored_shape(dims, order), Reshape{}, "/squeezed"), dims,
         order);
}

void OnnxImporter::tile(const Node& node) {
  const OnnxValue in = input(node, 0);
  const Dims repeats = integers(name_of(node, 1));
  require(repeats.size() == in.dims.size(), "needs a number of repeats for each axis");
  Dims dims = in.dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    require(repeats[d] >= 1 && repeats[d] <= (1 << 20), fmt::format("{} repeats", repeats[d]));
    dims[d] *= repeats[d];
  }
  define(node.output(0),
         moved(in, stored_shape(dims, in.order), HostOperator{HostKind::Tile, {}, {}}), dims,
         in.order);
}

void OnnxImporter::expand(const Node& node) {
  const Dims wanted = integers(name_of(node, 1));
  const OnnxValue in = widened(input(node, 0), wanted.size());
  Dims dims = in.dims;
  const std::size_t more = dims.size() - wanted.size();
  for (std::size_t d = 0; d < wanted.size(); ++d) {
    dims[d + more] = std::max(dims[d + more], wanted[d]);
  }
  define(node.output(0),
         moved(in, stored_shape(dims, in.order), HostOperator{HostKind::BroadcastTo, {}, {}}), dims,
         in.order);
}

// Parts of other scales are requantised on their way.
void OnnxImporter::concatenate(const std::string& name, std::vector<OnnxValue> parts,
                               std::int64_t given_axis, const std::optional<Quantisation>& out) {
  require(!parts.empty(), "needs inputs");
  const std::size_t rank = parts[0].dims.size();
  const std::size_t axis = axis_of(given_axis, rank);
  // The order that most of the bytes have.
  const auto leader =
      std::max_element(parts.begin(), parts.end(), [&](const auto& a, const auto& b) {
        return builder_.tensor(a.tensor).bytes() < builder_.tensor(b.tensor).bytes();
      });
  const Order order = leader->order;
  require(order.size() == rank, "inputs differ in rank");
  Dims dims = parts[0].dims;
  dims[axis] = 0;
  std::vector<std::int32_t> tensors;
  for (OnnxValue& part : parts) {
    require(part.dims.size() == rank, "inputs differ in rank");
    part = stored_as(part, order);
    dims[axis] += part.dims[axis];
    tensors.push_back(part.tensor);
  }
  const auto stored =
      static_cast<std::int32_t>(std::find(order.begin(), order.end(), axis) - order.begin());
  const std::int32_t tensor =
      builder_.moved(name_, stored_shape(dims, order), Concatenation{stored}, tensors);
  if (out) {
    builder_.tensor(tensor).quantisation = *out;
  }
  define(name, tensor, dims, order);
}

void OnnxImporter::concat(const Node& node) {
  require(node.input_size() >= 1, "needs inputs");
  const std::int64_t axis = OnnxAttributes(node).integer("axis", 0);
  bool eight_bits = true;
  for (const std::string& name : node.input()) {
    eight_bits = eight_bits && (is_known(name) ? !quantised_ || constant(name).scales.size() == 1
                                               : is_quantised(value(name)));
  }
  const auto result = eight_bits && quantised_ ? quantised_result(node, false) : std::nullopt;
  std::vector<OnnxValue> parts;
  bool alike = true;
  if (eight_bits) {
    for (const std::string& name : node.input()) {
      parts.push_back(is_known(name) ? operand(name, known_dims(name).size()) : value(name));
      const Quantisation& a = builder_.tensor(parts[0].tensor).quantisation;
      const Quantisation& b = builder_.tensor(parts.back().tensor).quantisation;
      alike = alike && a.scales == b.scales && a.zero_point == b.zero_point;
    }
  }
  if (!eight_bits || (quantised_ && !result && !alike)) {
    parts.clear();
    for (const std::string& name : node.input()) {
      parts.push_back(float_operand(name));
    }
  }
  concatenate(result ? result->name : node.output(0), std::move(parts), axis,
              result ? result->quantisation : std::nullopt);
}

void OnnxImporter::qlinear_concat(const Node& node) {
  const Quantisation out = read_quantisation(name_of(node, 0), name_of(node, 1));
  std::vector<OnnxValue> parts;
  for (int i = 2; i + 2 < node.input_size(); i += 3) {
    parts.push_back(input(node, i));
    set_quantisation(parts.back(), read_quantisation(name_of(node, i + 1), name_of(node, i + 2)));
  }
  concatenate(node.output(0), std::move(parts), OnnxAttributes(node).integer("axis", 0), out);
}

}  // namespace tessera

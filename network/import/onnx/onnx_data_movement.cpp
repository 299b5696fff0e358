// Nodes that move values or change their type.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "network/import/onnx/graph/constant_values.hpp"
#include "network/import/onnx/onnx_importer.hpp"
#include "network/import/onnx/rounding.hpp"

namespace tessera {

void OnnxImporter::quantize_linear(const Node& node) {
  const OnnxValue in = input(node, 0);
  requantise(node.output(0), in,
             read_quantisation(name_of(node, 1), name_of(node, 2), kind_of(node.output(0))));
}

// What is dequantised is read as it is; only at the end of the network it becomes float.
void OnnxImporter::dequantize_linear(const Node& node) {
  const OnnxValue in = input(node, 0);
  set_quantisation(
      in, read_quantisation(name_of(node, 1), name_of(node, 2), kind_of(name_of(node, 0))));
  define(node.output(0), in);
}

void OnnxImporter::pass(const Node& node) {
  define(node.output(0), input(node, 0));
}

void OnnxImporter::batch_normalization(const Node& node) {
  if (quantised_) {
    normalise_floats(node);
  } else {
    pass(node);  // part of the convolution before it
  }
}

void OnnxImporter::cast(const Node& node) {
  const OnnxValue in = input(node, 0);
  const std::int64_t to = OnnxAttributes(node).integer("to", 1);
  if (!quantised_) {
    pass(node);
    return;
  }
  const DataType type = to == onnx::TensorProto::INT64   ? DataType::Int64
                        : to == onnx::TensorProto::INT32 ? DataType::Int32
                        : to == onnx::TensorProto::BOOL  ? DataType::Bool
                                                         : DataType::Float32;
  require(to == onnx::TensorProto::FLOAT || type != DataType::Float32,
          fmt::format("to type {}; supported are float, int32, int64 and bool", to));
  if (const ValueKind kind = kind_of(name_of(node, 0));
      kind != ValueKind::Float && is_quantised(in)) {
    // The bytes as numbers.
    const Quantisation plain_bytes{{1.0F}, kind == ValueKind::Unsigned ? -128 : 0};
    const Quantisation& own = builder_.tensor(in.tensor).quantisation;
    require(own.scales.empty() ||
                (own.scales == plain_bytes.scales && own.zero_point == plain_bytes.zero_point),
            "of the bytes of a quantised value is not supported");
    set_quantisation(in, plain_bytes);
  }
  const OnnxValue real = as_float(in);
  if (builder_.tensor(real.tensor).type == type) {
    define(node.output(0), real);
    return;
  }
  const std::int32_t out =
      moved(real, builder_.tensor(real.tensor).shape, HostOperator{HostKind::Cast, {}, {}});
  builder_.tensor(out).type = type;
  define(node.output(0), out, in.dims, in.order);
}

void OnnxImporter::known_node(const Node& node) {
  require(is_known(node.output(0)), "is supported for constants only");
}

void OnnxImporter::mean_over(const Node& node, const OnnxValue& given, Dims axes, bool keep,
                             const std::optional<Result>& result, bool of_bytes) {
  OnnxValue in = given;
  if (axes.empty()) {
    axes.resize(in.dims.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  std::set<std::size_t> reduced;
  for (const std::int64_t axis : axes) {
    reduced.insert(axis_of(axis, in.dims.size()));
  }
  const auto stored_axes = [&](const OnnxValue& v) {
    std::vector<std::int32_t> stored;
    stored.reserve(reduced.size());
    for (const std::size_t axis : reduced) {
      stored.push_back(static_cast<std::int32_t>(stored_axis(v, axis)));
    }
    std::sort(stored.begin(), stored.end());
    return stored;
  };
  std::vector<std::int32_t> stored = stored_axes(in);
  Dims dims;
  Order kept_axes;  // ONNX's axes that are left, by the new ones
  for (std::size_t d = 0; d < in.dims.size(); ++d) {
    if (reduced.count(d) == 0 || keep) {
      dims.push_back(reduced.count(d) != 0 ? 1 : in.dims[d]);
      kept_axes.push_back(d);
    }
  }
  Order order;
  for (const std::size_t d : in.order) {
    const auto at = std::find(kept_axes.begin(), kept_axes.end(), d);
    if (at != kept_axes.end()) {
      order.push_back(static_cast<std::size_t>(at - kept_axes.begin()));
    }
  }
  const std::vector<std::int32_t> shape = stored_shape(dims, order);
  const bool neighbours =
      stored.back() - stored.front() + 1 == static_cast<std::int32_t>(stored.size());
  std::int64_t count = 1;
  for (const std::size_t axis : reduced) {
    count *= in.dims[axis];
  }
  constexpr std::int64_t kMostTried = 1 << 16;
  const bool is_bytes = of_bytes && quantised_ && is_quantised(in) && count <= kMostTried;
  const bool on_array =
      !is_bytes || mean_rounds_as_bytes(builder_.tensor(in.tensor).quantisation,
                                        *result->quantisation, static_cast<std::int32_t>(count));
  const bool eight_bits =
      is_quantised(in) &&
      (is_bytes || !quantised_ ||
       (result &&
        (!is_as_floats() || count > kMostTried ||
         mean_rounds_as_floats(builder_.tensor(in.tensor).quantisation, *result->quantisation,
                               static_cast<std::int32_t>(count)))));
  if (eight_bits) {
    const Attributes mean =
        neighbours && on_array
            ? Attributes{Mean{stored.front(), static_cast<std::int32_t>(stored.size())}}
            : Attributes{HostOperator{HostKind::ReduceMean, stored,
                                      on_array ? std::vector<float>{} : std::vector<float>{2}}};
    const std::int32_t out = moved(in, shape, mean);
    if (result && result->quantisation) {
      builder_.tensor(out).quantisation = *result->quantisation;
    }
    define(result ? result->name : node.output(0), out, dims, order);
    return;
  }
  in = as_float(in);
  const OnnxValue out{moved(in, shape, HostOperator{HostKind::ReduceMean, stored, {}}), dims,
                      order};
  if (result && result->quantisation) {
    requantise(result->name, out, *result->quantisation);
  } else {
    define(node.output(0), out);
  }
}

void OnnxImporter::reshape_to(const Node& node, const OnnxValue& given, const Dims& dims) {
  const std::int64_t before = elements_of(given.dims);
  std::int64_t after = 1;
  for (const std::int64_t extent : dims) {
    require(extent >= 1 && extent <= before, fmt::format("extent {}", extent));
    after *= extent;
    require(after <= before, "has more elements than its input");
  }
  require(after == before && dims.size() <= 8, fmt::format("{} elements become {}", before, after));
  const OnnxValue in = plain(given);
  const Order order = plain_order(dims.size());
  define(node.output(0), moved(in, stored_shape(dims, order), Reshape{}), dims, order);
}

void OnnxImporter::reshape(const Node& node) {
  const OnnxValue in = input(node, 0);
  Dims dims =
      onnx_.opset() < 5 ? OnnxAttributes(node).integers("shape", {}) : integers(name_of(node, 1));
  const bool zero_is_zero = OnnxAttributes(node).flag("allowzero", false);
  std::int64_t known = 1;
  const std::int64_t elements = elements_of(in.dims);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 0 && !zero_is_zero && d < in.dims.size()) {
      dims[d] = in.dims[d];
    }
    known *= std::clamp<std::int64_t>(dims[d], 1, elements);
    require(known <= elements, "has more elements than its input");
  }
  for (std::int64_t& extent : dims) {
    extent = extent == -1 ? elements / known : extent;
  }
  reshape_to(node, in, dims);
}

void OnnxImporter::flatten(const Node& node) {
  const OnnxValue in = input(node, 0);
  const auto rank = static_cast<std::int64_t>(in.dims.size());
  std::int64_t axis = OnnxAttributes(node).integer("axis", 1);
  axis = axis < 0 ? axis + rank : axis;
  require(axis >= 0 && axis <= rank, fmt::format("axis {}", axis));
  const auto middle = in.dims.begin() + axis;
  reshape_to(node, in,
             {elements_of({in.dims.begin(), middle}), elements_of({middle, in.dims.end()})});
}

void OnnxImporter::squeeze(const Node& node) {
  const OnnxValue in = input(node, 0);
  std::set<std::size_t> named;
  for (const std::int64_t axis : integers_of(node, 1, "axes")) {
    named.insert(axis_of(axis, in.dims.size()));
  }
  Dims dims;
  for (std::size_t d = 0; d < in.dims.size(); ++d) {
    if (!(named.empty() ? in.dims[d] == 1 : named.count(d) != 0)) {
      dims.push_back(in.dims[d]);
    }
  }
  reshape_to(node, in, dims);
}

void OnnxImporter::unsqueeze(const Node& node) {
  const OnnxValue in = input(node, 0);
  const Dims axes = integers_of(node, 1, "axes");
  require(axes.size() + in.dims.size() <= 8, "more than 8 dimensions");
  std::set<std::size_t> named;
  for (const std::int64_t axis : axes) {
    named.insert(axis_of(axis, in.dims.size() + axes.size()));
  }
  require(named.size() == axes.size(), "axes repeat");
  Dims dims;
  std::size_t next = 0;
  for (std::size_t d = 0; d < in.dims.size() + axes.size(); ++d) {
    dims.push_back(named.count(d) != 0 ? 1 : in.dims[next++]);
  }
  reshape_to(node, in, dims);
}

// Nothing moves before something needs the new order.
OnnxValue OnnxImporter::permuted(const OnnxValue& in, const Dims& perm) const {
  const std::size_t rank = in.dims.size();
  require(perm.size() == rank, "perm has another rank than its input");
  OnnxValue out = in;
  Order new_axis(rank, rank);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::size_t from = axis_of(perm[d], rank);
    require(new_axis[from] == rank, "perm is no permutation");
    new_axis[from] = d;
    out.dims[d] = in.dims[from];
  }
  for (std::size_t& d : out.order) {
    d = new_axis[d];
  }
  return out;
}

void OnnxImporter::transpose(const Node& node) {
  const OnnxValue in = input(node, 0);
  Dims perm(in.dims.size());
  std::iota(perm.rbegin(), perm.rend(), 0);
  define(node.output(0), permuted(in, OnnxAttributes(node).integers("perm", perm)));
}

void OnnxImporter::depth_to_space(const Node& node) {
  const OnnxAttributes attributes(node);
  const OnnxValue in = image(input(node, 0));
  const auto b = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(attributes.integer("blocksize", 0), 0, 1024));
  const std::vector<std::int32_t> s = builder_.tensor(in.tensor).shape;
  require(b >= 1 && s[3] % (b * b) == 0, "channels are no multiple of the block");
  const bool depth_first = attributes.text("mode", "DCR") == "DCR";
  const std::int32_t c = s[3] / (b * b);
  const std::int32_t cut = moved(
      in, depth_first ? std::vector{1, s[1], s[2], b, b, c} : std::vector{1, s[1], s[2], c, b, b},
      Reshape{}, "/cut");
  const Transpose turn{depth_first ? std::vector{0, 1, 3, 2, 4, 5} : std::vector{0, 1, 4, 2, 5, 3}};
  const std::int32_t turned = moved({cut, {}, {}}, {1, s[1], b, s[2], b, c}, turn, "/turned");
  define(node.output(0),
         from_image(moved({turned, {}, {}}, {1, s[1] * b, s[2] * b, c}, Reshape{}), 4));
}

void OnnxImporter::space_to_depth(const Node& node) {
  const OnnxValue in = image(input(node, 0));
  const auto b = static_cast<std::int32_t>(
      std::clamp<std::int64_t>(OnnxAttributes(node).integer("blocksize", 0), 0, 1024));
  const std::vector<std::int32_t> s = builder_.tensor(in.tensor).shape;
  require(b >= 1 && s[1] % b == 0 && s[2] % b == 0,
          "height and width are no multiples of the block");
  const std::int32_t cut = moved(in, {1, s[1] / b, b, s[2] / b, b, s[3]}, Reshape{}, "/cut");
  const std::int32_t turned = moved({cut, {}, {}}, {1, s[1] / b, s[2] / b, b, b, s[3]},
                                    Transpose{{0, 1, 3, 2, 4, 5}}, "/turned");
  define(node.output(0),
         from_image(moved({turned, {}, {}}, {1, s[1] / b, s[2] / b, b * b * s[3]}, Reshape{}), 4));
}

}  // namespace tessera

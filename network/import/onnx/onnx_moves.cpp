// Nodes that move values, change their type, or reduce them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "network/import/onnx/onnx_importer.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

std::int64_t product_of(const std::vector<std::int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

void OnnxImporter::quantize_linear(const Node& node) {
  const OnnxValue in = input(node, 0);
  requantise(node.output(0), in, read_quantisation(name_of(node, 1), name_of(node, 2)));
}

// What is dequantised is read as it is; only at the end of the network it becomes float.
void OnnxImporter::dequantize_linear(const Node& node) {
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(name_of(node, 1), name_of(node, 2)));
  define(node.output(0), in);
}

void OnnxImporter::pass(const Node& node) {
  define(node.output(0), input(node, 0));
}

void OnnxImporter::batch_normalization(const Node& node) {
  require(!quantised_, "must be folded into the convolution before it in a quantised model");
  pass(node);
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
                             const std::optional<Result>& result) {
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
  const bool eight_bits = is_quantised(in) && (result || !quantised_);
  if (eight_bits) {
    const Attributes mean =
        neighbours ? Attributes{Mean{stored.front(), static_cast<std::int32_t>(stored.size())}}
                   : Attributes{HostOperator{HostKind::ReduceMean, stored, {}}};
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

void OnnxImporter::global_average_pool(const Node& node) {
  const OnnxValue in = input(node, 0);
  require(in.dims.size() >= 3, "needs dimensions of space");
  Dims axes(in.dims.size() - 2);
  std::iota(axes.begin(), axes.end(), 2);
  mean_over(node, stored_as(in, channels_last(in.dims.size())), axes, true,
            quantised_ ? quantised_result(node, false) : std::nullopt);
}

void OnnxImporter::global_max_pool(const Node& node) {
  const OnnxValue in = image(input(node, 0));
  const std::vector<std::int32_t>& shape = builder_.tensor(in.tensor).shape;
  Pool2d pool;
  pool.kind = PoolKind::Max;
  pool.filter_h = shape[1];
  pool.filter_w = shape[2];
  define(node.output(0),
         from_image(builder_.pool(name_, in.tensor, pool), input(node, 0).dims.size()));
}

void OnnxImporter::qlinear_global_average_pool(const Node& node) {
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(name_of(node, 1), name_of(node, 2)));
  Result result;
  result.name = node.output(0);
  result.quantisation = read_quantisation(name_of(node, 3), name_of(node, 4));
  const bool last = OnnxAttributes(node).flag("channels_last", false);
  require(in.dims.size() >= 3, "needs dimensions of space");
  Dims axes(in.dims.size() - 2);
  std::iota(axes.begin(), axes.end(), last ? 1 : 2);
  mean_over(node, in, axes, true, result);
}

void OnnxImporter::reduce_mean(const Node& node) {
  mean_over(node, input(node, 0), integers_of(node, 1, "axes"),
            OnnxAttributes(node).flag("keepdims", true),
            quantised_ ? quantised_result(node, false) : std::nullopt);
}

// Maxima and minima keep the scale; sums are float.
void OnnxImporter::reduce(const Node& node, HostKind kind) {
  OnnxValue in = input(node, 0);
  if (kind == HostKind::Sum && quantised_) {
    in = as_float(in);
  }
  Dims axes = integers_of(node, 1, "axes");
  if (axes.empty()) {
    axes.resize(in.dims.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  const bool keep = OnnxAttributes(node).flag("keepdims", true);
  in = plain(in);
  std::set<std::size_t> reduced;
  for (const std::int64_t axis : axes) {
    reduced.insert(axis_of(axis, in.dims.size()));
  }
  Dims dims;
  for (std::size_t d = 0; d < in.dims.size(); ++d) {
    if (reduced.count(d) == 0 || keep) {
      dims.push_back(reduced.count(d) != 0 ? 1 : in.dims[d]);
    }
  }
  const std::vector<std::int32_t> stored(reduced.begin(), reduced.end());
  const Order order = plain_order(dims.size());
  define(node.output(0), moved(in, stored_shape(dims, order), HostOperator{kind, stored, {}}), dims,
         order);
}

void OnnxImporter::arg(const Node& node) {
  const OnnxAttributes attributes(node);
  const OnnxValue in = input(node, 0);
  require(attributes.integer("select_last_index", 0) == 0, "supported is the first index");
  const std::size_t axis = axis_of(attributes.integer("axis", 0), in.dims.size());
  const std::size_t stored = stored_axis(in, axis);
  Dims dims = in.dims;
  dims[axis] = 1;
  const HostKind kind = node.op_type() == "ArgMax" ? HostKind::ArgMax : HostKind::ArgMin;
  const std::int32_t out = moved(in, stored_shape(dims, in.order),
                                 HostOperator{kind, {static_cast<std::int32_t>(stored)}, {}});
  builder_.tensor(out).type = DataType::Int64;
  OnnxValue result{out, dims, in.order};
  if (!attributes.flag("keepdims", true)) {
    // The axis has extent 1 now: it can go from anywhere.
    result.dims.erase(result.dims.begin() + static_cast<std::ptrdiff_t>(axis));
    Order order;
    for (const std::size_t d : in.order) {
      if (d != axis) {
        order.push_back(d > axis ? d - 1 : d);
      }
    }
    result.order = order;
    result.tensor = moved({out, {}, {}}, stored_shape(result.dims, order), Reshape{}, "/squeezed");
  }
  define(node.output(0), result);
}

void OnnxImporter::reshape_to(const Node& node, const OnnxValue& given, const Dims& dims) {
  const std::int64_t before = product_of(given.dims);
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
  const std::int64_t elements = product_of(in.dims);
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
             {product_of({in.dims.begin(), middle}), product_of({middle, in.dims.end()})});
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
void OnnxImporter::transpose(const Node& node) {
  const OnnxValue in = input(node, 0);
  const std::size_t rank = in.dims.size();
  Dims perm(rank);
  std::iota(perm.rbegin(), perm.rend(), 0);
  perm = OnnxAttributes(node).integers("perm", perm);
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
  define(node.output(0), out);
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

void OnnxImporter::pad(const Node& node) {
  const OnnxAttributes attributes(node);
  const OnnxValue in = input(node, 0);
  const std::size_t rank = in.dims.size();
  const std::string mode = attributes.text("mode", "constant");
  require(mode == "constant" || mode == "reflect",
          fmt::format("mode `{}`; supported are constant and reflect", mode));
  const Dims given = integers_of(node, 1, "pads");
  Dims pads(2 * rank, 0);
  if (name_of(node, 3).empty()) {
    pads = given;
  } else {
    const Dims axes = integers(name_of(node, 3));
    require(given.size() == 2 * axes.size(), "needs two pads for each axis");
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::size_t axis = axis_of(axes[i], rank);
      pads[axis] = given[i];
      pads[axis + rank] = given[i + axes.size()];
    }
  }
  require(
      pads.size() == 2 * rank &&
          std::all_of(pads.begin(), pads.end(), [](std::int64_t p) { return p >= 0 && p < 65536; }),
      "needs two pads of 0 to 65535 for each axis");
  const double value = name_of(node, 2).empty() ? static_cast<double>(attributes.number("value", 0))
                                                : number(name_of(node, 2));
  Dims dims = in.dims;
  Pad pad;
  for (std::size_t d = 0; d < rank; ++d) {
    dims[d] += pads[d] + pads[d + rank];
  }
  for (const std::size_t d : in.order) {
    pad.before.push_back(static_cast<std::int32_t>(pads[d]));
    pad.after.push_back(static_cast<std::int32_t>(pads[d + rank]));
  }
  const std::vector<std::int32_t> shape = stored_shape(dims, in.order);
  if (mode == "constant" && value == 0 && is_quantised(in)) {
    define(node.output(0), moved(in, shape, pad), dims, in.order);
    return;
  }
  HostOperator host{mode == "reflect" ? HostKind::MirrorPad : HostKind::PadValue, pad.before, {}};
  host.integers.insert(host.integers.end(), pad.after.begin(), pad.after.end());
  if (mode == "reflect") {
    host.integers.push_back(0);
  } else if (is_quantised(in)) {
    const Quantisation& q = builder_.tensor(in.tensor).quantisation;
    require(q.scales.size() == 1, "its input has no scale");
    const double steps = std::nearbyint(value / static_cast<double>(q.scales[0])) + q.zero_point;
    host.numbers = {static_cast<float>(std::clamp(steps, -128.0, 127.0))};
  } else {
    host.numbers = {static_cast<float>(value)};
  }
  define(node.output(0), moved(in, shape, host), dims, in.order);
}

void OnnxImporter::resize(const Node& node) {
  const OnnxAttributes attributes(node);
  const OnnxValue in = image(input(node, 0));
  const bool upsample = node.op_type() == "Upsample" || onnx_.opset() < 11;
  const int scales_at = upsample ? 1 : 2;
  const std::string mode = attributes.text("mode", "nearest");
  require(mode == "nearest" || mode == "linear" || mode == "bilinear",
          fmt::format("mode `{}`; supported are nearest and linear", mode));
  require(!attributes.has("axes"), "of named axes is not supported");
  Dims dims = in.dims;
  if (!name_of(node, 3).empty()) {
    dims = integers(name_of(node, 3));
  } else {
    std::vector<double> scales = attributes.numbers("scales");
    if (!name_of(node, scales_at).empty()) {
      scales = constant(name_of(node, scales_at)).values;
    }
    require(
        scales.size() == 4 && std::all_of(scales.begin(), scales.end(),
                                          [](double scale) { return scale > 0 && scale < 1e6; }),
        "needs four positive scales");
    for (std::size_t d = 0; d < 4; ++d) {
      dims[d] = static_cast<std::int64_t>(
          std::floor(static_cast<double>(in.dims[d]) * std::clamp(scales[d], 0.0, 1e6)));
    }
  }
  require(dims.size() == 4 && dims[0] == 1 && dims[1] == in.dims[1] && dims[2] >= 1 &&
              dims[3] >= 1 && dims[2] <= 65535 && dims[3] <= 65535,
          "supported is a resize of height and width");
  const std::string place =
      upsample ? "asymmetric" : attributes.text("coordinate_transformation_mode", "half_pixel");
  const std::string round =
      upsample ? "floor" : attributes.text("nearest_mode", "round_prefer_floor");
  const std::vector<std::int32_t> shape = stored_shape(dims, in.order);
  if (mode != "nearest") {
    const bool corners = place == "align_corners";
    const bool centers = place == "half_pixel" || place == "pytorch_half_pixel";
    require(corners || centers || place == "asymmetric",
            fmt::format("coordinates `{}` of linear resizes are not supported", place));
    require(attributes.integer("antialias", 0) == 0, "antialias is not supported");
    define(node.output(0),
           moved(in, shape,
                 HostOperator{HostKind::ResizeBilinear, {corners ? 1 : 0, centers ? 1 : 0, 1}, {}}),
           dims, in.order);
    return;
  }
  // The rule, among ours, that takes the same pixels.
  for (const ResizeNearest& rule :
       {ResizeNearest{false, false}, ResizeNearest{false, true}, ResizeNearest{true, false}}) {
    if (same_pixels(rule, place, round, in.dims[2], dims[2]) &&
        same_pixels(rule, place, round, in.dims[3], dims[3])) {
      define(node.output(0), moved(in, shape, rule), dims, in.order);
      return;
    }
  }
  fail(fmt::format("coordinates `{}` rounded by `{}` take other pixels than the supported rules",
                   place, round));
}

bool OnnxImporter::same_pixels(const ResizeNearest& rule, const std::string& place,
                               const std::string& round, std::int64_t in, std::int64_t out) {
  const double scale = static_cast<double>(out) / static_cast<double>(in);
  for (std::int64_t i = 0; i < out; ++i) {
    const auto x = static_cast<double>(i);
    double at = x / scale;
    if (place == "half_pixel" || (place == "pytorch_half_pixel" && out > 1)) {
      at = (x + 0.5) / scale - 0.5;
    } else if (place == "align_corners") {
      at = out == 1 ? 0 : x * static_cast<double>(in - 1) / static_cast<double>(out - 1);
    } else if (place != "asymmetric") {
      return false;
    }
    double pixel = std::floor(at);
    if (round == "round_prefer_floor") {
      pixel = std::ceil(at - 0.5);
    } else if (round == "round_prefer_ceil") {
      pixel = std::floor(at + 0.5);
    } else if (round == "ceil") {
      pixel = std::ceil(at);
    }
    const auto wanted =
        static_cast<std::int64_t>(std::clamp(pixel, 0.0, static_cast<double>(in - 1)));
    if (nearest_source(rule, static_cast<std::int32_t>(i), static_cast<std::int32_t>(in),
                       static_cast<std::int32_t>(out)) != wanted) {
      return false;
    }
  }
  return true;
}

}  // namespace tessera

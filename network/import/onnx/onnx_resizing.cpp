// Nodes that put values around or between others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "network/import/onnx/onnx_importer.hpp"
#include "tessera/reference.hpp"

namespace tessera {
namespace {

constexpr const char* kCrop = "tf_crop_and_resize";

}  // namespace

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
  Margins margins;
  margins.before.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank));
  margins.after.assign(pads.begin() + static_cast<std::ptrdiff_t>(rank), pads.end());
  if (mode == "reflect") {
    HostOperator host{HostKind::MirrorPad, stored_margins(in, margins), {}};
    host.integers.push_back(0);
    const OnnxValue out = with_margins(in, margins);
    define(node.output(0), moved(in, stored_shape(out.dims, out.order), host), out.dims, out.order);
    return;
  }
  const double value = name_of(node, 2).empty() ? static_cast<double>(attributes.number("value", 0))
                                                : number(name_of(node, 2));
  define(node.output(0), filled(node, in, margins, value));
}

OnnxValue OnnxImporter::with_margins(OnnxValue v, const Margins& margins) {
  for (std::size_t d = 0; d < v.dims.size(); ++d) {
    v.dims[d] += margins.before[d] + margins.after[d];
  }
  return v;
}

std::vector<std::int32_t> OnnxImporter::stored_margins(const OnnxValue& v, const Margins& margins) {
  std::vector<std::int32_t> stored;
  for (const Dims* side : {&margins.before, &margins.after}) {
    for (const std::size_t d : v.order) {
      stored.push_back(static_cast<std::int32_t>((*side)[d]));
    }
  }
  return stored;
}

// Bytes have numbers as their values, and what is between DequantizeLinear and QuantizeLinear real
// ones: where no step of the scale is that value, the operator is one of floats.
OnnxValue OnnxImporter::filled(const Node& node, const OnnxValue& given, const Margins& margins,
                               double value) {
  OnnxValue in = given;
  auto number = static_cast<float>(value);
  const ValueKind kind = kind_of(name_of(node, 0));
  if (is_quantised(in) && quantised_ && kind != ValueKind::Float) {
    number = static_cast<float>(value - (kind == ValueKind::Unsigned ? 128 : 0));
  } else if (is_quantised(in) && quantised_) {
    const Quantisation& q = builder_.tensor(in.tensor).quantisation;
    require(q.scales.size() == 1, "its input has no scale");
    const double steps = std::nearbyint(value / static_cast<double>(q.scales[0])) + q.zero_point;
    const bool is_step =
        steps >= -128 && steps <= 127 &&
        static_cast<float>(steps - q.zero_point) * q.scales[0] == static_cast<float>(value);
    // What no maximum takes is below all bytes as well.
    const Node* reader = only_reader(node.output(0));
    const bool is_least = steps < -128 && reader != nullptr && reader->op_type() == "MaxPool";
    if (is_step || is_least) {
      number = static_cast<float>(std::max(steps, -128.0));
    } else {
      in = as_float(in);
    }
  }
  OnnxValue out = with_margins(in, margins);
  const std::vector<std::int32_t> shape = stored_shape(out.dims, out.order);
  const std::vector<std::int32_t> stored = stored_margins(in, margins);
  const Quantisation& q = builder_.tensor(in.tensor).quantisation;
  if (is_quantised(in) &&
      (!quantised_ || (!q.scales.empty() && number == static_cast<float>(q.zero_point)))) {
    const auto half = stored.begin() + static_cast<std::ptrdiff_t>(in.dims.size());
    out.tensor = moved(in, shape, Pad{{stored.begin(), half}, {half, stored.end()}});
  } else {
    out.tensor = moved(in, shape, HostOperator{HostKind::PadValue, stored, {number}});
  }
  return out;
}

/// One axis of a resize.
struct OnnxImporter::ResizedAxis {
  std::int64_t in = 1;
  std::int64_t out = 1;
  float scale = 1;
  float start = 0;  ///< of `tf_crop_and_resize`, in parts of the input
  float end = 1;
};

// Where in the input each output lies, in single precision as ONNX Runtime has it.
std::vector<float> OnnxImporter::places_of(const ResizedAxis& axis, const std::string& rule) const {
  const auto in = static_cast<float>(axis.in);
  const auto out = static_cast<float>(axis.out);
  const auto place = [&](float x) -> float {
    if (axis.scale == 1.0F && axis.in == axis.out) {
      return x;
    }
    if (rule == "half_pixel" || (rule == "pytorch_half_pixel" && axis.out > 1)) {
      return (x + 0.5F) / axis.scale - 0.5F;
    }
    if (rule == "pytorch_half_pixel") {
      return 0;
    }
    if (rule == "half_pixel_symmetric") {
      const float whole = axis.scale * in;
      const float shift = in / 2.0F * (1.0F - out / whole);
      // The rest in double precision.
      return static_cast<float>(static_cast<double>(shift) +
                                (static_cast<double>(x) + 0.5) / static_cast<double>(axis.scale) -
                                0.5);
    }
    if (rule == "align_corners") {
      return axis.out == 1 ? 0 : x * (in - 1.0F) / (out - 1.0F);
    }
    if (rule == "tf_half_pixel_for_nn") {
      return (x + 0.5F) / axis.scale;
    }
    if (rule == kCrop) {
      return axis.out == 1 ? 0.5F * (axis.start + axis.end) * (in - 1.0F)
                           : axis.start * (in - 1.0F) +
                                 x * (axis.end - axis.start) * (in - 1.0F) / (out - 1.0F);
    }
    return x / axis.scale;
  };
  require(rule == "asymmetric" || rule == "half_pixel" || rule == "pytorch_half_pixel" ||
              rule == "half_pixel_symmetric" || rule == "align_corners" ||
              rule == "tf_half_pixel_for_nn" || rule == kCrop,
          fmt::format("coordinates `{}` are not supported", rule));
  std::vector<float> places;
  places.reserve(static_cast<std::size_t>(axis.out));
  for (std::int64_t x = 0; x < axis.out; ++x) {
    places.push_back(place(static_cast<float>(x)));
  }
  return places;
}

namespace {

std::vector<std::int32_t> nearest(const std::vector<float>& places, const std::string& round,
                                  std::int64_t in) {
  std::vector<std::int32_t> pixels;
  pixels.reserve(places.size());
  for (const float at : places) {
    float pixel = std::floor(at);
    if (round == "round_prefer_floor") {
      pixel = std::ceil(at - 0.5F);
    } else if (round == "round_prefer_ceil") {
      pixel = std::floor(at + 0.5F);
    } else if (round == "ceil") {
      pixel = std::ceil(at);
    }
    pixels.push_back(
        static_cast<std::int32_t>(std::clamp(pixel, 0.0F, static_cast<float>(in - 1))));
  }
  return pixels;
}

// Places outside of the input stand at the ends: how many there are in front and behind.
std::pair<std::int64_t, std::int64_t> cut_outside(std::vector<float>& places, std::int64_t in) {
  const auto is_inside = [&](float at) { return at >= 0 && at <= static_cast<float>(in - 1); };
  const auto first = std::find_if(places.begin(), places.end(), is_inside);
  const auto behind = std::find_if_not(first, places.end(), is_inside);
  const std::pair<std::int64_t, std::int64_t> cut = {first - places.begin(), places.end() - behind};
  places = std::vector<float>(first, behind);
  return cut;
}

bool takes(const ResizeNearest& rule, const std::vector<std::int32_t>& pixels, std::int64_t in) {
  const auto out = static_cast<std::int32_t>(pixels.size());
  for (std::int32_t i = 0; i < out; ++i) {
    if (nearest_source(rule, i, static_cast<std::int32_t>(in), out) !=
        pixels[static_cast<std::size_t>(i)]) {
      return false;
    }
  }
  return true;
}

}  // namespace

void OnnxImporter::resize(const Node& node) {
  const OnnxAttributes attributes(node);
  OnnxValue in = image(input(node, 0));
  const bool upsample = node.op_type() == "Upsample" || onnx_.opset() < 11;
  const int scales_at = upsample ? 1 : 2;
  const std::string mode = attributes.text("mode", "nearest");
  require(mode == "nearest" || mode == "linear" || mode == "bilinear",
          fmt::format("mode `{}`; supported are nearest and linear", mode));
  require(attributes.text("keep_aspect_ratio_policy", "stretch") == "stretch",
          "supported is keep_aspect_ratio_policy `stretch`");
  require(attributes.integer("antialias", 0) == 0, "antialias is not supported");
  ResizedAxis axes[4];
  for (std::size_t d = 0; d < 4; ++d) {
    axes[d].in = axes[d].out = in.dims[d];
  }
  std::vector<double> scales = attributes.numbers("scales");
  if (!name_of(node, scales_at).empty()) {
    scales = constant(name_of(node, scales_at)).values;
  }
  const Dims sizes = upsample || name_of(node, 3).empty() ? Dims{} : integers(name_of(node, 3));
  const std::size_t rank = input(node, 0).dims.size();
  Dims named = attributes.integers("axes", {});
  if (named.empty()) {
    for (std::size_t d = 0; d < rank; ++d) {
      named.push_back(static_cast<std::int64_t>(d));
    }
  }
  require(sizes.empty() ? scales.size() == named.size() : sizes.size() == named.size(),
          fmt::format("needs {} scales or sizes", named.size()));
  for (std::size_t i = 0; i < named.size(); ++i) {
    // One dimension of space is a width.
    const std::size_t at = axis_of(named[i], rank);
    ResizedAxis& axis = axes[rank == 3 && at == 2 ? 3 : at];
    if (!sizes.empty()) {
      require(sizes[i] >= 1 && sizes[i] <= 65535, fmt::format("size {}", sizes[i]));
      axis.out = sizes[i];
      axis.scale = static_cast<float>(axis.out) / static_cast<float>(axis.in);
      continue;
    }
    require(scales[i] > 0 && scales[i] < 65536, fmt::format("scale {}", scales[i]));
    axis.scale = static_cast<float>(scales[i]);
    axis.out = static_cast<std::int64_t>(axis.scale * static_cast<float>(axis.in));
    require(axis.out >= 1 && axis.out <= 65535, fmt::format("scale {}", scales[i]));
  }
  require(axes[0].in == axes[0].out && axes[1].in == axes[1].out,
          "supported is a resize of height and width");
  const std::string rule =
      upsample ? "asymmetric" : attributes.text("coordinate_transformation_mode", "half_pixel");
  if (rule == kCrop) {
    const std::vector<double> region = constant(name_of(node, 1)).values;
    require(region.size() == 2 * named.size(),
            fmt::format("needs a region of {} numbers", 2 * named.size()));
    for (std::size_t i = 0; i < named.size(); ++i) {
      const std::size_t at = axis_of(named[i], rank);
      ResizedAxis& axis = axes[rank == 3 && at == 2 ? 3 : at];
      axis.start = static_cast<float>(region[i]);
      axis.end = static_cast<float>(region[i + named.size()]);
      require(std::isfinite(axis.start) && std::isfinite(axis.end),
              "its region must be of finite numbers");
    }
  }
  // Whatever the scales: ONNX Runtime copies what keeps its size.
  if (axes[2].in == axes[2].out && axes[3].in == axes[3].out) {
    define(node.output(0), input(node, 0));
    return;
  }
  std::vector<float> rows = places_of(axes[2], rule);
  std::vector<float> cols = places_of(axes[3], rule);
  Margins outside{{0, 0, 0, 0}, {0, 0, 0, 0}};
  if (rule == kCrop) {
    std::tie(outside.before[2], outside.after[2]) = cut_outside(rows, axes[2].in);
    std::tie(outside.before[3], outside.after[3]) = cut_outside(cols, axes[3].in);
    require(!rows.empty() && !cols.empty(), "nothing of its region lies in the input");
  }
  const Dims dims = {1, in.dims[1], static_cast<std::int64_t>(rows.size()),
                     static_cast<std::int64_t>(cols.size())};
  const auto give = [&](std::int32_t tensor) {
    OnnxValue v{tensor, dims, in.order};
    if (rows.size() != static_cast<std::size_t>(axes[2].out) ||
        cols.size() != static_cast<std::size_t>(axes[3].out)) {
      const double value = attributes.number("extrapolation_value", 0);
      v = filled(node, v, outside,
                 kind_of(name_of(node, 0)) == ValueKind::Float ? value : std::trunc(value));
    }
    define(node.output(0), from_image(v.tensor, rank));
  };
  if (mode == "nearest") {
    const std::string round = attributes.text("nearest_mode", "round_prefer_floor");
    // Before there was a choice, ONNX Runtime took the pixel behind where there are fewer of them.
    const auto of = [&](const ResizedAxis& axis) {
      return !upsample ? round : axis.scale < 1 ? std::string("ceil") : std::string("floor");
    };
    require(round == "floor" || round == "ceil" || round == "round_prefer_floor" ||
                round == "round_prefer_ceil",
            fmt::format("nearest_mode `{}`", round));
    give(nearest_pixels(in, dims, nearest(rows, of(axes[2]), axes[2].in),
                        nearest(cols, of(axes[3]), axes[3].in)));
    return;
  }
  const ValueKind kind = kind_of(name_of(node, 0));
  if (quantised_ && kind == ValueKind::Float) {
    in = as_float(in);
  }
  HostOperator host{HostKind::ResizeBilinear, {0, 0, kind == ValueKind::Unsigned ? 1 : 0}, rows};
  host.numbers.insert(host.numbers.end(), cols.begin(), cols.end());
  give(moved(in, stored_shape(dims, in.order), host));
}

// By the rule, among ours, that takes the same pixels; else row by row and column by column.
std::int32_t OnnxImporter::nearest_pixels(const OnnxValue& in, const Dims& dims,
                                          const std::vector<std::int32_t>& rows,
                                          const std::vector<std::int32_t>& cols) {
  for (const ResizeNearest& rule :
       {ResizeNearest{false, false}, ResizeNearest{false, true}, ResizeNearest{true, false}}) {
    if (is_quantised(in) && takes(rule, rows, in.dims[2]) && takes(rule, cols, in.dims[3])) {
      return moved(in, stored_shape(dims, in.order), rule);
    }
  }
  OnnxValue result = in;
  for (const std::size_t d : {std::size_t{2}, std::size_t{3}}) {
    const std::vector<std::int32_t>& pixels = d == 2 ? rows : cols;
    std::vector<std::uint8_t> bytes;
    for (const std::int32_t at : pixels) {
      for (int b = 0; b < 4; ++b) {
        bytes.push_back(static_cast<std::uint8_t>(at >> (8 * b)));
      }
    }
    const char* suffix = d == 2 ? "/rows" : "/columns";
    const std::int32_t list = builder_.constant(
        name_ + suffix, {static_cast<std::int32_t>(pixels.size())}, {}, std::move(bytes));
    builder_.tensor(list).type = DataType::Int32;
    result.dims[d] = dims[d];
    result.tensor = builder_.moved(
        name_ + suffix, stored_shape(result.dims, in.order),
        HostOperator{HostKind::Gather, {static_cast<std::int32_t>(stored_axis(in, d)), 0}, {}},
        {result.tensor, list});
  }
  return result.tensor;
}

}  // namespace tessera

// Nodes that put values around or between others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "network/import/onnx/onnx_importer.hpp"
#include "tessera/reference.hpp"

namespace tessera {

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

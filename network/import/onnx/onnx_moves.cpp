// Nodes that move values, and means.
#include "network/import/onnx/onnx_importer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tessera/reference.hpp"

namespace tessera {

void OnnxImporter::mean_over(const Node& node, const OnnxValue& in, const Dims& axes, bool keep) {
  std::vector<std::size_t> stored;
  for (const std::int64_t axis : axes) {
    stored.push_back(stored_axis(axis, in.dims.size()));
  }
  std::sort(stored.begin(), stored.end());
  require(!stored.empty() && stored.back() < in.dims.size() &&
              stored.back() - stored.front() + 1 == stored.size(),
          fmt::format("axes [{}]; supported are height and width, or neighbours",
                      fmt::join(axes, ", ")));
  const Mean mean{static_cast<std::int32_t>(stored.front()),
                  static_cast<std::int32_t>(stored.size())};
  Dims dims;
  for (std::size_t d = 0; d < in.dims.size(); ++d) {
    const bool reduced =
        std::find(stored.begin(), stored.end(),
                  stored_axis(static_cast<std::int64_t>(d), in.dims.size())) != stored.end();
    if (!reduced || keep) {
      dims.push_back(reduced ? 1 : in.dims[d]);
    }
  }
  std::string name = node.output(0);
  const std::int32_t out = move(in, dims, mean);
  const Node* next = only_reader(name);
  if (quantised_ && next != nullptr && next->op_type() == "QuantizeLinear") {
    const Result result = result_of(node, false);
    builder_.tensor(out).quantisation = *result.quantisation;
    name = result.name;
  }
  define(name, out);
}

void OnnxImporter::global_average_pool(const Node& node) {
  mean_over(node, image(input(node, 0)), {2, 3}, true);
}

void OnnxImporter::reduce_mean(const Node& node) {
  const OnnxAttributes attributes(node);
  Dims axes = attributes.integers("axes", {});
  if (!name_of(node, 1).empty()) {
    axes = integers(name_of(node, 1));
  }
  mean_over(node, input(node, 0), axes, attributes.integer("keepdims", 1) != 0);
}

void OnnxImporter::reshape_to(const Node& node, const OnnxValue& in, const Dims& dims) {
  const std::int64_t before =
      std::accumulate(in.dims.begin(), in.dims.end(), std::int64_t{1}, std::multiplies<>());
  std::int64_t after = 1;
  for (const std::int64_t extent : dims) {
    require(extent >= 1 && extent <= kMostExtent, fmt::format("extent {}", extent));
    after *= extent;
    require(after <= before, "has more elements than its input");
  }
  require(after == before && dims.size() <= 8, fmt::format("{} elements become {}", before, after));
  const auto moves = [](const Dims& d) { return d.size() == 4 && d[1] > 1 && d[2] * d[3] > 1; };
  std::int32_t tensor = in.tensor;
  if (moves(in.dims)) {
    const auto& s = builder_.tensor(tensor).shape;
    tensor = builder_.moved(name_ + "/nchw", {s[0], s[3], s[1], s[2]}, Transpose{{0, 3, 1, 2}},
                            {tensor});
  }
  if (moves(dims)) {
    std::vector<std::int32_t> plain(dims.begin(), dims.end());
    tensor = builder_.moved(name_ + "/plain", plain, Reshape{}, {tensor});
    tensor = builder_.moved(name_, stored_shape(dims), Transpose{{0, 2, 3, 1}}, {tensor});
  } else {
    tensor = builder_.moved(name_, stored_shape(dims), Reshape{}, {tensor});
  }
  values_[node.output(0)] = {tensor, dims};
}

void OnnxImporter::reshape(const Node& node) {
  const OnnxValue in = input(node, 0);
  Dims dims = integers(name_of(node, 1));
  const bool zero_is_zero = OnnxAttributes(node).integer("allowzero", 0) != 0;
  std::int64_t known = 1;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 0 && !zero_is_zero && d < in.dims.size()) {
      dims[d] = in.dims[d];
    }
    known = dims[d] > 0 && known < kMostExtent && dims[d] < kMostExtent ? known * dims[d] : known;
  }
  const std::int64_t elements =
      std::accumulate(in.dims.begin(), in.dims.end(), std::int64_t{1}, std::multiplies<>());
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
             {std::accumulate(in.dims.begin(), middle, std::int64_t{1}, std::multiplies<>()),
              std::accumulate(middle, in.dims.end(), std::int64_t{1}, std::multiplies<>())});
}

OnnxImporter::Dims OnnxImporter::axes_of(const Node& node) const {
  Dims axes = name_of(node, 1).empty() ? OnnxAttributes(node).integers("axes", {})
                                       : integers(name_of(node, 1));
  for (std::int64_t& axis : axes) {
    axis = std::clamp<std::int64_t>(axis, -kMostExtent, kMostExtent);
  }
  return axes;
}

void OnnxImporter::squeeze(const Node& node) {
  const OnnxValue in = input(node, 0);
  const Dims axes = axes_of(node);
  const auto rank = static_cast<std::int64_t>(in.dims.size());
  Dims dims;
  for (std::int64_t d = 0; d < rank; ++d) {
    const bool named = std::any_of(
        axes.begin(), axes.end(), [&](std::int64_t axis) { return axis == d || axis + rank == d; });
    if (!(axes.empty() ? in.dims[static_cast<std::size_t>(d)] == 1 : named)) {
      dims.push_back(in.dims[static_cast<std::size_t>(d)]);
    }
  }
  reshape_to(node, in, dims.empty() ? Dims{1} : dims);
}

void OnnxImporter::unsqueeze(const Node& node) {
  const OnnxValue in = input(node, 0);
  Dims axes = axes_of(node);
  const auto rank = static_cast<std::int64_t>(in.dims.size() + axes.size());
  for (std::int64_t& axis : axes) {
    axis = axis < 0 ? axis + rank : axis;
    require(axis >= 0 && axis < rank, fmt::format("axis {}", axis));
  }
  std::sort(axes.begin(), axes.end());
  Dims dims = in.dims;
  for (const std::int64_t axis : axes) {
    require(axis <= static_cast<std::int64_t>(dims.size()), fmt::format("axis {}", axis));
    dims.insert(dims.begin() + axis, 1);
  }
  reshape_to(node, in, dims);
}

void OnnxImporter::transpose(const Node& node) {
  const OnnxValue in = input(node, 0);
  const std::size_t rank = in.dims.size();
  Dims order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  order = OnnxAttributes(node).integers("perm", order);
  require(order.size() == rank, "perm has another rank than its input");
  Dims dims;
  for (const std::int64_t axis : order) {
    require(axis >= 0 && axis < static_cast<std::int64_t>(rank), fmt::format("axis {}", axis));
    dims.push_back(in.dims[static_cast<std::size_t>(axis)]);
  }
  Transpose moved;
  for (std::size_t d = 0; d < rank; ++d) {
    const std::int64_t from = order[logical_axis(d, rank)];
    moved.order.push_back(static_cast<std::int32_t>(stored_axis(from, rank)));
  }
  define(node.output(0), move(in, dims, moved));
}

void OnnxImporter::pad(const Node& node) {
  const OnnxAttributes attributes(node);
  const OnnxValue in = input(node, 0);
  const std::size_t rank = in.dims.size();
  require(attributes.text("mode", "constant") == "constant" && name_of(node, 3).empty(),
          "supported are constant pads of all axes");
  if (!name_of(node, 2).empty()) {
    const OnnxConstant constant = clip_constant(name_of(node, 2));
    require(constant.values.size() == 1 && constant.values[0] == 0.0,
            "pads with another value than zero");
  }
  const Dims pads =
      name_of(node, 1).empty() ? attributes.integers("pads", {}) : integers(name_of(node, 1));
  require(
      pads.size() == 2 * rank &&
          std::all_of(pads.begin(), pads.end(), [](std::int64_t p) { return p >= 0 && p < 65536; }),
      "needs two pads of 0 to 65535 for each axis");
  Dims dims = in.dims;
  Pad pad;
  for (std::size_t d = 0; d < rank; ++d) {
    dims[d] += pads[d] + pads[d + rank];
    const std::size_t axis = logical_axis(d, rank);
    pad.before.push_back(static_cast<std::int32_t>(pads[axis]));
    pad.after.push_back(static_cast<std::int32_t>(pads[axis + rank]));
  }
  define(node.output(0), move(in, dims, pad));
}

void OnnxImporter::resize(const Node& node) {
  const OnnxAttributes attributes(node);
  const OnnxValue in = image(input(node, 0));
  const bool upsample = node.op_type() == "Upsample" || onnx_.opset() < 11;
  const int scales_at = upsample ? 1 : 2;
  require(attributes.text("mode", "nearest") == "nearest", "supported is mode `nearest`");
  Dims dims = in.dims;
  if (!name_of(node, 3).empty()) {
    dims = integers(name_of(node, 3));
  } else {
    const OnnxConstant scales = onnx_.constant(name_of(node, scales_at));
    require(scales.values.size() == 4 &&
                std::all_of(scales.values.begin(), scales.values.end(),
                            [](double scale) { return scale > 0 && scale < 1e6; }),
            "needs four positive scales");
    for (std::size_t d = 0; d < 4; ++d) {
      dims[d] = static_cast<std::int64_t>(
          std::floor(static_cast<double>(in.dims[d]) * std::clamp(scales.values[d], 0.0, 1e6)));
    }
  }
  require(dims.size() == 4 && dims[0] == 1 && dims[1] == in.dims[1] && dims[2] >= 1 &&
              dims[3] >= 1 && dims[2] <= 65535 && dims[3] <= 65535,
          "supported is a resize of height and width");
  const std::string place =
      upsample ? "asymmetric" : attributes.text("coordinate_transformation_mode", "half_pixel");
  const std::string round =
      upsample ? "floor" : attributes.text("nearest_mode", "round_prefer_floor");
  // The rule, among ours, that takes the same pixels.
  for (const ResizeNearest& rule :
       {ResizeNearest{false, false}, ResizeNearest{false, true}, ResizeNearest{true, false}}) {
    if (same_pixels(rule, place, round, in.dims[2], dims[2]) &&
        same_pixels(rule, place, round, in.dims[3], dims[3])) {
      define(node.output(0), move(in, dims, rule));
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

void OnnxImporter::qlinear_global_average_pool(const Node& node) {
  const OnnxValue in = image(input(node, 0));
  require(OnnxAttributes(node).integer("channels_last", 0) == 0, "supported is channels_last 0");
  set_quantisation(in, read_quantisation(onnx_, name_of(node, 1), name_of(node, 2)));
  const std::int32_t out = move(in, {1, in.dims[1], 1, 1}, Mean{});
  builder_.tensor(out).quantisation = read_quantisation(onnx_, name_of(node, 3), name_of(node, 4));
  define(node.output(0), out);
}

}  // namespace tessera

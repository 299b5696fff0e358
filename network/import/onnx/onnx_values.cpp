// Values and the order in which their dimensions are stored.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {

const OnnxValue& OnnxImporter::value(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    const auto missing = missing_.find(name);
    fail(missing == missing_.end() ? fmt::format("`{}` has no value here", name)
                                   : fmt::format("reads what {} would compute", missing->second));
  }
  return found->second;
}

const OnnxValue& OnnxImporter::input(const Node& node, int i) const {
  require(i < node.input_size() && !node.input(i).empty(), fmt::format("input {} is missing", i));
  return value(node.input(i));
}

std::string OnnxImporter::name_of(const Node& node, int i) {
  return i < node.input_size() ? node.input(i) : "";
}

bool OnnxImporter::is_quantised(const OnnxValue& v) const {
  return builder_.tensor(v.tensor).type == DataType::Int8;
}

void OnnxImporter::set_quantisation(const OnnxValue& v, const Quantisation& quantisation) {
  Tensor& tensor = builder_.tensor(v.tensor);
  require(tensor.type == DataType::Int8, "reads a float value as a quantised one");
  if (tensor.quantisation.scales.empty()) {
    tensor.quantisation = quantisation;
  }
  require(tensor.quantisation.scales == quantisation.scales &&
              tensor.quantisation.zero_point == quantisation.zero_point,
          "reads a value with another scale or zero point than it was written with");
}

void OnnxImporter::define(const std::string& name, std::int32_t tensor, const Dims& dims,
                          const Order& order) {
  values_[name] = {tensor, dims, order};
}

Quantisation OnnxImporter::read_quantisation(const std::string& scale,
                                             const std::string& zero_point, ValueKind kind) const {
  const OnnxConstant scales = constant(scale);
  Quantisation quantisation;
  double zero = 0;
  bool is_signed = kind == ValueKind::Signed;
  if (!zero_point.empty()) {
    const OnnxConstant zeros = constant(zero_point);
    require(zeros.type == onnx::TensorProto::INT8 || zeros.type == onnx::TensorProto::UINT8,
            fmt::format("zero point `{}` is neither int8 nor uint8", zero_point));
    is_signed = zeros.type == onnx::TensorProto::INT8;
    zero = zeros.values.size() == 1 ? zeros.values[0] : 1e9;
  }
  require(scales.values.size() == 1 && zero <= 255,
          fmt::format("`{}`: activations need one scale and one zero point", scale));
  quantisation.scales = {static_cast<float>(scales.values[0])};
  quantisation.zero_point = static_cast<std::int32_t>(zero) - (is_signed ? 0 : 128);
  return quantisation;
}

OnnxImporter::Order OnnxImporter::plain_order(std::size_t rank) {
  Order order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

OnnxImporter::Order OnnxImporter::channels_last(std::size_t rank) {
  Order order = plain_order(rank);
  if (rank > 2) {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  }
  return order;
}

std::vector<std::int32_t> OnnxImporter::stored_shape(const Dims& dims, const Order& order) const {
  constexpr std::int64_t kMostExtent = 1 << 24;
  constexpr std::int64_t kMostElements = 1 << 30;
  std::vector<std::int32_t> shape;
  std::int64_t elements = 1;
  require(dims.size() <= 8, fmt::format("{} dimensions; supported are up to 8", dims.size()));
  for (const std::size_t d : order) {
    require(dims[d] >= 1 && dims[d] <= kMostExtent && elements * dims[d] <= kMostElements,
            fmt::format("shape [{}]: extents must be 1 to 2^24, 2^30 elements at most",
                        fmt::join(dims, ", ")));
    elements *= dims[d];
    shape.push_back(static_cast<std::int32_t>(dims[d]));
  }
  return shape;
}

std::int32_t OnnxImporter::moved(const OnnxValue& in, const std::vector<std::int32_t>& shape,
                                 Attributes attributes, const char* suffix) {
  return builder_.moved(name_ + suffix, shape, std::move(attributes), {in.tensor});
}

OnnxValue OnnxImporter::stored_as(const OnnxValue& v, const Order& order) {
  if (v.order == order) {
    return v;
  }
  const auto key = std::make_pair(v.tensor, order);
  if (const auto found = reordered_.find(key);
      found != reordered_.end() && found->second.dims == v.dims) {
    return found->second;
  }
  OnnxValue result = v;
  result.order = order;
  const std::vector<std::int32_t> shape = stored_shape(v.dims, order);
  // Extents of 1 have no place of their own.
  const auto places = [&](const Order& o) {
    Order kept;
    std::copy_if(o.begin(), o.end(), std::back_inserter(kept),
                 [&](std::size_t d) { return v.dims[d] != 1; });
    return kept;
  };
  if (places(v.order) == places(order)) {
    result.tensor = moved(v, shape, Reshape{}, "/shape");
  } else {
    Transpose transpose;
    for (const std::size_t d : order) {
      const auto from = std::find(v.order.begin(), v.order.end(), d);
      transpose.order.push_back(static_cast<std::int32_t>(from - v.order.begin()));
    }
    result.tensor = moved(v, shape, transpose, "/order");
  }
  reordered_[key] = result;
  return result;
}

OnnxValue OnnxImporter::image(const OnnxValue& v) {
  const std::size_t rank = v.dims.size();
  require((rank == 4 || rank == 3) && v.dims[0] == 1,
          fmt::format("reads a value of shape [{}]; supported are [1, channels, height, width] and "
                      "[1, channels, width]",
                      fmt::join(v.dims, ", ")));
  OnnxValue last = stored_as(v, channels_last(rank));
  if (rank == 3) {
    const auto& s = builder_.tensor(last.tensor).shape;
    last.tensor = moved(last, {1, 1, s[1], s[2]}, Reshape{}, "/row");
    last.dims = {1, v.dims[1], 1, v.dims[2]};
    last.order = channels_last(4);
  }
  return last;
}

OnnxValue OnnxImporter::from_image(std::int32_t out, std::size_t rank) {
  const std::vector<std::int32_t> s = builder_.tensor(out).shape;
  if (rank == 3) {
    const OnnxValue row{out, {}, {}};
    return {moved(row, {1, s[2], s[3]}, Reshape{}, "/line"), {1, s[3], s[2]}, channels_last(3)};
  }
  return {out, {1, s[3], s[1], s[2]}, channels_last(4)};
}

OnnxValue OnnxImporter::widened(const OnnxValue& v, std::size_t rank) {
  if (v.dims.size() >= rank) {
    return v;
  }
  const std::size_t more = rank - v.dims.size();
  OnnxValue wide = v;
  wide.dims.insert(wide.dims.begin(), more, 1);
  wide.order = plain_order(more);
  for (const std::size_t d : v.order) {
    wide.order.push_back(d + more);
  }
  wide.tensor = moved(v, stored_shape(wide.dims, wide.order), Reshape{}, "/wide");
  return wide;
}

OnnxValue OnnxImporter::as_float(const OnnxValue& v) {
  if (!is_quantised(v)) {
    return v;
  }
  const auto found = floats_.find(v.tensor);
  std::int32_t tensor = found == floats_.end() ? -1 : found->second.tensor;
  if (tensor < 0) {
    require(!builder_.tensor(v.tensor).quantisation.scales.empty(),
            "reads a value as float whose scale is not known");
    tensor = moved(v, builder_.tensor(v.tensor).shape, Dequantize{}, "/float");
    builder_.tensor(tensor).type = DataType::Float32;
  }
  OnnxValue result{tensor, v.dims, v.order};
  floats_[v.tensor] = result;
  return result;
}

std::optional<OnnxImporter::Order> OnnxImporter::wanted_order(const std::string& name,
                                                              std::size_t rank, int depth) const {
  static const std::set<std::string> images = {
      "Conv",          "ConvTranspose",      "QLinearConv",
      "MaxPool",       "AveragePool",        "GlobalAveragePool",
      "GlobalMaxPool", "QLinearAveragePool", "QLinearGlobalAveragePool",
      "Resize",        "Upsample",           "BatchNormalization",
      "DepthToSpace",  "SpaceToDepth"};
  static const std::set<std::string> alike = {"QuantizeLinear",
                                              "DequantizeLinear",
                                              "Relu",
                                              "Clip",
                                              "LeakyRelu",
                                              "Sigmoid",
                                              "HardSwish",
                                              "HardSigmoid",
                                              "Tanh",
                                              "Add",
                                              "Sub",
                                              "Mul",
                                              "Div",
                                              "Pad",
                                              "Identity",
                                              "Cast",
                                              "QLinearAdd",
                                              "QLinearMul",
                                              "Slice",
                                              "Concat"};
  constexpr int kDeepest = 32;
  if (depth > kDeepest) {
    return std::nullopt;
  }
  for (const Node* reader : onnx_.readers_of(name)) {
    if (reader == nullptr || reader->output_size() == 0) {
      continue;
    }
    const std::string& type = reader->op_type();
    if (images.count(type) != 0 && reader->input(0) == name && (rank == 3 || rank == 4)) {
      return channels_last(rank);
    }
    if (alike.count(type) != 0) {
      if (auto order = wanted_order(reader->output(0), rank, depth + 1)) {
        return order;
      }
    }
    if (type == "Transpose") {
      const Dims perm = OnnxAttributes(*reader).integers("perm", {});
      auto order = wanted_order(reader->output(0), rank, depth + 1);
      if (perm.size() == rank && order) {
        for (std::size_t& d : *order) {
          d = static_cast<std::size_t>(
              std::clamp<std::int64_t>(perm[d], 0, static_cast<std::int64_t>(rank) - 1));
        }
        return order;
      }
    }
  }
  return std::nullopt;
}

std::size_t OnnxImporter::axis_of(std::int64_t axis, std::size_t rank) const {
  const std::int64_t positive = axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis;
  require(positive >= 0 && positive < static_cast<std::int64_t>(rank),
          fmt::format("axis {} of {} dimensions", axis, rank));
  return static_cast<std::size_t>(positive);
}

std::size_t OnnxImporter::stored_axis(const OnnxValue& v, std::size_t axis) {
  return static_cast<std::size_t>(std::find(v.order.begin(), v.order.end(), axis) -
                                  v.order.begin());
}

}  // namespace tessera

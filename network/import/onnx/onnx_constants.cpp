// Values that are known without running the model: initialisers and what is computed from them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "network/import/onnx/graph/constant_values.hpp"
#include "network/import/onnx/onnx_importer.hpp"

namespace tessera {

bool OnnxImporter::is_known(const std::string& name) const {
  if (onnx_.is_constant(name) || folded_.count(name) != 0) {
    return true;
  }
  const Node* producer = onnx_.producer_of(name);
  if (producer == nullptr || !is_foldable(producer->op_type()) || producer->output_size() != 1 ||
      values_.count(name) != 0) {
    return false;
  }
  if (producer->op_type() == "Shape" || producer->op_type() == "Size") {
    const std::string of = name_of(*producer, 0);
    return values_.count(of) != 0 || is_known(of);
  }
  return std::all_of(producer->input().begin(), producer->input().end(),
                     [&](const std::string& in) { return in.empty() || is_known(in); });
}

OnnxConstant OnnxImporter::constant(const std::string& name) const {
  if (const auto found = folded_.find(name); found != folded_.end()) {
    return found->second;
  }
  if (onnx_.is_constant(name)) {
    return onnx_.constant(name);
  }
  require(is_known(name), fmt::format("`{}` must be a constant", name));
  return computed(*onnx_.producer_of(name));
}

OnnxImporter::Dims OnnxImporter::known_dims(const std::string& name) const {
  if (onnx_.is_constant(name)) {
    return onnx_.dims_of(name);
  }
  const Node* producer = onnx_.producer_of(name);
  if (folded_.count(name) == 0 && producer != nullptr &&
      (producer->op_type() == "DequantizeLinear" || producer->op_type() == "QuantizeLinear" ||
       producer->op_type() == "Identity")) {
    return known_dims(name_of(*producer, 0));
  }
  return constant(name).dims;
}

OnnxImporter::Dims OnnxImporter::integers(const std::string& name) const {
  const OnnxConstant given = constant(name);
  require(is_whole(given), fmt::format("`{}` must be int64", name));
  Dims result;
  for (const double v : given.values) {
    // Ends are often the greatest int64.
    result.push_back(static_cast<std::int64_t>(std::clamp(v, -1e9, 1e9)));
  }
  return result;
}

double OnnxImporter::number(const std::string& name) const {
  const OnnxConstant given = constant(name);
  require(given.values.size() == 1, fmt::format("`{}` must be a single constant", name));
  return given.real(0);
}

OnnxImporter::Dims OnnxImporter::integers_of(const Node& node, int i, const char* attribute) const {
  Dims values = name_of(node, i).empty() ? OnnxAttributes(node).integers(attribute, {})
                                         : integers(name_of(node, i));
  for (std::int64_t& v : values) {
    v = std::clamp<std::int64_t>(v, -1000000000, 1000000000);
  }
  return values;
}

OnnxConstant OnnxImporter::quantised_constant(const std::string& values, const std::string& scale,
                                              const std::string& zero_point,
                                              std::int64_t axis) const {
  OnnxConstant result = constant(values);
  require(result.scales.empty() &&
              (result.type == onnx::TensorProto::INT8 || result.type == onnx::TensorProto::UINT8 ||
               result.type == onnx::TensorProto::INT32),
          fmt::format("quantised constant `{}` is neither int8, uint8 nor int32", values));
  const OnnxConstant scales = constant(scale);
  std::vector<double> zeros(scales.values.size(), 0.0);
  if (!zero_point.empty()) {
    zeros = constant(zero_point).values;
  }
  const auto rank = static_cast<std::int64_t>(result.dims.size());
  const std::int64_t positive = axis < 0 ? axis + rank : axis;
  const bool per_channel = scales.values.size() > 1;
  require(!scales.values.empty() && zeros.size() == scales.values.size() &&
              (!per_channel || (positive >= 0 && positive < rank &&
                                result.dims[static_cast<std::size_t>(positive)] ==
                                    static_cast<std::int64_t>(scales.values.size()))),
          fmt::format("`{}` has {} scales and {} zero points, which do not fit its shape", values,
                      scales.values.size(), zeros.size()));
  result.axis = per_channel ? static_cast<std::size_t>(positive) : 0;
  std::size_t inner = 1;
  for (std::size_t d = result.axis + 1; d < result.dims.size(); ++d) {
    inner *= static_cast<std::size_t>(result.dims[d]);
  }
  for (std::size_t i = 0; i < result.values.size(); ++i) {
    result.values[i] -= zeros[per_channel ? i / inner % zeros.size() : 0];
  }
  for (const double s : scales.values) {
    result.scales.push_back(static_cast<float>(s));
  }
  return result;
}

OnnxValue OnnxImporter::stored_constant(const std::string& name, const OnnxConstant& given,
                                        const Dims& dims, const Order& order) {
  require(!given.values.empty() && given.scales.size() <= 1, "an operand needs one scale");
  const auto [least, greatest] = std::minmax_element(given.values.begin(), given.values.end());
  require(*greatest - *least <= 255, "an operand beyond 8 bits");
  const auto zero_point = static_cast<std::int32_t>(std::clamp(-128 - *least, -128.0, 127.0));
  require(*least + zero_point >= -128 && *greatest + zero_point <= 127, "an operand beyond 8 bits");
  OnnxConstant wide = given;
  wide.dims = dims;
  const OnnxConstant stored = transposed(wide, order);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(stored.values.size());
  for (const double value : stored.values) {
    bytes.push_back(static_cast<std::uint8_t>(static_cast<std::int32_t>(value) + zero_point));
  }
  const float scale = given.scales.empty() ? 1.0F : given.scales[0];
  const std::int32_t tensor =
      builder_.constant(name, stored_shape(dims, order), {{scale}, zero_point}, std::move(bytes));
  return {tensor, dims, order};
}

OnnxValue OnnxImporter::float_operand(const std::string& name) {
  if (!is_known(name)) {
    return as_float(value(name));
  }
  const OnnxConstant given = constant(name);
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i < given.values.size(); ++i) {
    const auto value = static_cast<float>(given.real(i));
    std::uint8_t raw[sizeof(value)];
    std::memcpy(raw, &value, sizeof(value));
    bytes.insert(bytes.end(), raw, raw + sizeof(value));
  }
  const Order order = plain_order(given.dims.size());
  const std::int32_t tensor =
      builder_.constant(name, stored_shape(given.dims, order), {}, std::move(bytes));
  builder_.tensor(tensor).type = DataType::Float32;
  return {tensor, given.dims, order};
}

}  // namespace tessera

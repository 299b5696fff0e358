#include "network/import/onnx/graph/onnx_graph.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "network/import/onnx/graph/onnx_quants.hpp"
#include "tessera/error.hpp"

namespace tessera {
namespace {

constexpr std::int64_t kOldestOpset = 6;
constexpr std::int64_t kNewestOpset = 25;
constexpr std::int64_t kMostValues = std::int64_t{1} << 30;

template <class Stored>
void append_raw(const std::string& raw, std::vector<double>& values) {
  for (std::size_t at = 0; at + sizeof(Stored) <= raw.size(); at += sizeof(Stored)) {
    Stored value{};
    std::memcpy(&value, raw.data() + at, sizeof(Stored));
    values.push_back(static_cast<double>(value));
  }
}

template <class Field>
void append_field(const Field& field, std::vector<double>& values) {
  for (const auto& value : field) {
    values.push_back(static_cast<double>(value));
  }
}

}  // namespace

double OnnxConstant::scale_of(std::size_t i) const {
  if (scales.size() <= 1) {
    return scales.empty() ? 1.0 : static_cast<double>(scales[0]);
  }
  std::size_t inner = 1;
  for (std::size_t d = axis + 1; d < dims.size(); ++d) {
    inner *= static_cast<std::size_t>(dims[d]);
  }
  return static_cast<double>(scales[i / inner % scales.size()]);
}

double OnnxConstant::real(std::size_t i) const {
  return values[i] * scale_of(i);
}

OnnxGraph::OnnxGraph(const std::vector<std::uint8_t>& data, std::string name)
    : name_(std::move(name)) {
  constexpr int kDeepest = 64;
  google::protobuf::io::CodedInputStream stream(data.data(), static_cast<int>(data.size()));
  stream.SetRecursionLimit(kDeepest);
  if (data.size() > INT32_MAX || !model_.ParseFromCodedStream(&stream) ||
      !stream.ConsumedEntireMessage() || !model_.has_graph()) {
    fail("not an ONNX model, or a damaged one");
  }
  for (const auto& set : model_.opset_import()) {
    if (set.domain().empty() || set.domain() == "ai.onnx") {
      opset_ = set.version();
    }
  }
  if (opset_ < kOldestOpset || opset_ > kNewestOpset) {
    fail(fmt::format("opset {}; supported are {} to {}", opset_, kOldestOpset, kNewestOpset));
  }
  for (auto& tensor : *model_.mutable_graph()->mutable_initializer()) {
    read_external(tensor);
  }
  rewrite_quants(*model_.mutable_graph(), name_);
  for (const auto& tensor : graph().initializer()) {
    constants_[tensor.name()] = &tensor;
  }
  std::set<std::string> known;
  for (const auto& input : graph().input()) {
    known.insert(input.name());
  }
  for (const auto& node : graph().node()) {
    if (node.output_size() == 0) {
      fail(fmt::format("node `{}` ({}) has no output", node.name(), node.op_type()));
    }
    for (const std::string& input : node.input()) {
      if (!input.empty() && known.count(input) == 0 && constants_.count(input) == 0) {
        fail(fmt::format("node `{}` ({}) reads `{}`, which no node before it computes", node.name(),
                         node.op_type(), input));
      }
      readers_[input].push_back(&node);
    }
    for (const std::string& output : node.output()) {
      if (!output.empty() && (known.count(output) != 0 || constants_.count(output) != 0)) {
        fail(
            fmt::format("node `{}` ({}) writes `{}`, which is an input, a constant or another "
                        "node's output",
                        node.name(), node.op_type(), output));
      }
      producers_[output] = &node;
      known.insert(output);
    }
    if (node.op_type() == "Constant" && node.output_size() == 1) {
      for (const auto& attribute : node.attribute()) {
        if (attribute.name() == "value" && attribute.has_t()) {
          constants_[node.output(0)] = &attribute.t();
        }
      }
    }
  }
  for (const auto& output : graph().output()) {
    readers_[output.name()].push_back(nullptr);
  }
}

// Values in a file beside the model's: a part of it, or all.
void OnnxGraph::read_external(onnx::TensorProto& tensor) const {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL) {
    return;
  }
  std::map<std::string, std::string> entries;
  for (const auto& entry : tensor.external_data()) {
    entries[entry.key()] = entry.value();
  }
  const auto number = [&](const char* key) -> std::uint64_t {
    const std::string& text = entries[key];
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      fail(fmt::format("constant `{}`: {} is `{}`; it must be a number", tensor.name(), key, text));
    }
    return value;
  };
  const std::filesystem::path location = entries["location"];
  const bool inside = !location.empty() && location.is_relative() &&
                      std::find(location.begin(), location.end(), "..") == location.end();
  if (!inside) {
    fail(fmt::format("constant `{}` lies in `{}`; it must be a file beside the model",
                     tensor.name(), location.string()));
  }
  const std::string path = (std::filesystem::path(name_).parent_path() / location).string();
  const std::uint64_t offset = entries.count("offset") != 0 ? number("offset") : 0;
  std::error_code problem;
  const std::uint64_t size = std::filesystem::file_size(path, problem);
  if (problem || offset > size) {
    fail(fmt::format("constant `{}`: `{}` {}", tensor.name(), path,
                     problem ? "cannot be read" : "is shorter than its offset"));
  }
  const std::uint64_t length = entries.count("length") != 0 ? number("length") : size - offset;
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
  if (length > size - offset || length > kMostBytes) {
    fail(fmt::format("constant `{}`: {} bytes from {} on, `{}` has {}", tensor.name(), length,
                     offset, path, size));
  }
  std::string bytes(length, 0);
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(length))) {
    fail(fmt::format("constant `{}`: `{}` cannot be read", tensor.name(), path));
  }
  tensor.set_raw_data(std::move(bytes));
  tensor.set_data_location(onnx::TensorProto::DEFAULT);
}

void OnnxGraph::fail(const std::string& text) const {
  throw InputError(fmt::format("{}: {}", name_, text));
}

std::vector<const onnx::NodeProto*> OnnxGraph::readers_of(const std::string& value) const {
  const auto found = readers_.find(value);
  return found == readers_.end() ? std::vector<const onnx::NodeProto*>{} : found->second;
}

const onnx::NodeProto* OnnxGraph::producer_of(const std::string& value) const {
  const auto found = producers_.find(value);
  return found == producers_.end() ? nullptr : found->second;
}

bool OnnxGraph::is_constant(const std::string& value) const {
  return constants_.count(value) != 0;
}

namespace {

// Types of ONNX that are newer than the library.
constexpr std::int32_t kUint4 = 21, kInt4 = 22, kUint2 = 25, kInt2 = 26;

struct PackedType {
  unsigned bits;
  bool is_signed;
};

std::optional<PackedType> packed_type(std::int32_t type) {
  switch (type) {
    case kUint4:
      return PackedType{4, false};
    case kInt4:
      return PackedType{4, true};
    case kUint2:
      return PackedType{2, false};
    case kInt2:
      return PackedType{2, true};
    default:
      return std::nullopt;
  }
}

// Several numbers in a byte, the first one in its lowest bits.
void unpack(const onnx::TensorProto& tensor, PackedType type, std::int64_t elements,
            std::vector<double>& values) {
  std::vector<double> packed;
  append_raw<std::uint8_t>(tensor.raw_data(), packed);
  append_field(tensor.int32_data(), packed);
  const std::int64_t per_byte = 8 / type.bits;
  if (static_cast<std::int64_t>(packed.size()) != (elements + per_byte - 1) / per_byte) {
    return;
  }
  for (std::int64_t i = 0; i < elements; ++i) {
    const auto byte = static_cast<std::int64_t>(packed[static_cast<std::size_t>(i / per_byte)]);
    const auto bits = static_cast<std::int32_t>(
        (byte >> (type.bits * static_cast<unsigned>(i % per_byte))) & ((1 << type.bits) - 1));
    const std::int32_t half = 1 << (type.bits - 1);
    values.push_back(type.is_signed && bits >= half ? bits - 2 * half : bits);
  }
}

}  // namespace

const onnx::TensorProto* OnnxGraph::tensor_of(const std::string& value) const {
  const auto found = constants_.find(value);
  if (found == constants_.end()) {
    fail(fmt::format("`{}` must be a constant", value));
  }
  return found->second;
}

std::int32_t OnnxGraph::type_of(const std::string& value) const {
  const std::int32_t type = tensor_of(value)->data_type();
  const auto packed = packed_type(type);
  return packed ? (packed->is_signed ? onnx::TensorProto::INT8 : onnx::TensorProto::UINT8) : type;
}

std::vector<std::int64_t> OnnxGraph::dims_of(const std::string& value) const {
  return checked_dims(*tensor_of(value), value);
}

std::vector<std::int64_t> OnnxGraph::checked_dims(const onnx::TensorProto& tensor,
                                                  const std::string& value) const {
  std::int64_t elements = 1;
  for (const std::int64_t extent : tensor.dims()) {
    if (extent < 0 || extent > kMostValues || elements * extent > kMostValues) {
      fail(fmt::format("constant `{}` has extent {}", value, extent));
    }
    elements *= extent;
  }
  return {tensor.dims().begin(), tensor.dims().end()};
}

OnnxConstant OnnxGraph::constant(const std::string& value) const {
  return values_of(*tensor_of(value), value);
}

OnnxConstant OnnxGraph::values_of(const onnx::TensorProto& tensor, const std::string& value) const {
  OnnxConstant result;
  result.dims = checked_dims(tensor, value);
  result.type = static_cast<onnx::TensorProto::DataType>(tensor.data_type());
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    fail(fmt::format("constant `{}` lies in another file, which is not supported", value));
  }
  const std::string& raw = tensor.raw_data();
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT:
      append_raw<float>(raw, result.values);
      append_field(tensor.float_data(), result.values);
      break;
    case onnx::TensorProto::INT8:
      append_raw<std::int8_t>(raw, result.values);
      append_field(tensor.int32_data(), result.values);
      break;
    case onnx::TensorProto::UINT8:
      append_raw<std::uint8_t>(raw, result.values);
      append_field(tensor.int32_data(), result.values);
      break;
    case onnx::TensorProto::INT32:
      append_raw<std::int32_t>(raw, result.values);
      append_field(tensor.int32_data(), result.values);
      break;
    case onnx::TensorProto::INT64:
      append_raw<std::int64_t>(raw, result.values);
      append_field(tensor.int64_data(), result.values);
      break;
    case onnx::TensorProto::BOOL:
      append_raw<std::uint8_t>(raw, result.values);
      append_field(tensor.int32_data(), result.values);
      break;
    case kUint4:
    case kInt4:
    case kUint2:
    case kInt2:
      result.type = packed_type(tensor.data_type())->is_signed ? onnx::TensorProto::INT8
                                                               : onnx::TensorProto::UINT8;
      unpack(tensor, *packed_type(tensor.data_type()), elements_of(result.dims), result.values);
      break;
    case onnx::TensorProto::DOUBLE:
      append_raw<double>(raw, result.values);
      append_field(tensor.double_data(), result.values);
      break;
    default:
      fail(
          fmt::format("constant `{}` has type {}; supported are float, double, int8, uint8, "
                      "int4, uint4, int2, uint2, int32, int64 and bool",
                      value, tensor.data_type()));
  }
  const std::int64_t elements = elements_of(result.dims);
  if (static_cast<std::int64_t>(result.values.size()) != elements) {
    fail(fmt::format("constant `{}` has {} values, its shape {}", value, result.values.size(),
                     elements));
  }
  return result;
}

OnnxAttributes::OnnxAttributes(const onnx::NodeProto& node) : node_(node) {}

const onnx::AttributeProto* OnnxAttributes::find(const std::string& name) const {
  for (const auto& attribute : node_.attribute()) {
    if (attribute.name() == name) {
      return &attribute;
    }
  }
  return nullptr;
}

std::int64_t OnnxAttributes::integer(const std::string& name, std::int64_t fallback) const {
  const auto* attribute = find(name);
  return attribute == nullptr ? fallback : attribute->i();
}

float OnnxAttributes::number(const std::string& name, float fallback) const {
  const auto* attribute = find(name);
  return attribute == nullptr ? fallback : attribute->f();
}

std::string OnnxAttributes::text(const std::string& name, const std::string& fallback) const {
  const auto* attribute = find(name);
  return attribute == nullptr ? fallback : attribute->s();
}

std::vector<double> OnnxAttributes::numbers(const std::string& name) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) {
    return {};
  }
  return {attribute->floats().begin(), attribute->floats().end()};
}

const onnx::TensorProto* OnnxAttributes::tensor(const std::string& name) const {
  const auto* attribute = find(name);
  return attribute == nullptr || !attribute->has_t() ? nullptr : &attribute->t();
}

std::vector<std::int64_t> OnnxAttributes::integers(const std::string& name,
                                                   std::vector<std::int64_t> fallback) const {
  const auto* attribute = find(name);
  if (attribute == nullptr) {
    return fallback;
  }
  return {attribute->ints().begin(), attribute->ints().end()};
}

}  // namespace tessera

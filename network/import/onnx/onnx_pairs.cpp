// Functions of two values, and of bytes as they are stored.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "network/import/onnx/onnx_importer.hpp"
#include "tessera/rng.hpp"

namespace tessera {

// A value, or a constant of 8 bits, with at least `rank` dimensions.
OnnxValue OnnxImporter::operand(const std::string& name, std::size_t rank) {
  if (!is_known(name)) {
    return widened(value(name), rank);
  }
  Dims dims = known_dims(name);
  OnnxConstant given;
  if (quantised_) {
    given = constant(name);
  } else {
    const std::int64_t elements = [&] {
      std::int64_t product = 1;
      for (const std::int64_t extent : dims) {
        product *= extent;
        require(product >= 0 && product <= (1 << 28), "too many elements");
      }
      return product;
    }();
    SplitMix64 rng(static_cast<std::uint64_t>(elements));
    for (std::int64_t i = 0; i < elements; ++i) {
      given.values.push_back(rng.int8());
    }
    given.scales = {1.0F / 64};
  }
  dims.insert(dims.begin(), rank - std::min(rank, dims.size()), 1);
  return stored_constant(name, given, dims, plain_order(dims.size()));
}

void OnnxImporter::binary(const Node& node, BinaryKind kind) {
  require(node.input_size() == 2, "needs two inputs");
  const std::string names[2] = {node.input(0), node.input(1)};
  const bool known[2] = {is_known(names[0]), is_known(names[1])};
  const HostKind host = kind == BinaryKind::Add   ? HostKind::Add
                        : kind == BinaryKind::Sub ? HostKind::Sub
                                                  : HostKind::Mul;
  const int at = known[0] ? 1 : 0;
  const OnnxValue first = input(node, at);  // not both are known
  bool eight_bits = true;
  for (int i = 0; i < 2; ++i) {
    eight_bits = eight_bits && (known[i] || is_quantised(value(names[i])));
  }
  if (!quantised_) {
    const Result result = result_of(node, true);
    const std::size_t rank =
        std::max(known[0] ? known_dims(names[0]).size() : value(names[0]).dims.size(),
                 known[1] ? known_dims(names[1]).size() : value(names[1]).dims.size());
    pair_of_values(operand(names[0], rank), operand(names[1], rank), kind, result);
    return;
  }
  if (known[1 - at] && eight_bits) {
    const OnnxConstant other = constant(names[1 - at]);
    if (other.values.size() == 1 && other.dims.size() <= first.dims.size()) {
      // In single precision, as what it meets.
      const auto c = static_cast<double>(static_cast<float>(other.real(0)));
      const bool turned = at == 1;
      function_node(
          node,
          [=](double x) {
            return kind == BinaryKind::Add   ? x + c
                   : kind == BinaryKind::Mul ? x * c
                   : turned                  ? c - x
                                             : x - c;
          },
          host);
      return;
    }
    eight_bits = other.scales.size() == 1;
  }
  const auto result = eight_bits ? quantised_result(node, true) : std::nullopt;
  if (!result) {
    float_pair(node, host);
    return;
  }
  const std::size_t rank = std::max(known_dims_or(names[0]), known_dims_or(names[1]));
  pair_of_values(operand(names[0], rank), operand(names[1], rank), kind, *result);
}

std::size_t OnnxImporter::known_dims_or(const std::string& name) const {
  return is_known(name) ? known_dims(name).size() : value(name).dims.size();
}

// Both of one rank.
void OnnxImporter::pair_of_values(const OnnxValue& a, const OnnxValue& b, BinaryKind kind,
                                  const Result& result) {
  const std::size_t rank = a.dims.size();
  const bool is_constant_a = !builder_.tensor(a.tensor).constant.empty();
  const auto size = [&](const OnnxValue& v) { return builder_.tensor(v.tensor).elements(); };
  const OnnxValue& leader = is_constant_a || size(b) > size(a) ? b : a;
  const Order order =
      builder_.tensor(leader.tensor).constant.empty() ? leader.order : plain_order(rank);
  const OnnxValue first = ordered_operand(a, order);
  const OnnxValue second = ordered_operand(b, order);
  Dims dims;
  for (std::size_t d = 0; d < rank; ++d) {
    require(a.dims[d] == b.dims[d] || a.dims[d] == 1 || b.dims[d] == 1,
            fmt::format("shapes do not broadcast: extents {} and {}", a.dims[d], b.dims[d]));
    dims.push_back(std::max(a.dims[d], b.dims[d]));
  }
  const std::int32_t out =
      builder_.binary(name_, first.tensor, second.tensor, Binary{kind, result.activation});
  finish(result, {out, dims, order});
}

// Constants are laid out anew, other values moved.
OnnxValue OnnxImporter::ordered_operand(const OnnxValue& v, const Order& order) {
  const Tensor& tensor = builder_.tensor(v.tensor);
  if (tensor.constant.empty() || v.order == order) {
    return stored_as(v, order);
  }
  OnnxConstant given;
  for (const std::uint8_t byte : tensor.constant) {
    given.values.push_back(static_cast<std::int8_t>(byte) - tensor.quantisation.zero_point);
  }
  given.scales = tensor.quantisation.scales;
  return stored_constant(tensor.name + "/order", given, v.dims, order);
}

void OnnxImporter::float_pair(const Node& node, HostKind kind) {
  broadcast(node, kind, {float_operand(name_of(node, 0)), float_operand(name_of(node, 1))});
}

// On the host, with the order of the first that is no constant and has all dimensions.
void OnnxImporter::broadcast(const Node& node, HostKind kind, std::vector<OnnxValue> parts) {
  std::size_t rank = 0;
  for (const OnnxValue& part : parts) {
    rank = std::max(rank, part.dims.size());
  }
  const auto leads = [&](const OnnxValue& part) {
    return part.dims.size() == rank && builder_.tensor(part.tensor).constant.empty();
  };
  const auto leader = std::find_if(parts.begin(), parts.end(), leads);
  const Order order = leader != parts.end() ? leader->order : plain_order(rank);
  Dims dims(rank, 1);
  std::vector<std::int32_t> tensors;
  for (OnnxValue& part : parts) {
    part = stored_as(widened(part, rank), order);
    tensors.push_back(part.tensor);
    for (std::size_t d = 0; d < rank; ++d) {
      dims[d] = std::max(dims[d], part.dims[d]);
    }
  }
  const Tensor like = builder_.tensor(tensors.back());
  const std::int32_t out =
      builder_.moved(name_, stored_shape(dims, order), HostOperator{kind, {}, {}}, tensors);
  builder_.tensor(out).type = like.type;
  builder_.tensor(out).quantisation = like.quantisation;
  define(node.output(0), out, dims, order);
}

void OnnxImporter::div(const Node& node) {
  require(node.input_size() == 2, "needs two inputs");
  if (!quantised_) {
    binary(node, BinaryKind::Mul);  // of the same cost; values are drawn anyway
    return;
  }
  if (is_known(node.input(1)) && is_quantised(input(node, 0))) {
    const OnnxConstant by = constant(node.input(1));
    if (by.values.size() == 1 && by.real(0) != 0 && by.dims.size() <= input(node, 0).dims.size()) {
      const auto c = static_cast<double>(static_cast<float>(by.real(0)));
      function_node(
          node, [c](double x) { return x / c; }, HostKind::Div);
      return;
    }
  }
  float_pair(node, HostKind::Div);
}

void OnnxImporter::pow(const Node& node) {
  if (is_known(name_of(node, 1)) && (!quantised_ || is_quantised(input(node, 0)))) {
    const OnnxConstant exponent = constant(name_of(node, 1));
    if (exponent.values.size() == 1 && exponent.dims.size() <= input(node, 0).dims.size()) {
      const auto c = static_cast<double>(static_cast<float>(exponent.real(0)));
      function_node(
          node, [c](double x) { return std::pow(x, c); }, HostKind::Pow);
      return;
    }
  }
  float_pair(node, HostKind::Pow);
}

// Cutting off at a constant keeps the scale.
void OnnxImporter::bound(const Node& node, HostKind kind) {
  require(node.input_size() == 2, "needs two inputs");
  if (quantised_ && is_stored(node, 0)) {
    broadcast(node, kind, {stored_operand(node, 0), stored_operand(node, 1)});
    return;
  }
  if (!is_known(node.input(1)) || constant(node.input(1)).values.size() != 1 ||
      constant(node.input(1)).dims.size() > input(node, 0).dims.size() ||
      (quantised_ && !is_quantised(input(node, 0)))) {
    float_pair(node, kind);
    return;
  }
  const auto c = static_cast<double>(static_cast<float>(number(node.input(1))));
  const bool below = kind == HostKind::Minimum;
  function_node(
      node, [=](double x) { return below ? std::min(x, c) : std::max(x, c); }, kind, {}, true);
}

void OnnxImporter::qlinear_binary(const Node& node, BinaryKind kind) {
  const int at[2] = {0, 3};
  std::size_t rank = 0;
  for (const int i : at) {
    rank = std::max(rank, known_dims_or(name_of(node, i)));
  }
  OnnxValue parts[2];
  for (std::size_t p = 0; p < 2; ++p) {
    const std::string name = name_of(node, at[p]);
    if (is_known(name)) {
      const OnnxConstant given =
          quantised_constant(name, name_of(node, at[p] + 1), name_of(node, at[p] + 2), 0);
      Dims dims = given.dims;
      dims.insert(dims.begin(), rank - dims.size(), 1);
      parts[p] = stored_constant(name, given, dims, plain_order(rank));
    } else {
      set_quantisation(value(name),
                       read_quantisation(name_of(node, at[p] + 1), name_of(node, at[p] + 2)));
      parts[p] = widened(value(name), rank);
    }
  }
  Result result;
  result.name = node.output(0);
  result.quantisation = read_quantisation(name_of(node, 6), name_of(node, 7));
  pair_of_values(parts[0], parts[1], kind, result);
}

// Bytes as they are stored, between a QuantizeLinear and a DequantizeLinear ----------------------

bool OnnxImporter::is_stored(const Node& node, int i) const {
  return kind_of(name_of(node, i)) != ValueKind::Float;
}

// Bytes from outside have the quantisation of what reads them behind the node.
void OnnxImporter::take_scale_of_readers(const Node& node, int i) {
  const OnnxValue& in = input(node, i);
  for (const Node* reader : onnx_.readers_of(node.output(0))) {
    if (reader != nullptr && reader->op_type() == "DequantizeLinear" &&
        is_known(name_of(*reader, 1)) && builder_.tensor(in.tensor).quantisation.scales.empty()) {
      set_quantisation(in, read_quantisation(name_of(*reader, 1), name_of(*reader, 2),
                                             kind_of(name_of(node, i))));
    }
  }
}

// A constant counts in the steps of the node's other bytes.
OnnxValue OnnxImporter::stored_operand(const Node& node, int i) {
  const std::string name = name_of(node, i);
  const auto is_value = [&](const std::string& in) {
    return !in.empty() && !is_known(in) && is_quantised(value(in));
  };
  if (!is_known(name)) {
    require(is_value(name), fmt::format("`{}` must be of bytes", name));
    take_scale_of_readers(node, i);
    return value(name);
  }
  const auto other = std::find_if(node.input().begin(), node.input().end(), is_value);
  require(other != node.input().end(), "needs bytes that are computed");
  const auto at = static_cast<int>(other - node.input().begin());
  take_scale_of_readers(node, at);
  const OnnxConstant given = constant(name);
  const std::int32_t base = kind_of(*other) == ValueKind::Unsigned ? 128 : 0;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(given.values.size());
  for (const double number : given.values) {
    require(number - base >= -128 && number - base <= 127,
            fmt::format("`{}` holds {}, which is no byte of `{}`", name, number, *other));
    bytes.push_back(static_cast<std::uint8_t>(static_cast<std::int32_t>(number) - base));
  }
  const Order order = plain_order(given.dims.size());
  const std::int32_t tensor =
      builder_.constant(name, stored_shape(given.dims, order),
                        builder_.tensor(value(*other).tensor).quantisation, std::move(bytes));
  return {tensor, given.dims, order};
}

// One of two values by a condition.
void OnnxImporter::where(const Node& node) {
  require(node.input_size() == 3, "needs a condition and two values");
  require(quantised_, "is supported in quantised models only");
  OnnxValue condition;
  if (const std::string name = name_of(node, 0); is_known(name)) {
    const OnnxConstant given = constant(name);
    std::vector<std::uint8_t> bytes;
    bytes.reserve(given.values.size());
    for (const double value : given.values) {
      bytes.push_back(value != 0 ? 1 : 0);
    }
    condition = {builder_.constant(name, stored_shape(given.dims, plain_order(given.dims.size())),
                                   {}, std::move(bytes)),
                 given.dims, plain_order(given.dims.size())};
    builder_.tensor(condition.tensor).type = DataType::Bool;
  } else {
    condition = value(name);
    require(builder_.tensor(condition.tensor).type == DataType::Bool, "needs a condition of bools");
  }
  std::vector<OnnxValue> parts = {condition};
  for (const int i : {1, 2}) {
    parts.push_back(is_stored(node, 1) || is_stored(node, 2) ? stored_operand(node, i)
                                                             : float_operand(name_of(node, i)));
  }
  const auto& types = {builder_.tensor(parts[1].tensor), builder_.tensor(parts[2].tensor)};
  require(std::all_of(types.begin(), types.end(),
                      [&](const Tensor& t) { return t.type == types.begin()->type; }),
          "selects from two values of one type");
  broadcast(node, HostKind::Select, std::move(parts));
}

// They have fewer bits then.
void OnnxImporter::clip_stored(const Node& node, double low, double high) {
  const OnnxValue in = input(node, 0);
  const std::int32_t base = kind_of(name_of(node, 0)) == ValueKind::Unsigned ? 128 : 0;
  Unary cut;
  cut.kind = UnaryKind::Lookup;
  bool changes = false;
  for (std::int32_t x = -128; x <= 127; ++x) {
    const double value = std::clamp(static_cast<double>(x + base), low, high) - base;
    cut.table.push_back(static_cast<std::int8_t>(value));
    changes = changes || value != x;
  }
  take_scale_of_readers(node, 0);
  const Quantisation own = builder_.tensor(in.tensor).quantisation;
  require(!changes || !own.scales.empty(), "cuts bytes whose scale is not known");
  if (!changes) {
    define(node.output(0), in);
    return;
  }
  const std::int32_t tensor = builder_.unary(name_, in.tensor, cut);
  builder_.tensor(tensor).quantisation = own;
  define(node.output(0), tensor, in.dims, in.order);
}

}  // namespace tessera

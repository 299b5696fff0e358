// Arithmetic and functions of one value.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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
      const double c = other.real(0);
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
  OnnxValue parts[2];
  for (int i = 0; i < 2; ++i) {
    parts[i] = float_operand(name_of(node, i));
  }
  const std::size_t rank = std::max(parts[0].dims.size(), parts[1].dims.size());
  Dims dims(rank, 1);
  const OnnxValue& leader =
      parts[0].dims.size() == rank && builder_.tensor(parts[0].tensor).constant.empty() ? parts[0]
                                                                                        : parts[1];
  const Order order = leader.dims.size() == rank ? leader.order : plain_order(rank);
  for (OnnxValue& part : parts) {
    part = stored_as(widened(part, rank), order);
    for (std::size_t d = 0; d < rank; ++d) {
      dims[d] = std::max(dims[d], part.dims[d]);
    }
  }
  const std::int32_t out =
      builder_.moved(name_, stored_shape(dims, order), HostOperator{kind, {}, {}},
                     {parts[0].tensor, parts[1].tensor});
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
    if (by.values.size() == 1 && by.real(0) != 0) {
      const double c = by.real(0);
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
    if (exponent.values.size() == 1) {
      const double c = exponent.real(0);
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
  if (!is_known(node.input(1)) || constant(node.input(1)).values.size() != 1 ||
      (quantised_ && !is_quantised(input(node, 0)))) {
    float_pair(node, kind);
    return;
  }
  const double c = number(node.input(1));
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

bool OnnxImporter::stays_on_steps(const Quantisation& quantisation, const Function& function) {
  if (quantisation.scales.size() != 1) {
    return false;
  }
  constexpr double kNothing = 1e-5;
  for (std::int32_t x = -128; x <= 127; ++x) {
    const auto scale = static_cast<double>(quantisation.scales[0]);
    const double steps = function(scale * (x - quantisation.zero_point)) / scale;
    const double stored = steps + quantisation.zero_point;
    if (std::fabs(steps - std::nearbyint(steps)) > kNothing || stored < -128.5 || stored > 127.5) {
      return false;
    }
  }
  return true;
}

void OnnxImporter::function_node(const Node& node, const Function& function, HostKind kind,
                                 std::vector<float> numbers, bool keeps_scale) {
  const std::string& own = is_known(name_of(node, 0)) ? name_of(node, 1) : name_of(node, 0);
  const OnnxValue in = value(own);
  if (!quantised_) {
    define(node.output(0), map(in, builder_.tensor(in.tensor).quantisation, function));
    return;
  }
  if (is_quantised(in)) {
    if (const auto result = quantised_result(node, false)) {
      define(result->name, map(in, *result->quantisation, function));
      return;
    }
    // Limits between two steps are floats.
    if (keeps_scale && stays_on_steps(builder_.tensor(in.tensor).quantisation, function)) {
      define(node.output(0), map(in, builder_.tensor(in.tensor).quantisation, function));
      return;
    }
  }
  if (node.input_size() == 2 && kind <= HostKind::Prelu) {
    float_pair(node, kind);
    return;
  }
  const OnnxValue real = as_float(in);
  const std::int32_t out =
      builder_.moved(name_, builder_.tensor(real.tensor).shape,
                     HostOperator{kind, {}, std::move(numbers)}, {real.tensor});
  define(node.output(0), out, in.dims, in.order);
}

void OnnxImporter::relu(const Node& node) {
  function_node(
      node, [](double x) { return std::max(x, 0.0); }, HostKind::Clip,
      {0, std::numeric_limits<float>::max()}, true);
}

void OnnxImporter::clip(const Node& node) {
  const auto [low, high] = clip_limits(node);
  if (kind_of(name_of(node, 0)) != ValueKind::Float) {
    clip_stored(node, low, high);
    return;
  }
  function_node(
      node, [low = low, high = high](double x) { return std::clamp(x, low, high); }, HostKind::Clip,
      {static_cast<float>(low), static_cast<float>(high)}, true);
}

// Of bytes as they are stored: between a QuantizeLinear and a DequantizeLinear, which then have
// fewer bits.
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
  // Bytes from outside have the quantisation of what reads them behind the cut.
  for (const Node* reader : onnx_.readers_of(node.output(0))) {
    if (reader != nullptr && reader->op_type() == "DequantizeLinear" &&
        is_known(name_of(*reader, 1)) && builder_.tensor(in.tensor).quantisation.scales.empty()) {
      set_quantisation(in, read_quantisation(name_of(*reader, 1), name_of(*reader, 2),
                                             kind_of(name_of(node, 0))));
    }
  }
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

void OnnxImporter::leaky_relu(const Node& node) {
  const float alpha = OnnxAttributes(node).number("alpha", 0.01F);
  function_node(node, [a = static_cast<double>(alpha)](double x) { return x < 0 ? a * x : x; },
                HostKind::LeakyRelu, {alpha});
}

void OnnxImporter::elu(const Node& node) {
  const float alpha = OnnxAttributes(node).number("alpha", 1);
  function_node(
      node, [a = static_cast<double>(alpha)](double x) { return x < 0 ? a * std::expm1(x) : x; },
      HostKind::Elu, {alpha});
}

void OnnxImporter::sigmoid(const Node& node) {
  function_node(
      node, [](double x) { return 1 / (1 + std::exp(-x)); }, HostKind::Logistic);
}

void OnnxImporter::tanh(const Node& node) {
  function_node(
      node, [](double x) { return std::tanh(x); }, HostKind::Tanh);
}

void OnnxImporter::hard_swish(const Node& node) {
  function_node(
      node, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }, HostKind::HardSwish);
}

void OnnxImporter::hard_sigmoid(const Node& node) {
  const auto alpha = static_cast<double>(OnnxAttributes(node).number("alpha", 0.2F));
  const auto beta = static_cast<double>(OnnxAttributes(node).number("beta", 0.5F));
  const OnnxValue in = input(node, 0);
  const Function function = [alpha, beta](double x) {
    return std::clamp(alpha * x + beta, 0.0, 1.0);
  };
  if (!quantised_) {
    function_node(node, function, HostKind::Clip);
    return;
  }
  if (is_quantised(in)) {
    if (const auto result = quantised_result(node, false)) {
      define(result->name, map(in, *result->quantisation, function));
      return;
    }
  }
  OnnxValue out = as_float(in);
  const auto step = [&](HostKind kind, float constant, const char* suffix) {
    std::vector<std::uint8_t> bytes(sizeof(constant));
    std::memcpy(bytes.data(), &constant, sizeof(constant));
    const std::int32_t tensor = builder_.constant(name_ + suffix + "/by", {}, {}, std::move(bytes));
    builder_.tensor(tensor).type = DataType::Float32;
    out.tensor = builder_.moved(name_ + suffix, builder_.tensor(out.tensor).shape,
                                HostOperator{kind, {}, {}}, {out.tensor, tensor});
  };
  step(HostKind::Mul, static_cast<float>(alpha), "/scaled");
  step(HostKind::Add, static_cast<float>(beta), "/raised");
  out.tensor = moved(out, builder_.tensor(out.tensor).shape,
                     HostOperator{HostKind::Clip, {}, {0, 1}}, "/clip");
  define(node.output(0), out);
}

void OnnxImporter::gelu(const Node& node) {
  constexpr double kHalfRoot = 0.70710678118654752;
  function_node(
      node, [](double x) { return 0.5 * x * (1 + std::erf(x * kHalfRoot)); }, HostKind::Gelu);
}

void OnnxImporter::plain_function(const Node& node) {
  struct Plain {
    double (*function)(double);
    HostKind kind;
  };
  static const std::map<std::string, Plain> table = {
      {"Abs", {[](double x) { return std::fabs(x); }, HostKind::Abs}},
      {"Neg", {[](double x) { return -x; }, HostKind::Neg}},
      {"Sqrt", {[](double x) { return std::sqrt(x); }, HostKind::Sqrt}},
      {"Exp", {[](double x) { return std::exp(x); }, HostKind::Exp}},
      {"Log", {[](double x) { return std::log(x); }, HostKind::Log}},
      {"Floor", {[](double x) { return std::floor(x); }, HostKind::Floor}},
      {"Ceil", {[](double x) { return std::ceil(x); }, HostKind::Ceil}},
      {"Round", {[](double x) { return std::nearbyint(x); }, HostKind::Round}},
      {"Erf", {[](double x) { return std::erf(x); }, HostKind::Erf}}};
  const Plain& plain_one = table.at(node.op_type());
  function_node(node, plain_one.function, plain_one.kind);
}

void OnnxImporter::prelu(const Node& node) {
  if (!quantised_) {
    binary(node, BinaryKind::Mul);
    return;
  }
  const std::string slope = name_of(node, 1);
  if (is_known(slope) && constant(slope).scales.size() == 1 && is_quantised(input(node, 0))) {
    if (const auto result = quantised_result(node, false)) {
      const OnnxValue in = input(node, 0);
      const OnnxValue alpha = ordered_operand(operand(slope, in.dims.size()), in.order);
      const std::int32_t out =
          builder_.moved(name_, builder_.tensor(in.tensor).shape,
                         HostOperator{HostKind::Prelu, {}, {}}, {in.tensor, alpha.tensor});
      finish(*result, {out, in.dims, in.order});
      return;
    }
  }
  float_pair(node, HostKind::Prelu);
}

void OnnxImporter::softmax_of(const OnnxValue& in, std::int64_t axis, const std::string& name,
                              const std::optional<Quantisation>& out) {
  const std::size_t at = axis_of(axis, in.dims.size());
  const std::size_t stored = stored_axis(in, at);
  if (is_quantised(in) && out && quantised_ && is_fused()) {
    const std::int32_t tensor =
        moved(in, builder_.tensor(in.tensor).shape,
              HostOperator{HostKind::SoftmaxFloat, {static_cast<std::int32_t>(stored)}, {1}});
    builder_.tensor(tensor).quantisation = *out;
    define(name, tensor, in.dims, in.order);
    return;
  }
  const bool fixed =
      !out || (out->scales == std::vector<float>{1.0F / 256} && out->zero_point == -128);
  const bool rows =
      is_quantised(in) && fixed && (out || !quantised_) && stored + 1 == in.order.size();
  if (rows || !quantised_) {
    const std::int32_t tensor = moved(in, builder_.tensor(in.tensor).shape, Softmax{});
    builder_.tensor(tensor).quantisation = {{1.0F / 256}, -128};
    define(name, tensor, in.dims, in.order);
    return;
  }
  const OnnxValue real = as_float(in);
  const std::int32_t tensor =
      moved(real, builder_.tensor(real.tensor).shape,
            HostOperator{HostKind::SoftmaxFloat, {static_cast<std::int32_t>(stored)}, {1}});
  const OnnxValue result{tensor, in.dims, in.order};
  if (!out) {
    define(name, result);
    return;
  }
  const std::string kept = name_;
  name_ += "/quantised";
  requantise(name, result, *out);
  name_ = kept;
}

void OnnxImporter::softmax(const Node& node) {
  const OnnxValue in = input(node, 0);
  const bool old = onnx_.opset() < 13;
  const std::int64_t axis = OnnxAttributes(node).integer("axis", old ? 1 : -1);
  const auto result = quantised_ ? quantised_result(node, false) : std::nullopt;
  const std::string name = result ? result->name : node.output(0);
  const std::optional<Quantisation> out = result ? result->quantisation : std::nullopt;
  const std::size_t at = axis_of(axis, in.dims.size());
  const bool one_axis = std::all_of(in.dims.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                    in.dims.end(), [](std::int64_t extent) { return extent == 1; });
  if (!old || one_axis) {
    softmax_of(in, axis, name, out);
    return;
  }
  // All axes from this one on are one.
  const OnnxValue sorted = plain(in);
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  for (std::size_t d = 0; d < in.dims.size(); ++d) {
    (d < at ? rows : cols) *= in.dims[d];
  }
  OnnxValue flat{-1, {rows, cols}, plain_order(2)};
  flat.tensor = moved(sorted, stored_shape(flat.dims, flat.order), Reshape{}, "/flat");
  const std::string inner = name + "/flat";
  softmax_of(flat, 1, inner, out);
  const OnnxValue done = value(inner);
  define(name, moved(done, stored_shape(in.dims, sorted.order), Reshape{}, "/whole"), in.dims,
         sorted.order);
}

void OnnxImporter::qlinear_softmax(const Node& node) {
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(name_of(node, 1), name_of(node, 2)));
  const OnnxAttributes attributes(node);
  const bool old = attributes.integer("opset", 13) < 13;
  softmax_of(in, attributes.integer("axis", old ? 1 : -1), node.output(0),
             read_quantisation(name_of(node, 3), name_of(node, 4)));
}

void OnnxImporter::qlinear_function(const Node& node, const Function& function) {
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(name_of(node, 1), name_of(node, 2)));
  define(node.output(0), map(in, read_quantisation(name_of(node, 3), name_of(node, 4)), function));
}

void OnnxImporter::qlinear_sigmoid(const Node& node) {
  qlinear_function(node, [](double x) { return 1 / (1 + std::exp(-x)); });
}

void OnnxImporter::qlinear_leaky_relu(const Node& node) {
  const auto alpha = static_cast<double>(OnnxAttributes(node).number("alpha", 0.01F));
  qlinear_function(node, [alpha](double x) { return x < 0 ? alpha * x : x; });
}

}  // namespace tessera

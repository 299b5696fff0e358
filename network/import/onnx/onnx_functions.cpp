// Functions of one value.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "network/import/onnx/onnx_importer.hpp"
#include "tessera/rng.hpp"

namespace tessera {
namespace {

// Nothing varies behind that axis.
bool is_last(const std::vector<std::int64_t>& dims, std::size_t axis) {
  return std::all_of(dims.begin() + static_cast<std::ptrdiff_t>(axis) + 1, dims.end(),
                     [](std::int64_t extent) { return extent == 1; });
}

}  // namespace

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
  if (quantised_ && is_stored(node, 0)) {
    clip_stored(node, 0, std::numeric_limits<std::uint8_t>::max());
    return;
  }
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
  const std::string form = OnnxAttributes(node).text("approximate", "none");
  require(form == "none" || form == "tanh",
          fmt::format("`approximate` is `{}`; allowed are none and tanh", form));
  if (form == "tanh") {
    constexpr double kFactor = 0.79788456080286535588;  // sqrt(2 / pi)
    function_node(
        node,
        [](double x) { return 0.5 * x * (1 + std::tanh(kFactor * (x + 0.044715 * x * x * x))); },
        HostKind::Gelu, {1});
    return;
  }
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
      {"Sign", {[](double x) { return static_cast<double>((x > 0) - (x < 0)); }, HostKind::Sign}},
      {"Sin", {[](double x) { return std::sin(x); }, HostKind::Sin}},
      {"Cos", {[](double x) { return std::cos(x); }, HostKind::Cos}},
      {"Erf", {[](double x) { return std::erf(x); }, HostKind::Erf}}};
  const Plain& plain_one = table.at(node.op_type());
  function_node(node, plain_one.function, plain_one.kind);
}

// Functions that the host does not have in float: a QuantizeLinear behind them makes them tables.
void OnnxImporter::table_function(const Node& node) {
  const OnnxAttributes attributes(node);
  const std::string& type = node.op_type();
  const auto given = [&](const char* name, float standard) {
    return static_cast<double>(attributes.number(name, standard));
  };
  const auto softplus = [](double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
  };
  Function function;
  if (type == "Reciprocal") {
    function = [](double x) { return 1 / x; };
  } else if (type == "Softplus") {
    function = softplus;
  } else if (type == "Softsign") {
    function = [](double x) { return x / (1 + std::fabs(x)); };
  } else if (type == "Mish") {
    function = [softplus](double x) { return x * std::tanh(softplus(x)); };
  } else if (type == "ThresholdedRelu") {
    function = [alpha = given("alpha", 1)](double x) { return x > alpha ? x : 0.0; };
  } else if (type == "Celu") {
    function = [alpha = given("alpha", 1)](double x) {
      return std::max(0.0, x) + std::min(0.0, alpha * std::expm1(x / alpha));
    };
  } else {
    function = [alpha = given("alpha", 1.67326319217681884765625F),
                gamma = given("gamma", 1.05070102214813232421875F)](double x) {
      return gamma * (x > 0 ? x : alpha * std::expm1(x));
    };
  }
  const OnnxValue in = input(node, 0);
  if (!quantised_) {
    define(node.output(0), map(in, builder_.tensor(in.tensor).quantisation, function));
    return;
  }
  const auto result = is_quantised(in) ? quantised_result(node, false) : std::nullopt;
  if (!result && type == "Reciprocal") {
    const OnnxValue real = as_float(in);
    define(node.output(0), on_host(HostKind::Div, {given_float(1, "/one"), real}, real, ""));
    return;
  }
  require(result.has_value(),
          "is supported between a DequantizeLinear and a QuantizeLinear only, as a table");
  define(result->name, map(in, *result->quantisation, function));
}

void OnnxImporter::log_softmax(const Node& node) {
  const OnnxValue in = quantised_ ? as_float(input(node, 0)) : input(node, 0);
  const bool old = onnx_.opset() < 13;
  const std::size_t at =
      axis_of(OnnxAttributes(node).integer("axis", old ? 1 : -1), in.dims.size());
  const bool one_axis = is_last(in.dims, at);
  require(!old || one_axis, "is supported over one axis only");
  OnnxValue last = in;
  const auto own = std::find(last.order.begin(), last.order.end(), at);
  std::rotate(own, own + 1, last.order.end());
  const OnnxValue rows = stored_as(in, last.order);
  const std::int32_t tensor =
      moved(rows, builder_.tensor(rows.tensor).shape, HostOperator{HostKind::LogSoftmax, {}, {}});
  define(node.output(0), tensor, rows.dims, rows.order);
}

void OnnxImporter::prelu(const Node& node) {
  if (!quantised_) {
    binary(node, BinaryKind::Mul);
    return;
  }
  float_pair(node, HostKind::Prelu);
}

void OnnxImporter::softmax_of(const OnnxValue& in, std::int64_t axis, const std::string& name,
                              const std::optional<Quantisation>& out, bool of_bytes) {
  const std::size_t at = axis_of(axis, in.dims.size());
  const std::size_t stored = stored_axis(in, at);
  if (is_quantised(in) && out && quantised_ && of_bytes) {
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
  const bool one_axis = is_last(in.dims, at);
  if (!old || one_axis) {
    softmax_of(in, axis, name, out, is_fused());
    return;
  }
  flat_softmax(in, at, name, out, is_fused());
}

// All axes from this one on are one.
void OnnxImporter::flat_softmax(const OnnxValue& in, std::size_t at, const std::string& name,
                                const std::optional<Quantisation>& out, bool of_bytes) {
  const OnnxValue sorted = plain(in);
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  for (std::size_t d = 0; d < in.dims.size(); ++d) {
    (d < at ? rows : cols) *= in.dims[d];
  }
  OnnxValue flat{-1, {rows, cols}, plain_order(2)};
  flat.tensor = moved(sorted, stored_shape(flat.dims, flat.order), Reshape{}, "/flat");
  const std::string inner = name + "/flat";
  softmax_of(flat, 1, inner, out, of_bytes);
  const OnnxValue done = value(inner);
  define(name, moved(done, stored_shape(in.dims, sorted.order), Reshape{}, "/whole"), in.dims,
         sorted.order);
}

void OnnxImporter::qlinear_softmax(const Node& node) {
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(name_of(node, 1), name_of(node, 2)));
  const OnnxAttributes attributes(node);
  const bool old = attributes.integer("opset", 13) < 13;
  const std::int64_t axis = attributes.integer("axis", old ? 1 : -1);
  const std::optional<Quantisation> out = read_quantisation(name_of(node, 3), name_of(node, 4));
  const std::size_t at = axis_of(axis, in.dims.size());
  if (old && !is_last(in.dims, at)) {
    flat_softmax(in, at, node.output(0), out, is_as_floats());
    return;
  }
  softmax_of(in, axis, node.output(0), out, is_as_floats());
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

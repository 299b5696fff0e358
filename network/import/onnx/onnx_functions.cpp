// Arithmetic and functions of one value.
#include "network/import/onnx/onnx_importer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tessera {

OnnxValue OnnxImporter::operand(const std::string& name) {
  if (!is_given(name)) {
    return value(name);
  }
  const Dims dims = given_dims(name);
  Dims full = dims;
  // Operands of images broadcast from the last dimension: as many dimensions as images have.
  while (!full.empty() && full.size() < 4 && wide_) {
    full.insert(full.begin(), 1);
  }
  if (full.empty()) {
    full = {1};
  }
  OnnxWeights weights;
  weights.dims = dims;
  if (quantised_) {
    weights = dequantised_weights(name);
    require(weights.scales.size() == 1, "an operand needs one scale");
  } else {
    std::int64_t elements = 1;
    for (const std::int64_t extent : dims) {
      elements *= extent;
    }
    SplitMix64 rng(static_cast<std::uint64_t>(elements));
    for (std::int64_t i = 0; i < elements; ++i) {
      weights.values.push_back(rng.int8());
    }
    weights.scales = {1.0F / 64};
  }
  return constant_value(name, full, weights);
}

OnnxValue OnnxImporter::constant_value(const std::string& name, const Dims& dims,
                                       const OnnxWeights& weights) {
  const auto [least, greatest] = std::minmax_element(weights.values.begin(), weights.values.end());
  require(!weights.values.empty() && *greatest - *least <= 255, "an operand beyond 8 bits");
  const std::int32_t zero_point = std::clamp(-128 - *least, -128, 127);
  require(*least + zero_point >= -128 && *greatest + zero_point <= 127, "an operand beyond 8 bits");
  const std::vector<std::int32_t> shape = stored_shape(dims);
  std::vector<std::uint8_t> bytes(weights.values.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::uint8_t>(weights.values[logical_index(i, dims)] + zero_point);
  }
  const std::int32_t tensor =
      builder_.constant(name, shape, {{weights.scales[0]}, zero_point}, std::move(bytes));
  return {tensor, dims};
}

std::size_t OnnxImporter::logical_index(std::size_t i, const Dims& dims) {
  if (dims.size() != 4) {
    return i;
  }
  const auto c = static_cast<std::size_t>(dims[1]);
  const auto w = static_cast<std::size_t>(dims[3]);
  const auto pixels = static_cast<std::size_t>(dims[2]) * w;
  const std::size_t image = i / (pixels * c);
  const std::size_t pixel = i / c % pixels;
  return (image * c + i % c) * pixels + pixel;
}

void OnnxImporter::binary(const Node& node, BinaryKind kind) {
  for (int i = 0; i < 2; ++i) {
    wide_ = wide_ || (!is_given(name_of(node, i)) && input(node, i).dims.size() == 4);
  }
  const OnnxValue a = operand(name_of(node, 0));
  const OnnxValue b = operand(name_of(node, 1));
  wide_ = false;
  require(a.dims.size() == b.dims.size() || a.dims == Dims{1} || b.dims == Dims{1},
          "operands differ in rank");
  const Result result = result_of(node, true);
  finish(result, builder_.binary(name_, a.tensor, b.tensor, Binary{kind, result.activation}));
}

void OnnxImporter::add(const Node& node) {
  binary(node, BinaryKind::Add);
}

void OnnxImporter::sub(const Node& node) {
  binary(node, BinaryKind::Sub);
}

void OnnxImporter::mul(const Node& node) {
  binary(node, BinaryKind::Mul);
}

void OnnxImporter::qlinear_binary(const Node& node, BinaryKind kind) {
  const Quantisation qa = read_quantisation(onnx_, name_of(node, 1), name_of(node, 2));
  const Quantisation qb = read_quantisation(onnx_, name_of(node, 4), name_of(node, 5));
  const Quantisation qc = read_quantisation(onnx_, name_of(node, 6), name_of(node, 7));
  const OnnxValue a = qlinear_operand(node, 0, qa);
  const OnnxValue b = qlinear_operand(node, 3, qb);
  finish({node.output(0), qc},
         builder_.binary(name_, a.tensor, b.tensor, Binary{kind, Activation::None}));
}

OnnxValue OnnxImporter::qlinear_operand(const Node& node, int i, const Quantisation& quantisation) {
  const std::string name = name_of(node, i);
  if (!onnx_.is_constant(name)) {
    OnnxValue v = input(node, i);
    set_quantisation(v, quantisation);
    return v;
  }
  const OnnxWeights weights =
      read_weights(onnx_, name, name_of(node, i + 1), name_of(node, i + 2), 0);
  Dims dims = weights.dims;
  while (dims.size() < 4) {
    dims.insert(dims.begin(), 1);
  }
  return constant_value(name, dims, weights);
}

void OnnxImporter::qlinear_add(const Node& node) {
  qlinear_binary(node, BinaryKind::Add);
}

void OnnxImporter::qlinear_mul(const Node& node) {
  qlinear_binary(node, BinaryKind::Mul);
}

// A function of real values as a table; ties go to even, as ONNX rounds.
void OnnxImporter::map(const std::string& name, const OnnxValue& in, const Quantisation& out,
                       const Function& function) {
  const Quantisation own = builder_.tensor(in.tensor).quantisation;
  Unary unary;
  unary.kind = UnaryKind::Lookup;
  for (std::int32_t x = -128; x <= 127; ++x) {
    const double real = static_cast<double>(own.scales.at(0)) * (x - own.zero_point);
    const double steps = std::nearbyint(function(real) / static_cast<double>(out.scales.at(0)));
    const double limited = std::clamp(steps + out.zero_point, -128.0, 127.0);
    unary.table.push_back(static_cast<std::int8_t>(std::isnan(limited) ? 0.0 : limited));
  }
  const std::int32_t tensor = builder_.unary(name_, in.tensor, unary);
  builder_.tensor(tensor).quantisation = out;
  define(name, tensor);
}

void OnnxImporter::function_node(const Node& node, const Function& function) {
  const OnnxValue in = input(node, 0);
  Quantisation out = builder_.tensor(in.tensor).quantisation;
  std::string name = node.output(0);
  const Node* next = only_reader(name);
  if (quantised_ && next != nullptr && next->op_type() == "QuantizeLinear") {
    const Result result = result_of(node, false);
    out = *result.quantisation;
    name = result.name;
  }
  map(name, in, out, function);
}

void OnnxImporter::relu(const Node& node) {
  function_node(node, [](double x) { return std::max(x, 0.0); });
}

void OnnxImporter::clip(const Node& node) {
  const auto [low, high] = clip_limits(node);
  require(low <= high, "min is greater than max");
  function_node(node, [low = low, high = high](double x) { return std::clamp(x, low, high); });
}

void OnnxImporter::leaky_relu(const Node& node) {
  const auto alpha = static_cast<double>(OnnxAttributes(node).number("alpha", 0.01F));
  function_node(node, [alpha](double x) { return x < 0 ? alpha * x : x; });
}

void OnnxImporter::sigmoid(const Node& node) {
  function_node(node, [](double x) { return 1 / (1 + std::exp(-x)); });
}

void OnnxImporter::tanh(const Node& node) {
  function_node(node, [](double x) { return std::tanh(x); });
}

void OnnxImporter::hard_swish(const Node& node) {
  function_node(node, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); });
}

void OnnxImporter::hard_sigmoid(const Node& node) {
  const auto alpha = static_cast<double>(OnnxAttributes(node).number("alpha", 0.2F));
  const auto beta = static_cast<double>(OnnxAttributes(node).number("beta", 0.5F));
  function_node(node, [alpha, beta](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); });
}

void OnnxImporter::softmax(const Node& node) {
  const OnnxValue in = input(node, 0);
  const auto rank = static_cast<std::int64_t>(in.dims.size());
  const std::int64_t axis = OnnxAttributes(node).integer("axis", onnx_.opset() < 13 ? 1 : -1);
  const std::int64_t positive = axis < 0 ? axis + rank : axis;
  const std::size_t last = logical_axis(in.dims.size() - 1, in.dims.size());
  require(positive >= 0 && positive < rank, fmt::format("axis {}", axis));
  const bool rest_is_one =
      std::all_of(in.dims.begin() + std::min<std::int64_t>(positive + 1, rank), in.dims.end(),
                  [](std::int64_t extent) { return extent == 1; });
  require(
      positive == static_cast<std::int64_t>(last) || (positive >= 0 && rest_is_one && rank != 4),
      fmt::format("axis {}; supported is the channels'", axis));
  const std::int32_t out = move(in, in.dims, Softmax{});
  builder_.tensor(out).quantisation = {{1.0F / 256}, -128};
  define(node.output(0), out);
}

void OnnxImporter::qlinear_function(const Node& node, const Function& function) {
  const OnnxValue in = input(node, 0);
  set_quantisation(in, read_quantisation(onnx_, name_of(node, 1), name_of(node, 2)));
  map(node.output(0), in, read_quantisation(onnx_, name_of(node, 3), name_of(node, 4)), function);
}

void OnnxImporter::qlinear_sigmoid(const Node& node) {
  qlinear_function(node, [](double x) { return 1 / (1 + std::exp(-x)); });
}

void OnnxImporter::qlinear_leaky_relu(const Node& node) {
  const auto alpha = static_cast<double>(OnnxAttributes(node).number("alpha", 0.01F));
  qlinear_function(node, [alpha](double x) { return x < 0 ? alpha * x : x; });
}

}  // namespace tessera

// Functions of one or two values, and means: on int8 the array's, on other types the host's.
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "network/import/tflite/readers.hpp"
#include "tessera/quantise.hpp"

namespace tessera {

bool is_quantised(const TfliteGraph& graph, const Operator& op) {
  return graph.input(op, 0).type == DataType::Int8;
}

namespace {

float rounded(float x, float scale) {
  return std::round(x * (1.0F / scale));
}

float cut(float x, float scale) {
  return std::trunc(x / scale);
}

Unary table_by(const TfliteGraph& graph, const Operator& op, float (*function)(float),
               float (*steps_of)(float, float)) {
  const Quantisation& in = graph.input(op, 0).quantisation;
  const Quantisation& out = graph.output(op).quantisation;
  graph.require(in.scales.size() == 1 && out.scales.size() == 1,
                "input and output need one scale each");
  Unary unary;
  unary.kind = UnaryKind::Lookup;
  for (std::int32_t x = -128; x <= 127; ++x) {
    const float real = in.scales[0] * static_cast<float>(x - in.zero_point);
    const float steps =
        steps_of(function(real), out.scales[0]) + static_cast<float>(out.zero_point);
    const float limited = std::isnan(steps) ? 0.0F : std::clamp(steps, -128.0F, 127.0F);
    unary.table.push_back(static_cast<std::int8_t>(limited));
  }
  return unary;
}

}  // namespace

Unary table_of(const TfliteGraph& graph, const Operator& op, float (*function)(float)) {
  return table_by(graph, op, function, rounded);
}

Unary cut_table_of(const TfliteGraph& graph, const Operator& op, float (*function)(float)) {
  return table_by(graph, op, function, cut);
}

Unary rescaled_table(const TfliteGraph& graph, const Operator& op,
                     const std::function<std::int32_t(std::int32_t)>& before,
                     const std::function<std::int32_t(std::int32_t)>& behind) {
  const Quantisation& in = graph.input(op, 0).quantisation;
  const Quantisation& out = graph.output(op).quantisation;
  graph.require(in.scales.size() == 1 && out.scales.size() == 1,
                "input and output need one scale each");
  const bool rescales = in.scales[0] != out.scales[0];
  const FixedPoint factor = fixed_point(static_cast<double>(in.scales[0] / out.scales[0]));
  Unary unary;
  unary.kind = UnaryKind::Lookup;
  for (std::int32_t x = -128; x <= 127; ++x) {
    const std::int32_t value = before(x - in.zero_point);
    const std::int32_t steps = behind(rescales ? requantise(value, factor, 0) : value);
    unary.table.push_back(static_cast<std::int8_t>(
        std::clamp<std::int64_t>(std::int64_t{steps} + out.zero_point, -128, 127)));
  }
  return unary;
}

namespace {

constexpr float kMost = std::numeric_limits<float>::max();

Attributes arithmetic(const TfliteGraph& graph, const TfliteOperator& o, BinaryKind kind,
                      tflite::Activation activation) {
  if (is_quantised(graph, o.op)) {
    return Binary{kind, graph.activation(activation)};
  }
  constexpr HostKind kinds[] = {HostKind::Add, HostKind::Sub, HostKind::Mul};
  return HostOperator{kinds[static_cast<std::size_t>(kind)], {}, graph.limits(activation)};
}

Attributes read_add(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_AddOptions());
  return arithmetic(graph, o, BinaryKind::Add, options.fused_activation_function());
}

Attributes read_sub(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_SubOptions());
  return arithmetic(graph, o, BinaryKind::Sub, options.fused_activation_function());
}

Attributes read_mul(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_MulOptions());
  return arithmetic(graph, o, BinaryKind::Mul, options.fused_activation_function());
}

Attributes read_div(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_DivOptions());
  return HostOperator{HostKind::Div, {}, graph.limits(options.fused_activation_function())};
}

template <UnaryKind kKind>
Attributes read_relu(const TfliteGraph& graph, const TfliteOperator& o) {
  if (is_quantised(graph, o.op)) {
    return Unary{kKind, 0.0F, {}};
  }
  return HostOperator{HostKind::Clip, {}, {0, kKind == UnaryKind::Relu6 ? 6 : kMost}};
}

template <int kLow>
Attributes read_relu_to_1(const TfliteGraph& graph, const TfliteOperator& o) {
  if (!is_quantised(graph, o.op)) {
    return HostOperator{HostKind::Clip, {}, {kLow, 1}};
  }
  // In whole steps of the output.
  const Quantisation& out = graph.output(o.op).quantisation;
  const auto limit = [&](float real) {
    const float steps = out.scales.empty() ? 0.0F : std::round(real / out.scales[0]);
    return static_cast<std::int32_t>(std::clamp(steps, -256.0F, 256.0F));
  };
  const std::int32_t low = limit(kLow);
  const std::int32_t high = limit(1);
  return rescaled_table(
      graph, o.op, [](std::int32_t x) { return x; },
      [=](std::int32_t x) { return std::clamp(x, low, high); });
}

float logistic(float x) {
  return 1.0F / (1.0F + std::exp(-x));
}

float hyperbolic(float x) {
  return std::tanh(x);
}

// Unsigned kernels are tables, signed ones fixed point.
template <UnaryKind kKind, HostKind kHost>
Attributes read_sigmoid(const TfliteGraph& graph, const TfliteOperator& o) {
  if (!is_quantised(graph, o.op)) {
    return HostOperator{kHost, {}, {}};
  }
  if (graph.is_unsigned(o.op, 0)) {
    return table_of(graph, o.op, kKind == UnaryKind::Tanh ? hyperbolic : logistic);
  }
  return Unary{kKind, 0.0F, {}};
}

Attributes read_hard_swish(const TfliteGraph& graph, const TfliteOperator& o) {
  return is_quantised(graph, o.op) ? Attributes{Unary{UnaryKind::HardSwish, 0.0F, {}}}
                                   : Attributes{HostOperator{HostKind::HardSwish, {}, {}}};
}

Attributes read_quantize(const TfliteGraph& /*graph*/, const TfliteOperator& /*o*/) {
  return Unary{UnaryKind::Quantize, 0.0F, {}};
}

Attributes read_leaky_relu(const TfliteGraph& graph, const TfliteOperator& o) {
  const float alpha = graph.need(o.source.builtin_options_as_LeakyReluOptions()).alpha();
  return is_quantised(graph, o.op) ? Attributes{Unary{UnaryKind::LeakyRelu, alpha, {}}}
                                   : Attributes{HostOperator{HostKind::LeakyRelu, {}, {alpha}}};
}

// Weights in half precision have been widened.
Attributes read_dequantize(const TfliteGraph& graph, const TfliteOperator& o) {
  const bool is_float = graph.input(o.op, 0).type == DataType::Float32;
  return is_float || graph.is_seeded() ? Attributes{Reshape{}} : Attributes{Dequantize{}};
}

Attributes read_mean(const TfliteGraph& graph, const TfliteOperator& o) {
  std::vector<std::int32_t> axes;
  for (const std::int32_t axis : graph.integers(o.op, 1, "axes")) {
    axes.push_back(
        static_cast<std::int32_t>(graph.axis_of(axis, graph.input(o.op, 0).shape.size())));
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  const auto count = static_cast<std::int32_t>(axes.size());
  const bool neighbours = axes.back() - axes.front() + 1 == count;
  if (is_quantised(graph, o.op) && neighbours) {
    return Mean{axes.front(), count};
  }
  return HostOperator{HostKind::ReduceMean, axes, {}};
}

Attributes read_softmax(const TfliteGraph& graph, const TfliteOperator& o) {
  const float beta = graph.need(o.source.builtin_options_as_SoftmaxOptions()).beta();
  const auto rank = static_cast<std::int32_t>(graph.input(o.op, 0).shape.size());
  return is_quantised(graph, o.op)
             ? Attributes{Softmax{beta}}
             : Attributes{HostOperator{HostKind::SoftmaxFloat, {rank - 1}, {beta}}};
}

}  // namespace

TfliteKinds tflite_functions() {
  using U = UnaryKind;
  using H = HostKind;
  return {{0, {"ADD", read_add}},
          {6, {"DEQUANTIZE", read_dequantize}},
          {14, {"LOGISTIC", read_sigmoid<U::Logistic, H::Logistic>}},
          {18, {"MUL", read_mul}},
          {19, {"RELU", read_relu<U::Relu>}},
          {20, {"RELU_N1_TO_1", read_relu_to_1<-1>}},
          {21, {"RELU6", read_relu<U::Relu6>}},
          {25, {"SOFTMAX", read_softmax}},
          {28, {"TANH", read_sigmoid<U::Tanh, H::Tanh>}},
          {40, {"MEAN", read_mean, TfliteInputs::First}},
          {41, {"SUB", read_sub}},
          {42, {"DIV", read_div}},
          {98, {"LEAKY_RELU", read_leaky_relu}},
          {114, {"QUANTIZE", read_quantize}},
          {117, {"HARD_SWISH", read_hard_swish}},
          {152, {"RELU_0_TO_1", read_relu_to_1<0>}}};
}

}  // namespace tessera

#include <fmt/ranges.h>

#include <algorithm>

#include "network/import/tflite/readers.hpp"

namespace tessera {
namespace {

Mean mean_of(const TfliteGraph& graph, const Operator& op) {
  const Tensor& in = graph.input(op, 0);
  std::vector<std::size_t> axes;
  for (const std::int32_t axis : graph.integers(op, 1, "axes")) {
    axes.push_back(graph.axis_of(axis, in.shape.size()));
  }
  std::sort(axes.begin(), axes.end());
  graph.require(axes.back() - axes.front() + 1 == axes.size(),
                fmt::format("mean over axes {}; supported are axes that follow each other",
                            fmt::join(axes, ", ")));
  return {static_cast<std::int32_t>(axes.front()), static_cast<std::int32_t>(axes.size())};
}

template <UnaryKind kKind>
Attributes read_unary(const TfliteGraph& /*graph*/, const TfliteOperator& /*o*/) {
  return Unary{kKind, 0.0F, {}};
}

template <UnaryKind kKind>
Attributes read_signed_unary(const TfliteGraph& graph, const TfliteOperator& o) {
  graph.refuse_unsigned(o.op);
  return Unary{kKind, 0.0F, {}};
}

Attributes read_leaky_relu(const TfliteGraph& graph, const TfliteOperator& o) {
  return Unary{
      UnaryKind::LeakyRelu, graph.need(o.source.builtin_options_as_LeakyReluOptions()).alpha(), {}};
}

Attributes read_add(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_AddOptions());
  return Binary{BinaryKind::Add, graph.activation(options.fused_activation_function())};
}

Attributes read_sub(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_SubOptions());
  return Binary{BinaryKind::Sub, graph.activation(options.fused_activation_function())};
}

Attributes read_mul(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_MulOptions());
  return Binary{BinaryKind::Mul, graph.activation(options.fused_activation_function())};
}

Attributes read_dequantize(const TfliteGraph& /*graph*/, const TfliteOperator& /*o*/) {
  return Dequantize{};
}

Attributes read_mean(const TfliteGraph& graph, const TfliteOperator& o) {
  graph.refuse_unsigned(o.op);
  return mean_of(graph, o.op);
}

Attributes read_softmax(const TfliteGraph& graph, const TfliteOperator& o) {
  return Softmax{graph.need(o.source.builtin_options_as_SoftmaxOptions()).beta()};
}

}  // namespace

TfliteKinds tflite_functions() {
  return {{0, {"ADD", read_add}},
          {6, {"DEQUANTIZE", read_dequantize}},
          {14, {"LOGISTIC", read_signed_unary<UnaryKind::Logistic>}},
          {18, {"MUL", read_mul}},
          {19, {"RELU", read_unary<UnaryKind::Relu>}},
          {21, {"RELU6", read_unary<UnaryKind::Relu6>}},
          {25, {"SOFTMAX", read_softmax}},
          {28, {"TANH", read_signed_unary<UnaryKind::Tanh>}},
          {40, {"MEAN", read_mean, TfliteInputs::First}},
          {41, {"SUB", read_sub}},
          {98, {"LEAKY_RELU", read_leaky_relu}},
          {114, {"QUANTIZE", read_unary<UnaryKind::Quantize>}},
          {117, {"HARD_SWISH", read_signed_unary<UnaryKind::HardSwish>}}};
}

}  // namespace tessera

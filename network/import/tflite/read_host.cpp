// Operators that only the host has, and functions that become a table on int8.
#include <algorithm>
#include <cmath>

#include "network/import/tflite/readers.hpp"
#include "network/reference/fixed_point_functions.hpp"
#include "network/reference/host_kernels.hpp"
#include "tessera/quantise.hpp"

namespace tessera {
namespace {

template <HostKind kKind>
Attributes read_plain(const TfliteGraph& /*graph*/, const TfliteOperator& /*o*/) {
  return HostOperator{kKind, {}, {}};
}

// A table on int8, the host's on other types.
template <HostKind kKind, float (*kFunction)(float)>
Attributes read_function(const TfliteGraph& graph, const TfliteOperator& o) {
  if (is_quantised(graph, o.op)) {
    return table_of(graph, o.op, kFunction);
  }
  HostOperator host{kKind, {}, {}};
  if (kKind == HostKind::Elu) {
    host.numbers = {1};
  }
  return host;
}

float elu(float x) {
  return x < 0 ? std::expm1(x) : x;
}
float exponential(float x) {
  return std::exp(x);
}
float logarithm(float x) {
  return std::log(x);
}
float square(float x) {
  return x * x;
}
float gelu(float x) {
  return 0.5F * x * (1.0F + std::erf(x * 0.70710678118654752F));
}

// LiteRT cuts the root where other functions are rounded.
Attributes read_sqrt(const TfliteGraph& graph, const TfliteOperator& o) {
  if (!is_quantised(graph, o.op)) {
    return HostOperator{HostKind::Sqrt, {}, {}};
  }
  graph.require(!graph.is_unsigned(o.op, 0),
                "of uint8: no runtime computes it (int8 is supported)");
  return cut_table_of(graph, o.op, [](float x) { return std::sqrt(x); });
}

Attributes read_gelu(const TfliteGraph& graph, const TfliteOperator& o) {
  const bool by_tanh = graph.need(o.source.builtin_options_as_GeluOptions()).approximate();
  if (is_quantised(graph, o.op)) {
    return table_of(graph, o.op, by_tanh ? reference::gelu_by_tanh : gelu);
  }
  return HostOperator{HostKind::Gelu, {}, by_tanh ? std::vector<float>{1} : std::vector<float>{}};
}

// No runtime computes these on bytes without a sign.
void require_signed(const TfliteGraph& graph, const Operator& op) {
  graph.require(!graph.is_unsigned(op, 0), "of uint8: no runtime computes it (int8 is supported)");
}

template <HostKind kKind>
Attributes read_signed(const TfliteGraph& graph, const TfliteOperator& o) {
  require_signed(graph, o.op);
  return HostOperator{kKind, {}, {}};
}

template <HostKind kKind, float (*kFunction)(float)>
Attributes read_signed_function(const TfliteGraph& graph, const TfliteOperator& o) {
  require_signed(graph, o.op);
  return read_function<kKind, kFunction>(graph, o);
}

Attributes read_square(const TfliteGraph& graph, const TfliteOperator& o) {
  graph.require(!is_quantised(graph, o.op) || graph.is_seeded(),
                "of bytes: no runtime computes it (MUL of a value and itself is supported)");
  return read_function<HostKind::Square, square>(graph, o);
}

Attributes read_abs(const TfliteGraph& graph, const TfliteOperator& o) {
  if (!is_quantised(graph, o.op)) {
    return HostOperator{HostKind::Abs, {}, {}};
  }
  require_signed(graph, o.op);
  return rescaled_table(
      graph, o.op, [](std::int32_t x) { return std::abs(x); }, [](std::int32_t x) { return x; });
}

// LiteRT negates stored bytes, whatever their scales, and -128 stays what it is.
Attributes read_neg(const TfliteGraph& graph, const TfliteOperator& o) {
  if (!is_quantised(graph, o.op)) {
    return HostOperator{HostKind::Neg, {}, {}};
  }
  require_signed(graph, o.op);
  Unary unary;
  unary.kind = UnaryKind::Lookup;
  for (std::int32_t x = -128; x <= 127; ++x) {
    unary.table.push_back(static_cast<std::int8_t>(-x));
  }
  return unary;
}

// The kernel of bytes without a sign is another one.
Attributes read_l2_normalization(const TfliteGraph& graph, const TfliteOperator& o) {
  return HostOperator{HostKind::L2Normalization, {graph.is_unsigned(o.op, 0) ? 1 : 0}, {}};
}

// On int8 its own fixed point: a root of 20 fraction bits.
Attributes read_rsqrt(const TfliteGraph& graph, const TfliteOperator& o) {
  if (!is_quantised(graph, o.op)) {
    return HostOperator{HostKind::Rsqrt, {}, {}};
  }
  require_signed(graph, o.op);
  constexpr int kShift = 20;
  const Quantisation& in = graph.input(o.op, 0).quantisation;
  const Quantisation& out = graph.output(o.op).quantisation;
  graph.require(in.scales.size() == 1 && out.scales.size() == 1,
                "input and output need one scale each");
  const double scale = 1.0 / static_cast<double>(std::sqrt(in.scales[0]) * out.scales[0]);
  FixedPoint factor = fixed_point(scale);
  factor.shift -= kShift;
  Unary unary;
  unary.kind = UnaryKind::Lookup;
  for (std::int32_t x = -128; x <= 127; ++x) {
    const std::int32_t value = x - in.zero_point;
    if (value <= 0) {
      unary.table.push_back(127);
      continue;
    }
    FixedPoint root = reference::inverse_root(value);
    root.shift += kShift;
    const std::int32_t result = requantise(requantise(1, root), factor, out.zero_point);
    unary.table.push_back(static_cast<std::int8_t>(std::clamp(result, -128, 127)));
  }
  return unary;
}

std::vector<std::int32_t> axes_of(const TfliteGraph& graph, const Operator& op) {
  std::vector<std::int32_t> axes;
  for (const std::int32_t axis : graph.integers(op, 1, "axes")) {
    axes.push_back(static_cast<std::int32_t>(graph.axis_of(axis, graph.input(op, 0).shape.size())));
  }
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  return axes;
}

template <HostKind kKind>
Attributes read_axes(const TfliteGraph& graph, const TfliteOperator& o) {
  return HostOperator{kKind, axes_of(graph, o.op), {}};
}

Attributes read_gather(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto* options = o.source.builtin_options_as_GatherOptions();
  const std::int32_t given = options != nullptr ? options->axis() : 0;
  std::int32_t batch = options != nullptr ? options->batch_dims() : 0;
  const auto rank = static_cast<std::int32_t>(graph.input(o.op, 1).shape.size());
  batch += batch < 0 ? rank : 0;
  const auto axis =
      static_cast<std::int32_t>(graph.axis_of(given, graph.input(o.op, 0).shape.size()));
  return HostOperator{HostKind::Gather, {axis, batch}, {}};
}

Attributes read_mirror_pad(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto values = graph.integers(o.op, 1, "paddings");
  const std::size_t rank = graph.input(o.op, 0).shape.size();
  graph.require(values.size() == 2 * rank, "paddings must have shape [rank, 2]");
  HostOperator host{HostKind::MirrorPad, {}, {}};
  for (std::size_t side = 0; side < 2; ++side) {
    for (std::size_t d = 0; d < rank; ++d) {
      host.integers.push_back(values[2 * d + side]);
    }
  }
  const auto mode = graph.need(o.source.builtin_options_as_MirrorPadOptions()).mode();
  host.integers.push_back(mode == tflite::MirrorPadMode_SYMMETRIC ? 1 : 0);
  return host;
}

Attributes read_batch_matmul(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_BatchMatMulOptions());
  require_signed(graph, o.op);
  return HostOperator{
      HostKind::BatchMatMul, {options.adj_x() ? 1 : 0, options.adj_y() ? 1 : 0}, {}};
}

Attributes read_resize_bilinear(const TfliteGraph& graph, const TfliteOperator& o) {
  const auto& options = graph.need(o.source.builtin_options_as_ResizeBilinearOptions());
  return HostOperator{HostKind::ResizeBilinear,
                      {options.align_corners() ? 1 : 0, options.half_pixel_centers() ? 1 : 0,
                       graph.is_unsigned(o.op, 0) ? 1 : 0},
                      {}};
}

}  // namespace

TfliteKinds tflite_host() {
  using H = HostKind;
  constexpr auto kFirst = TfliteInputs::First;
  return {{8, {"FLOOR", read_plain<H::Floor>}},
          {11, {"L2_NORMALIZATION", read_l2_normalization}},
          {23, {"RESIZE_BILINEAR", read_resize_bilinear, kFirst}},
          {36, {"GATHER", read_gather}},
          {47, {"EXP", read_signed_function<H::Exp, exponential>}},
          {50, {"LOG_SOFTMAX", read_plain<H::LogSoftmax>}},
          {53, {"CAST", read_plain<H::Cast>}},
          {54, {"PRELU", read_plain<H::Prelu>}},
          {55, {"MAXIMUM", read_plain<H::Maximum>}},
          {56, {"ARG_MAX", read_axes<H::ArgMax>, kFirst}},
          {57, {"MINIMUM", read_plain<H::Minimum>}},
          {58, {"LESS", read_plain<H::Less>}},
          {59, {"NEG", read_neg}},
          {61, {"GREATER", read_plain<H::Greater>}},
          {62, {"GREATER_EQUAL", read_plain<H::GreaterEqual>}},
          {63, {"LESS_EQUAL", read_plain<H::LessEqual>}},
          {64, {"SELECT", read_plain<H::Select>}},
          {66, {"SIN", read_plain<H::Sin>}},
          {69, {"TILE", read_plain<H::Tile>, kFirst}},
          {71, {"EQUAL", read_plain<H::Equal>}},
          {72, {"NOT_EQUAL", read_plain<H::NotEqual>}},
          {73, {"LOG", read_signed_function<H::Log, logarithm>}},
          {74, {"SUM", read_axes<H::Sum>, kFirst}},
          {75, {"SQRT", read_sqrt}},
          {76, {"RSQRT", read_rsqrt}},
          {78, {"POW", read_plain<H::Pow>}},
          {79, {"ARG_MIN", read_axes<H::ArgMin>, kFirst}},
          {81, {"REDUCE_PROD", read_axes<H::ReduceProd>, kFirst}},
          {82, {"REDUCE_MAX", read_axes<H::ReduceMax>, kFirst}},
          {84, {"LOGICAL_OR", read_plain<H::LogicalOr>}},
          {86, {"LOGICAL_AND", read_plain<H::LogicalAnd>}},
          {87, {"LOGICAL_NOT", read_plain<H::LogicalNot>}},
          {89, {"REDUCE_MIN", read_axes<H::ReduceMin>, kFirst}},
          {90, {"FLOOR_DIV", read_plain<H::FloorDiv>}},
          {91, {"REDUCE_ANY", read_axes<H::ReduceAny>, kFirst}},
          {92, {"SQUARE", read_square}},
          {95, {"FLOOR_MOD", read_plain<H::FloorMod>}},
          {99, {"SQUARED_DIFFERENCE", read_signed<H::SquaredDifference>}},
          {100, {"MIRROR_PAD", read_mirror_pad, kFirst}},
          {101, {"ABS", read_abs}},
          {104, {"CEIL", read_plain<H::Ceil>}},
          {105, {"REVERSE_V2", read_axes<H::Reverse>, kFirst}},
          {107, {"GATHER_ND", read_plain<H::GatherNd>}},
          {108, {"COS", read_plain<H::Cos>}},
          {111, {"ELU", read_function<H::Elu, elu>}},
          {116, {"ROUND", read_plain<H::Round>}},
          {123, {"SELECT_V2", read_plain<H::Select>}},
          {126, {"BATCH_MATMUL", read_batch_matmul}},
          {130, {"BROADCAST_TO", read_plain<H::BroadcastTo>, kFirst}},
          {150, {"GELU", read_gelu}},
          {158, {"SIGN", read_plain<H::Sign>}}};
}

}  // namespace tessera

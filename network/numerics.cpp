// How each runtime rounds: the one table.
#include "network/numerics.hpp"

#include <algorithm>
#include <cmath>

#include "tessera/quantise.hpp"

namespace tessera {
namespace {

bool is_rescaled(const Tensor& in, const Tensor& out) {
  return in.quantisation.scales != out.quantisation.scales ||
         in.quantisation.zero_point != out.quantisation.zero_point;
}

/// Whether an operator's results are products of whole sums and factors.
struct HasFactor {
  const Network& network;
  const Operator& op;

  [[nodiscard]] bool rescales(std::int32_t input) const {
    return is_rescaled(network.tensors[static_cast<std::size_t>(input)],
                       network.tensors[static_cast<std::size_t>(op.output)]);
  }

  bool operator()(const Conv2d&) const { return true; }
  bool operator()(const DepthwiseConv2d&) const { return true; }
  bool operator()(const TransposeConv2d&) const { return true; }
  bool operator()(const FullyConnected&) const { return true; }
  bool operator()(const Binary&) const { return true; }
  bool operator()(const Mean&) const { return true; }
  // In one scale they are whole numbers divided by a count.
  bool operator()(const Pool2d& pool) const {
    return pool.kind == PoolKind::Average && rescales(op.inputs[0]);
  }
  bool operator()(const Concatenation&) const {
    for (const std::int32_t input : op.inputs) {
      if (rescales(input)) {
        return true;
      }
    }
    return false;
  }
  // Sums of what the host adds up round as they do anyway.
  bool operator()(const HostOperator& host) const { return host.kind == HostKind::BatchMatMul; }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

const Tensor& input_of(const Network& network, const Operator& op, std::size_t i) {
  return network.tensors[static_cast<std::size_t>(op.inputs[i])];
}

// Of weights of 4 bits XNNPACK has fully connected layers alone, of even rows. LiteRT's own kernels
// round the others twice, or by the place in a vector.
bool is_by_packed_weights(const Network& network, const Operator& op) {
  if (op.inputs.size() < 2 || op.inputs[1] < 0 || input_of(network, op, 1).form.bits == 8) {
    return false;
  }
  const bool has_even_rows = input_of(network, op, 1).shape.back() % 2 == 0;
  return !std::holds_alternative<FullyConnected>(op.attributes) || !has_even_rows;
}

/// What LiteRT leaves to its own kernels rounds as those do.
Rounding xnnpack_rounding(const Network& network, const Operator& op) {
  const Tensor& out = network.tensors[static_cast<std::size_t>(op.output)];
  const auto* binary = std::get_if<Binary>(&op.attributes);
  if (binary != nullptr && binary->kind != BinaryKind::Mul) {
    // One sum of products with whole factors of 21 bits, shifted.
    return adds_in_whole_scales(input_of(network, op, 0).quantisation,
                                input_of(network, op, 1).quantisation, out.quantisation)
               ? Rounding::HalfUp
               : Rounding::Twice;
  }
  if (const auto* conv = std::get_if<TransposeConv2d>(&op.attributes); conv != nullptr) {
    // With padding SAME outputs between the kernels' places are not the delegate's, and the
    // optimised kernel rounds them in one way or another, by their place in a vector.
    const Tensor& in = input_of(network, op, 0);
    const Tensor& kernel = input_of(network, op, 1);
    const bool leaves_gaps =
        (kernel.shape[1] < conv->stride_h || kernel.shape[2] < conv->stride_w) &&
        in.shape[1] * conv->stride_h == out.shape[1] &&
        in.shape[2] * conv->stride_w == out.shape[2];
    return leaves_gaps ? Rounding::Twice : Rounding::HalfEven;
  }
  if (binary != nullptr) {
    const float factor = input_of(network, op, 0).quantisation.scales[0] *
                         input_of(network, op, 1).quantisation.scales[0] /
                         out.quantisation.scales[0];
    return factor >= 0x1p-16F && factor < 0x1p8F ? Rounding::HalfEven : Rounding::Twice;
  }
  const auto* host = std::get_if<HostOperator>(&op.attributes);
  if (is_by_packed_weights(network, op)) {
    return Rounding::Twice;
  }
  const bool is_delegated = std::holds_alternative<Conv2d>(op.attributes) ||
                            std::holds_alternative<DepthwiseConv2d>(op.attributes) ||
                            std::holds_alternative<FullyConnected>(op.attributes) ||
                            std::holds_alternative<Mean>(op.attributes) ||
                            (host != nullptr && host->kind == HostKind::ReduceMean) ||
                            (host != nullptr && host->kind == HostKind::BatchMatMul &&
                             input_of(network, op, 1).quantisation.zero_point == 0);
  return is_delegated ? Rounding::HalfEven : Rounding::Twice;
}

// Sums of bytes that the host takes into another scale.
bool rescales_on_host(const Operator& op) {
  const auto* host = std::get_if<HostOperator>(&op.attributes);
  return host != nullptr && (host->kind == HostKind::BatchMatMul ||
                             host->kind == HostKind::ReduceMean || host->kind == HostKind::Sum);
}

// Whose sums are of 64 bits: by constant weights, or as a product by computed ones.
bool is_fully_connected(const Operator& op) {
  const auto* host = std::get_if<HostOperator>(&op.attributes);
  return std::holds_alternative<FullyConnected>(op.attributes) ||
         (host != nullptr && host->kind == HostKind::BatchMatMul && host->integers.size() == 3);
}

Rounding rounding_of(Numerics numerics, const Network& network, const Operator& op) {
  const Tensor& out = network.tensors[static_cast<std::size_t>(op.output)];
  if (out.type != DataType::Int8) {
    return Rounding::Twice;
  }
  switch (numerics) {
    case Numerics::Auto:
    case Numerics::Tflm:
      // gemmlowp's MultiplyByQuantizedMultiplier, everywhere.
      return Rounding::Twice;
    case Numerics::Litert:
      // The same, but for the integer kernels of FULLY_CONNECTED, whose sums are of 64 bits.
      return is_fully_connected(op) ? Rounding::HalfUp : Rounding::Twice;
    case Numerics::Xnnpack:
      return xnnpack_rounding(network, op);
    case Numerics::OnnxRuntime:
    case Numerics::OnnxRuntimeFused:
      // QuantizeLinear rounds halves to even, and nothing before it rounds.
      return std::visit(HasFactor{network, op}, op.attributes) || rescales_on_host(op)
                 ? Rounding::HalfEven
                 : Rounding::Twice;
  }
  return Rounding::Twice;
}

// x * slope in the output's steps, the slope a whole number of 1/256: XNNPACK's conversions and
// leaky rectifiers. Slopes that these cannot have are multiplied in float.
class Slopes {
 public:
  Slopes(const Tensor& in, const Tensor& out, float below)
      : zero_in_(in.quantisation.zero_point),
        zero_out_(out.quantisation.zero_point),
        above_(in.quantisation.scales[0] / out.quantisation.scales[0]),
        below_(above_ * below) {}

  [[nodiscard]] bool are_whole() const { return is_whole(above_) && is_whole(std::fabs(below_)); }

  [[nodiscard]] std::vector<std::int8_t> table() const {
    std::vector<std::int8_t> table;
    for (std::int32_t x = -128; x <= 127; ++x) {
      const std::int32_t distance = x - zero_in_;
      const auto factor =
          static_cast<std::int32_t>(std::nearbyint(256.0F * (distance < 0 ? below_ : above_)));
      const std::int32_t y = ((distance * factor + 128) >> 8) + zero_out_;
      table.push_back(static_cast<std::int8_t>(std::clamp(y, -128, 127)));
    }
    return table;
  }

 private:
  static bool is_whole(float slope) { return slope >= 0x1p-8F && slope <= 0x1p7F; }

  std::int32_t zero_in_, zero_out_;
  float above_, below_;
};

// RELU and LEAKY_RELU into another scale: the quotient of the scales in single or in double
// precision.
std::vector<std::int8_t> rectified(const Unary& unary, const Quantisation& in,
                                   const Quantisation& out, bool single) {
  const bool leaks = unary.kind == UnaryKind::LeakyRelu;
  const float slope = leaks ? unary.alpha : 0.0F;
  const float quotient = in.scales[0] / out.scales[0];
  const double wide = static_cast<double>(in.scales[0]) / static_cast<double>(out.scales[0]);
  const FixedPoint above = fixed_point(single ? static_cast<double>(quotient) : wide);
  const FixedPoint below =
      fixed_point(single ? static_cast<double>(in.scales[0] * slope / out.scales[0])
                         : static_cast<double>(in.scales[0]) * static_cast<double>(slope) /
                               static_cast<double>(out.scales[0]));
  std::vector<std::int8_t> table;
  for (std::int32_t x = -128; x <= 127; ++x) {
    const std::int32_t distance = x - in.zero_point;
    const std::int32_t y = requantise(distance, distance < 0 ? below : above, out.zero_point);
    table.push_back(static_cast<std::int8_t>(std::clamp(y, -128, 127)));
  }
  return table;
}

// Micro divides the scales in double precision, LiteRT in single; hardly a byte notices.
void use_micro_functions(Network& network) {
  for (Operator& op : network.operators) {
    if (auto* host = std::get_if<HostOperator>(&op.attributes);
        host != nullptr && host->kind == HostKind::Prelu) {
      host->integers = {1};
    }
    auto* unary = std::get_if<Unary>(&op.attributes);
    if (unary == nullptr ||
        (unary->kind != UnaryKind::Relu && unary->kind != UnaryKind::LeakyRelu)) {
      continue;
    }
    const Quantisation& in = input_of(network, op, 0).quantisation;
    const Quantisation& out = network.tensors[static_cast<std::size_t>(op.output)].quantisation;
    if (in.scales.size() != 1 || out.scales.size() != 1) {
      continue;
    }
    std::vector<std::int8_t> table = rectified(*unary, in, out, false);
    if (table != rectified(*unary, in, out, true)) {
      *unary = Unary{UnaryKind::Lookup, 0.0F, std::move(table), false};
    }
  }
}

// LOGISTIC and TANH: in Micro fixed point, in LiteRT tables of the functions in single precision.
void use_litert_functions(Network& network) {
  for (Operator& op : network.operators) {
    auto* unary = std::get_if<Unary>(&op.attributes);
    const Tensor& out = network.tensors[static_cast<std::size_t>(op.output)];
    if (unary == nullptr ||
        (unary->kind != UnaryKind::Logistic && unary->kind != UnaryKind::Tanh)) {
      continue;
    }
    const Quantisation& in = input_of(network, op, 0).quantisation;
    const float inverse = 1.0F / out.quantisation.scales[0];
    const bool is_tanh = unary->kind == UnaryKind::Tanh;
    std::vector<std::int8_t> table;
    for (std::int32_t x = -128; x <= 127; ++x) {
      const float real = in.scales[0] * static_cast<float>(x - in.zero_point);
      const float y = is_tanh ? std::tanh(real) : 1.0F / (1.0F + std::exp(-real));
      const float steps = std::round(y * inverse) + static_cast<float>(out.quantisation.zero_point);
      table.push_back(static_cast<std::int8_t>(std::clamp(steps, -128.0F, 127.0F)));
    }
    *unary = Unary{UnaryKind::Lookup, 0.0F, std::move(table), false};
  }
}

// XNNPACK's means round with the zero point added: to even, whatever its parity. Where the zero
// point is odd and a sum can lie on a half, that is the host's.
void use_xnnpack_means(Network& network, Operator& op) {
  const Tensor& in = input_of(network, op, 0);
  const Tensor& out = network.tensors[static_cast<std::size_t>(op.output)];
  if (auto* host = std::get_if<HostOperator>(&op.attributes);
      host != nullptr && host->kind == HostKind::ReduceMean && in.type == DataType::Int8) {
    host->numbers = {1};
    return;
  }
  const auto* mean = std::get_if<Mean>(&op.attributes);
  if (mean == nullptr || out.quantisation.zero_point % 2 == 0) {
    return;
  }
  const std::int64_t count = extents_of(*mean, in.shape).count;
  int exponent = 0;
  const float mantissa = std::frexp(
      in.quantisation.scales[0] / out.quantisation.scales[0] * (1.0F / static_cast<float>(count)),
      &exponent);
  auto whole = static_cast<std::int32_t>(std::ldexp(mantissa, 24));
  int below = 24 - exponent;  // the factor is whole x 2^-below
  while (whole != 0 && whole % 2 == 0) {
    whole /= 2;
    --below;
  }
  if (below < 1 || below > 32 || (std::int64_t{1} << (below - 1)) > 255 * count) {
    return;
  }
  HostOperator host{HostKind::ReduceMean, {}, {1}};
  for (std::int32_t a = 0; a < mean->axes; ++a) {
    host.integers.push_back(mean->first_axis + a);
  }
  op.attributes = std::move(host);
}

void use_xnnpack_functions(Network& network) {
  constexpr std::int32_t kElevenBits = 2;
  for (Operator& op : network.operators) {
    if (auto* host = std::get_if<HostOperator>(&op.attributes);
        host != nullptr && host->kind == HostKind::Sum &&
        network.tensors[static_cast<std::size_t>(op.output)].type == DataType::Int8) {
      host->numbers = {3};
    }
    if (auto* host = std::get_if<HostOperator>(&op.attributes);
        host != nullptr && host->kind == HostKind::LogSoftmax) {
      host->integers = {
          network.tensors[static_cast<std::size_t>(op.inputs[0])].form.is_unsigned ? 2 : 1};
    }
    const Tensor& out = network.tensors[static_cast<std::size_t>(op.output)];
    use_xnnpack_means(network, op);
    if (auto* unary = std::get_if<Unary>(&op.attributes); unary != nullptr) {
      const Tensor& in = input_of(network, op, 0);
      if (in.type == DataType::Float32) {
        unary->ties_even = unary->kind == UnaryKind::Quantize;
      } else if (unary->kind == UnaryKind::Quantize || unary->kind == UnaryKind::LeakyRelu) {
        const Slopes slopes(in, out, unary->kind == UnaryKind::Quantize ? 1.0F : unary->alpha);
        if (slopes.are_whole()) {
          *unary = Unary{UnaryKind::Lookup, 0.0F, slopes.table(), false};
        }
      }
    } else if (auto* host = std::get_if<HostOperator>(&op.attributes);
               host != nullptr && host->kind == HostKind::ResizeBilinear &&
               out.type == DataType::Int8) {
      host->integers[2] = kElevenBits;
    }
  }
}

}  // namespace

Rounding rounding_of(const Network& network, const Operator& op) {
  return std::visit(HasFactor{network, op}, op.attributes) ? op.rounding : Rounding::Twice;
}

const std::vector<std::string>& numerics_names() {
  static const std::vector<std::string> names = {"auto",    "tflm",        "litert",
                                                 "xnnpack", "onnxruntime", "onnxruntime_fused"};
  return names;
}

void round_as(Numerics numerics, Network& network) {
  for (Operator& op : network.operators) {
    op.rounding = rounding_of(numerics, network, op);
  }
  if (numerics == Numerics::Xnnpack) {
    use_litert_functions(network);
    use_xnnpack_functions(network);
  } else if (numerics == Numerics::Litert) {
    use_litert_functions(network);
  } else if (numerics == Numerics::Tflm || numerics == Numerics::Auto) {
    use_micro_functions(network);
  }
}

}  // namespace tessera

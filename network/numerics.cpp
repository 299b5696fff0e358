// How each runtime rounds: the one table.
#include "network/numerics.hpp"

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
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

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
      return std::holds_alternative<FullyConnected>(op.attributes) ? Rounding::HalfUp
                                                                   : Rounding::Twice;
    case Numerics::OnnxRuntime:
      // QuantizeLinear rounds halves to even, and nothing before it rounds.
      return std::visit(HasFactor{network, op}, op.attributes) ? Rounding::HalfEven
                                                               : Rounding::Twice;
  }
  return Rounding::Twice;
}

}  // namespace

Rounding rounding_of(const Network& network, const Operator& op) {
  return std::visit(HasFactor{network, op}, op.attributes) ? op.rounding : Rounding::Twice;
}

void round_as(Numerics numerics, Network& network) {
  for (Operator& op : network.operators) {
    op.rounding = rounding_of(numerics, network, op);
  }
}

}  // namespace tessera

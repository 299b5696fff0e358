#include "rom/runtime/operator_code.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::runtime {
namespace {

void write_host(Call& call, const HostOperator& host) {
  switch (host.kind) {
    case HostKind::Select:
    case HostKind::Gather:
    case HostKind::GatherNd:
    case HostKind::Tile:
    case HostKind::BroadcastTo:
    case HostKind::Reverse:
    case HostKind::PadValue:
    case HostKind::MirrorPad:
      return write_host_move(call, host);
    case HostKind::Sum:
    case HostKind::ReduceMax:
    case HostKind::ReduceMin:
    case HostKind::ReduceProd:
    case HostKind::ReduceAny:
    case HostKind::ReduceAll:
    case HostKind::ReduceMean:
    case HostKind::ArgMax:
    case HostKind::ArgMin:
      return write_host_reduction(call, host);
    case HostKind::L2Normalization:
    case HostKind::BatchMatMul:
    case HostKind::SoftmaxFloat:
    case HostKind::LogSoftmax:
    case HostKind::LayerNormalization:
      return write_host_rows(call, host);
    case HostKind::ResizeBilinear:
    case HostKind::AveragePool:
    case HostKind::MaxPool:
    case HostKind::DetectionPostProcess:
      return write_host_picture(call, host);
    case HostKind::Conv2d:
    case HostKind::DepthwiseConv2d:
    case HostKind::FullyConnected:
      return write_host_weighted(call, host);
    case HostKind::Add:
    case HostKind::Sub:
    case HostKind::Mul:
    case HostKind::Div:
    case HostKind::FloorDiv:
    case HostKind::FloorMod:
    case HostKind::Pow:
    case HostKind::SquaredDifference:
    case HostKind::Minimum:
    case HostKind::Maximum:
    case HostKind::Equal:
    case HostKind::NotEqual:
    case HostKind::Greater:
    case HostKind::GreaterEqual:
    case HostKind::Less:
    case HostKind::LessEqual:
    case HostKind::LogicalAnd:
    case HostKind::LogicalOr:
    case HostKind::Prelu:
      return write_host_pair(call, host);
    case HostKind::Abs:
    case HostKind::Neg:
    case HostKind::Sign:
    case HostKind::Sqrt:
    case HostKind::Rsqrt:
    case HostKind::Exp:
    case HostKind::Log:
    case HostKind::Square:
    case HostKind::Sin:
    case HostKind::Cos:
    case HostKind::Floor:
    case HostKind::Ceil:
    case HostKind::Round:
    case HostKind::Elu:
    case HostKind::Erf:
    case HostKind::Gelu:
    case HostKind::Logistic:
    case HostKind::Tanh:
    case HostKind::HardSwish:
    case HostKind::LeakyRelu:
    case HostKind::Clip:
    case HostKind::LogicalNot:
    case HostKind::Cast:
      return write_host_single(call, host);
  }
}

struct Writer {
  Call& call;
  const Attributes& attributes;

  void operator()(const Conv2d&) const { write_weighted(call, attributes); }
  void operator()(const DepthwiseConv2d&) const { write_weighted(call, attributes); }
  void operator()(const TransposeConv2d&) const { write_weighted(call, attributes); }
  void operator()(const FullyConnected&) const { write_weighted(call, attributes); }
  void operator()(const Binary& op) const { write_binary(call, op); }
  void operator()(const Unary& op) const { write_unary(call, op); }
  void operator()(const Pool2d& op) const { write_pool(call, op); }
  void operator()(const Mean& op) const { write_mean(call, op); }
  void operator()(const Reshape&) const { write_move(call, attributes); }
  void operator()(const Transpose&) const { write_move(call, attributes); }
  void operator()(const StridedSlice&) const { write_move(call, attributes); }
  void operator()(const ResizeNearest&) const { write_move(call, attributes); }
  void operator()(const Softmax& op) const { write_softmax(call, op); }
  void operator()(const Pad&) const { write_move(call, attributes); }
  void operator()(const Concatenation&) const { write_move(call, attributes); }
  void operator()(const Dequantize&) const { write_dequantise(call); }
  void operator()(const HostOperator& op) const { write_host(call, op); }
};

// Kernels count bytes in 32 bits.
void check_sizes(const Call& call) {
  const auto check = [](const Tensor& tensor) {
    if (tensor.bytes() > INT32_MAX) {
      throw NoKernel(fmt::format("tensor `{}` has more than 2^31 bytes", tensor.name));
    }
  };
  for (std::size_t i = 0; i < call.inputs(); ++i) {
    if (call.has(i)) {
      check(call.in(i));
    }
  }
  check(call.out());
}

}  // namespace

OperatorCode code_of(const Network& network, const Operator& op, const Places& places,
                     CText& text) {
  Call call(network, op, places, text);
  OperatorCode code;
  try {
    check_sizes(call);
    if (call.out().elements() > 0) {
      std::visit(Writer{call, op.attributes}, op.attributes);
    }
  } catch (const NoKernel& none) {
    code.missing = none.what();
    return code;
  }
  code.statements = call.statements();
  code.can_fail = call.can_fail();
  code.found = call.leaves();
  return code;
}

bool find_the_same(const Operator& first, const Operator& second) {
  const auto* a = std::get_if<HostOperator>(&first.attributes);
  const auto* b = std::get_if<HostOperator>(&second.attributes);
  return a != nullptr && b != nullptr && a->kind == HostKind::DetectionPostProcess &&
         b->kind == a->kind && a->numbers == b->numbers &&
         std::equal(a->integers.begin() + 1, a->integers.end(), b->integers.begin() + 1,
                    b->integers.end());
}

bool works_in_place(const Network& network, const Operator& op, std::size_t input) {
  const Tensor& in = network.tensors[static_cast<std::size_t>(op.inputs[input])];
  const Tensor& out = network.tensors[static_cast<std::size_t>(op.output)];
  const bool alike = in.shape == out.shape && size_of(in.type) == size_of(out.type);
  if (const auto* host = std::get_if<HostOperator>(&op.attributes)) {
    switch (host->kind) {
      case HostKind::ArgMax:
      case HostKind::ArgMin: {
        // A row is read before its index is written, and is not shorter.
        const MeanExtents extents = extents_of({host->integers[0], 1}, in.shape);
        const auto row = static_cast<std::uint64_t>(extents.count) * size_of(in.type);
        return extents.inner == 1 && row >= size_of(out.type);
      }
      case HostKind::SoftmaxFloat:
      case HostKind::LogSoftmax:
      case HostKind::L2Normalization:
      case HostKind::LayerNormalization:
        return alike && input == 0;
      default:
        return alike && host->kind <= HostKind::LogicalNot;
    }
  }
  return (alike && (std::holds_alternative<Unary>(op.attributes) ||
                    std::holds_alternative<Binary>(op.attributes) ||
                    std::holds_alternative<Softmax>(op.attributes))) ||
         std::holds_alternative<Reshape>(op.attributes);
}

}  // namespace tessera::runtime

#include "tessera/host_cost.hpp"

#include <algorithm>
#include <cmath>

#include "network/host_kinds.hpp"

namespace tessera {
namespace {

struct OperationCounter {
  const Network& network;
  const Operator& op;

  [[nodiscard]] const Tensor& tensor(std::int32_t index) const {
    return network.tensors[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::uint64_t inputs() const {
    return static_cast<std::uint64_t>(tensor(op.inputs[0]).elements());
  }
  [[nodiscard]] std::uint64_t outputs() const {
    return static_cast<std::uint64_t>(tensor(op.output).elements());
  }

  std::uint64_t operator()(const Conv2d&) const { return macs_of(network, op); }
  std::uint64_t operator()(const DepthwiseConv2d&) const { return macs_of(network, op); }
  std::uint64_t operator()(const TransposeConv2d&) const { return macs_of(network, op); }
  std::uint64_t operator()(const FullyConnected&) const { return macs_of(network, op); }
  // Two or three requantisations of about four operations each, or one.
  std::uint64_t operator()(const Binary& binary) const {
    return outputs() * (binary.kind == BinaryKind::Mul ? 6 : 12);
  }
  std::uint64_t operator()(const Unary& unary) const {
    return outputs() * (unary.kind == UnaryKind::Lookup ? 1 : 4);
  }
  std::uint64_t operator()(const Pool2d& pool) const {
    return outputs() * static_cast<std::uint64_t>(pool.filter_h) *
           static_cast<std::uint64_t>(pool.filter_w);
  }
  std::uint64_t operator()(const Mean&) const { return inputs(); }
  std::uint64_t operator()(const Reshape&) const { return 0; }
  std::uint64_t operator()(const Transpose&) const { return outputs(); }
  std::uint64_t operator()(const StridedSlice&) const { return outputs(); }
  std::uint64_t operator()(const ResizeNearest&) const { return outputs(); }
  // Two exponentials of about 20 in fixed point and a product for each.
  std::uint64_t operator()(const Softmax&) const { return outputs() * 45; }
  std::uint64_t operator()(const Pad&) const { return outputs(); }
  std::uint64_t operator()(const Concatenation&) const { return outputs(); }
  std::uint64_t operator()(const Dequantize&) const { return outputs() * 2; }
  std::uint64_t operator()(const HostOperator& host) const {
    const HostRule& rule = rule_of(host.kind);
    if (host.kind == HostKind::BatchMatMul) {
      const std::vector<std::int32_t>& a = tensor(op.inputs[0]).shape;
      return outputs() *
             static_cast<std::uint64_t>(host.integers[0] != 0 ? a[a.size() - 2] : a.back());
    }
    if (host.kind == HostKind::AveragePool || host.kind == HostKind::MaxPool) {
      return outputs() * static_cast<std::uint64_t>(host.integers[0]) *
             static_cast<std::uint64_t>(host.integers[1]);
    }
    if (host.kind == HostKind::Conv2d || host.kind == HostKind::FullyConnected) {
      const Tensor& kernel = tensor(op.inputs[1]);
      return outputs() *
             static_cast<std::uint64_t>(kernel.elements() / std::max(kernel.shape[0], 1));
    }
    if (host.kind == HostKind::DepthwiseConv2d) {
      const std::vector<std::int32_t>& kernel = tensor(op.inputs[1]).shape;
      return outputs() * static_cast<std::uint64_t>(kernel[1]) *
             static_cast<std::uint64_t>(kernel[2]);
    }
    if (host.kind == HostKind::DetectionPostProcess) {
      return detections(host);
    }
    const bool by_input = rule.shape == HostShape::Reduced || host.kind == HostKind::ArgMax ||
                          host.kind == HostKind::ArgMin;
    return (by_input ? inputs() : outputs()) * rule.operations;
  }

  // All four outputs come from one pass over the anchors: decoding, the best class of each, and
  // every box that is kept against all others.
  [[nodiscard]] std::uint64_t detections(const HostOperator& host) const {
    if (host.integers[0] != 0) {
      return 0;
    }
    const auto anchors = static_cast<std::uint64_t>(tensor(op.inputs[0]).shape[1]);
    const auto classes = static_cast<std::uint64_t>(host.integers[5]);
    return anchors * (60 + 2 * classes + 12 * static_cast<std::uint64_t>(host.integers[1]));
  }
};

}  // namespace

HostWork host_work(const Network& network, const Operator& op) {
  HostWork work;
  work.operations = std::visit(OperationCounter{network, op}, op.attributes);
  for (const std::int32_t input : op.inputs) {
    work.bytes += input < 0 ? 0 : network.tensors[static_cast<std::size_t>(input)].bytes();
  }
  work.bytes += network.tensors[static_cast<std::size_t>(op.output)].bytes();
  return work;
}

std::uint64_t host_cycles(const HostProcessor& host, const HostWork& work) {
  if (!host.counts()) {
    return 0;
  }
  const double cycles = static_cast<double>(work.operations) * host.cycles_per_operation +
                        static_cast<double>(work.bytes) * host.cycles_per_byte;
  return static_cast<std::uint64_t>(std::ceil(cycles * host.accelerator_mhz / host.mhz));
}

}  // namespace tessera

#include "network/reference/host_kernels.hpp"

namespace tessera::reference {

void host(const HostOperator& host, const Operands& x) {
  switch (host.kind) {
    case HostKind::Cast:
      return host_cast(x);
    case HostKind::Select:
      return host_select(x);
    case HostKind::ArgMax:
    case HostKind::ArgMin:
      return host_arg(host, x);
    case HostKind::Gather:
    case HostKind::GatherNd:
    case HostKind::Tile:
    case HostKind::BroadcastTo:
    case HostKind::Reverse:
    case HostKind::PadValue:
    case HostKind::MirrorPad:
      return host_move(host, x);
    case HostKind::L2Normalization:
      return host_l2_normalisation(host, x);
    case HostKind::BatchMatMul:
      return host_batch_matmul(x);
    case HostKind::ResizeBilinear:
      return host_resize_bilinear(host, x);
    case HostKind::AveragePool:
    case HostKind::MaxPool:
      return host_pool(host, x);
    case HostKind::SoftmaxFloat:
      return host_softmax(host, x);
    case HostKind::LogSoftmax:
      return host_log_softmax(host, x);
    case HostKind::LayerNormalization:
      return host_layer_normalisation(host, x);
    case HostKind::Conv2d:
    case HostKind::DepthwiseConv2d:
    case HostKind::FullyConnected:
      return host_weighted(host, x);
    case HostKind::DetectionPostProcess:
      return host_detections(host, x);
    case HostKind::Sum:
    case HostKind::ReduceMax:
    case HostKind::ReduceMin:
    case HostKind::ReduceProd:
    case HostKind::ReduceAny:
    case HostKind::ReduceAll:
    case HostKind::ReduceMean:
      return host_reduce(host, x);
    default:
      return host.kind <= HostKind::Prelu ? host_pair(host, x) : host_single(host, x);
  }
}

}  // namespace tessera::reference

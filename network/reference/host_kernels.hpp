// Kernels of the operators that only the host has. On int8 they are TensorFlow Lite's, bit by bit.
#pragma once

#include "network/reference/reference_kernels.hpp"

namespace tessera::reference {

void host_pair(const HostOperator& host, const Operands& x);    ///< two values
void host_single(const HostOperator& host, const Operands& x);  ///< one value
void host_cast(const Operands& x);
void host_select(const Operands& x);
void host_reduce(const HostOperator& host, const Operands& x);
void host_arg(const HostOperator& host, const Operands& x);
void host_move(const HostOperator& host, const Operands& x);  ///< gather, tile, pad, ...
void host_resize_bilinear(const HostOperator& host, const Operands& x);
void host_pool(const HostOperator& host, const Operands& x);
void host_l2_normalisation(const HostOperator& host, const Operands& x);
void host_batch_matmul(const HostOperator& host, const Operands& x);
void host_softmax(const HostOperator& host, const Operands& x);  ///< of floats
void host_weighted(const HostOperator& host, const Operands& x);
void host_log_softmax(const HostOperator& host, const Operands& x);
/// Boxes from a detector's raw outputs: decoded at the anchors, the overlapping ones removed.
void host_detections(const HostOperator& host, const Operands& x);

}  // namespace tessera::reference

#include "sim/npu/npu_state.hpp"

namespace tessera::npu {

Memories::Memories(const Hardware& hardware)
    : hw(hardware),
      cbuf_limit(hardware.cbuf_end()),
      cbuf(hardware.cbuf_capacity),
      sums(std::size_t{hardware.acc_words} * hardware.atomic_k),
      parameters(std::size_t{hardware.param_groups} * hardware.atomic_k),
      operands(std::size_t{hardware.acc_words} * hardware.atomic_k) {}

}  // namespace tessera::npu

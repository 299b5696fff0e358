#include "sim/npu/memories.hpp"

namespace tessera::npu {

Memories::Memories(const Hardware& hardware)
    : hw(hardware),
      cbuf_limit(hardware.cbuf_atoms()),
      cbuf(hardware.cbuf_capacity),
      sums(std::size_t{hardware.acc_words} * hardware.atomic_k),
      parameters(std::size_t{hardware.param_groups} * hardware.atomic_k),
      operands(hardware.atomic_c == hardware.atomic_k
                   ? std::size_t{hardware.acc_words} * hardware.atomic_k
                   : 0) {}

}  // namespace tessera::npu

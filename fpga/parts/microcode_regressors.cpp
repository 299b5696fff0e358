// Lookup tables and flip-flops of an accelerator with microcode, module by module.
#include "fpga/parts/memories.hpp"
#include "fpga/parts/module_regressors.hpp"

namespace tessera::fpga {

std::vector<ModuleTerms> microcode_terms(const Hardware& hw) {
  const double c = hw.atomic_c;
  const double k = hw.atomic_k;
  const double bus = hw.bus_bytes;
  const MicrocodeMemories memories = microcode_memories(hw);
  const auto rows = [](const Memory& memory) {
    return static_cast<double>(cells_of(memory, MemoryTechnology::Blocks4Kbit).multiplexed);
  };
  return {{"u_runner/u_words", {1, k, c * k, rows(memories.accumulators)}},
          {"u_runner", {1, c, k, c * k}},
          {"u_core/u_data", {1, rows(memories.data)}},
          {"u_core", {1, rows(memories.data)}},
          {"u_cbuf", {1, c, rows(memories.cbuf)}},
          {"u_reader", {1, bus}},
          {"u_writer", {1, bus}},
          {"u_filler", {1, c}},
          {"", {1, bus, c, k}}};
}

}  // namespace tessera::fpga

// The accelerator's AXI4 master pins on one side, a port of the external memory on the other.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/rtl/axi_rules.hpp"
#include "sim/verilated/ports.hpp"
#include "timing/memory/memory_port.hpp"

namespace tessera {

class AxiPort {
 public:
  AxiPort(timing::MemoryPort& memory, std::uint32_t bus_bytes)
      : memory_(memory), bus_bytes_(bus_bytes), rules_(bus_bytes) {}

  /// One cycle: looks at the accelerator's outputs, sets its inputs for the coming edge and takes
  /// what that edge hands over.
  void cycle(rtl::Ports& ports, timing::Cycle now);
  [[nodiscard]] const AxiRules& rules() const { return rules_; }

 private:
  [[nodiscard]] timing::Burst burst_of(std::uint64_t address, std::uint32_t beats) const;

  timing::MemoryPort& memory_;
  std::uint32_t bus_bytes_;
  AxiRules rules_;
  std::deque<std::vector<std::uint8_t>> reads_[2];  ///< data of bursts under way, by ID
};

}  // namespace tessera

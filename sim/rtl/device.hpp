// A Verilated accelerator with memory on its bus and a host on its registers, without a platform.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/memory/external_memory.hpp"
#include "sim/rtl/core.hpp"
#include "tessera/engine.hpp"

namespace tessera::rtl {

class Device {
 public:
  using Access = Core::Access;
  using Mark = Core::Mark;

  /// `memory` is the external memory, from the address `base` on; it must live as long as the
  /// device.
  Device(const std::string& library, const Hardware& hardware, std::vector<std::uint8_t>& memory,
         const ExternalMemory& timing, const MemoryDisturbance& disturbance = {},
         std::uint64_t base = 0);

  Access write_register(std::uint32_t offset, std::uint32_t value, std::uint8_t strobe = 0xF,
                        int patience = 0) {
    return core_.write_register(offset, value, strobe, patience);
  }
  Access read_register(std::uint32_t offset, int patience = 0) {
    return core_.read_register(offset, patience);
  }
  std::vector<std::uint32_t> write_registers(const std::vector<Core::Write>& writes,
                                             int addresses_after, int data_after) {
    return core_.write_registers(writes, addresses_after, data_after);
  }
  std::vector<Access> read_registers(const std::vector<std::uint32_t>& offsets, int patience) {
    return core_.read_registers(offsets, patience);
  }

  /// Programs the registers, starts, and returns at the interrupt. `watchdog`: cycles without
  /// progress. Throws EngineError.
  void run(const Slot& stream, std::uint32_t cbuf_limit_atoms, std::uint32_t watchdog,
           const std::function<void(const Mark&)>& on_mark);

  Counters read_counters();
  /// Lets what is on the bus come to its end, then clears done, error and counters. False when the
  /// device stays busy.
  bool clear();
  void cycle() { core_.cycle(); }
  [[nodiscard]] std::uint64_t cycles() const { return core_.cycles(); }
  [[nodiscard]] const AxiRules& bus_rules() const { return core_.bus_rules(); }
  [[nodiscard]] bool interrupt() const { return core_.interrupt(); }

 private:
  [[noreturn]] void fail();

  ExternalMemoryModel memory_;
  Core core_;
};

}  // namespace tessera::rtl

// A Verilated accelerator with memory on its bus and a host on its registers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/axi_port.hpp"
#include "sim/external_memory.hpp"
#include "sim/rtl/ports.hpp"
#include "tessera/engine.hpp"

namespace tessera::rtl {

/// Loads a library that build_variant made.
class Device {
 public:
  /// `memory` is the external memory; it must live as long as the device.
  Device(const std::string& library, const Hardware& hardware, std::vector<std::uint8_t>& memory,
         const ExternalMemory& timing, const MemoryDisturbance& disturbance = {},
         const std::string& waves = "");
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  Device(Device&&) = delete;
  Device& operator=(Device&&) = delete;

  struct Access {
    std::uint32_t data = 0;
    std::uint32_t response = 0;  ///< 0: OKAY, 2: SLVERR
  };
  Access write_register(std::uint32_t offset, std::uint32_t value);
  Access read_register(std::uint32_t offset);

  struct Mark {
    unsigned unit = 0;  ///< 0: load, 1: compute, 2: store
    std::uint32_t layer = 0;
    Counters counters{};
  };
  /// Programs the registers, starts, and returns at the interrupt. `watchdog`: cycles without
  /// progress; `tick`: called every 2^16 cycles. Throws EngineError.
  void run(const Slot& stream, std::uint32_t cbuf_limit_atoms, std::uint32_t watchdog,
           const std::function<void(const Mark&)>& on_mark, const std::function<void()>& tick = {});

  Counters read_counters();
  /// Lets what is on the bus come to its end, then clears done, error and counters. False when the
  /// device stays busy.
  bool clear();
  void cycle();
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
  [[nodiscard]] const AxiRules& bus_rules() const { return axi_.rules(); }
  /// Is told of all traffic from now on; may be null.
  void watch(MemoryChecker* checker) { memory_.watch(checker); }
  [[nodiscard]] bool interrupt() const { return ports_.irq != 0; }

 private:
  [[noreturn]] void fail();

  void* library_ = nullptr;
  void* model_ = nullptr;
  StepModel step_ = nullptr;
  DestroyModel destroy_ = nullptr;
  Ports ports_;
  ExternalMemoryModel memory_;
  AxiPort axi_;
  std::uint64_t cycles_ = 0;
};

}  // namespace tessera::rtl

// A Verilated accelerator, cycle by cycle.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/rtl/axi_port.hpp"
#include "sim/rtl/verilated_model.hpp"
#include "sim/verilated/ports.hpp"
#include "tessera/engine.hpp"

namespace tessera::rtl {

/// Loads a library that build_variant made; its master's pins are a port of the memory.
class Core {
 public:
  /// Leaves it just out of reset. `waves`: FST file, or "".
  Core(const std::string& library, const Hardware& hardware, timing::MemoryPort& memory,
       const std::string& waves = "");

  struct Access {
    std::uint32_t data = 0;
    std::uint32_t response = 0;  ///< 0: OKAY, 2: SLVERR
  };
  /// Both take as many cycles as the bus needs. `strobe`: bytes that are written, a bit each;
  /// `patience`: cycles that an answer lies there before it is taken.
  Access write_register(std::uint32_t offset, std::uint32_t value, std::uint8_t strobe = 0xF,
                        int patience = 0);
  Access read_register(std::uint32_t offset, int patience = 0);

  struct Write {
    std::uint32_t offset = 0;
    std::uint32_t value = 0;
  };
  /// As a bus does that does not wait for answers: addresses follow each other from cycle
  /// `addresses_after` on, data from `data_after` on. Responses in their order.
  std::vector<std::uint32_t> write_registers(const std::vector<Write>& writes, int addresses_after,
                                             int data_after);
  /// Addresses follow each other; each answer lies there for `patience` cycles.
  std::vector<Access> read_registers(const std::vector<std::uint32_t>& offsets, int patience);

  struct Mark {
    unsigned unit = 0;  ///< 0: load, 1: compute, 2: store
    std::uint32_t layer = 0;
    Counters counters{};
  };
  void cycle();
  /// Marks of the last cycle.
  void marks(const std::function<void(const Mark&)>& on_mark) const;
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }
  [[nodiscard]] const AxiRules& bus_rules() const { return axi_.rules(); }
  [[nodiscard]] bool interrupt() const { return ports_.irq != 0; }

 private:
  VerilatedModel model_;
  StepModel step_;
  Ports ports_;
  AxiPort axi_;
  std::uint64_t cycles_ = 0;
};

}  // namespace tessera::rtl

// The hardware that boots from a ROM, from the files that were written, under Verilator.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/rtl/verilated_model.hpp"
#include "sim/verilated/system_ports.hpp"
#include "tessera/generated/command_set.hpp"
#include "tessera/hardware.hpp"

namespace tessera::rom {

/// What the boot front end reports beside the accelerator's errors, as rtl/boot/boot_pkg.sv has it.
enum class BootError : std::uint8_t {
  Header = 0xF1,
  Checksum = 0xF2,
  Hardware = 0xF3,
  Register = 0xF4
};

class System {
 public:
  /// Builds it from tessera_system.sv and tessera_rom.sv in `folder`; the ROM holds what
  /// tessera_rom.hex has. Throws MissingTool, InputError when a file is missing.
  System(const std::string& folder, const Hardware& hardware,
         const std::function<void(const std::string&)>& announce);

  /// Activations, from the begin of the arena; while nothing runs.
  void write(std::uint64_t offset, const std::vector<std::uint8_t>& bytes);
  std::vector<std::uint8_t> read(std::uint64_t offset, std::uint64_t bytes);

  /// A start pulse, and cycles until it is done or has failed. `restart`: states begin anew. Throws
  /// std::runtime_error after `most` cycles.
  void start(std::uint64_t most, bool restart = false);
  [[nodiscard]] bool failed() const { return ports_.error != 0; }
  [[nodiscard]] std::uint8_t error_cause() const { return ports_.error_cause; }
  [[nodiscard]] std::uint32_t error_info() const { return ports_.error_info; }
  /// A sentence for them.
  [[nodiscard]] std::string error_text() const;
  [[nodiscard]] std::size_t runs_done() const { return ports_.runs_done; }
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }

 private:
  void step();

  std::uint32_t bus_bytes_;
  rtl::VerilatedModel model_;
  rtl::StepSystem step_;
  rtl::SystemPorts ports_;
  std::uint64_t cycles_ = 0;
};

}  // namespace tessera::rom

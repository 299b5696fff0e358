// The ports of a booting system as plain data: what crosses the border to a Verilated model.
#pragma once

#include <cstdint>

namespace tessera::rtl {

/// Inputs hold for the coming clock edge; outputs are those after the last one.
struct SystemPorts {
  // Inputs.
  std::uint8_t rst_n = 0, start = 0, restart = 0;
  std::uint8_t host_re = 0;
  std::uint64_t host_we = 0;
  std::uint32_t host_address = 0;
  std::uint8_t host_wdata[64] = {};
  // Outputs.
  std::uint8_t busy = 0, done = 0, error = 0, error_cause = 0;
  std::uint16_t runs_done = 0;
  std::uint32_t error_info = 0;
  std::uint8_t host_rdata[64] = {};
};

/// Entry points of a built system.
extern "C" {
using CreateSystem = void* (*)();
using StepSystem = void (*)(void* model, SystemPorts* ports);
}

}  // namespace tessera::rtl

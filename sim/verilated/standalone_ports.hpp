// Button and lights of a simulated board without a host as plain data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tessera::rtl {

struct StandalonePorts {
  // Inputs.
  std::uint8_t pressed = 0;
  std::uint64_t most_cycles = 0;        ///< to go on for
  std::uint8_t mask = 0;                ///< stop as soon as these lights ...
  std::uint8_t wanted = 0;              ///< ... are these; never when the mask is 0
  const std::uint8_t* flash = nullptr;  ///< what its flash holds, where it has one
  std::size_t flash_bytes = 0;
  std::uint32_t flash_at = 0;  ///< byte of the flash where that begins
  // Outputs.
  std::uint64_t cycles = 0;  ///< since the begin
  std::uint8_t leds = 0;
  std::uint8_t broken_rule = 0;  ///< of the flash's, 0: none; stops at once
};

extern "C" {
using CreateStandalone = void* (*)();
using RunStandalone = void (*)(void* model, StandalonePorts* ports);
}

}  // namespace tessera::rtl

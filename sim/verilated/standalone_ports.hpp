// Button and lights of a simulated board without a host as plain data.
#pragma once

#include <cstdint>

namespace tessera::rtl {

struct StandalonePorts {
  // Inputs.
  std::uint8_t pressed = 0;
  std::uint64_t most_cycles = 0;  ///< to go on for
  std::uint8_t mask = 0;          ///< stop as soon as these lights ...
  std::uint8_t wanted = 0;        ///< ... are these; never when the mask is 0
  // Outputs.
  std::uint64_t cycles = 0;  ///< since the begin
  std::uint8_t leds = 0;
};

extern "C" {
using CreateStandalone = void* (*)();
using RunStandalone = void (*)(void* model, StandalonePorts* ports);
}

}  // namespace tessera::rtl

// Dividers of the phase-locked loops that make a board's clock.
#pragma once

#include <cstdint>

namespace tessera::board {

/// Lattice ECP5 (EHXPLLL), feedback from the output.
struct Ecp5Pll {
  std::uint32_t reference = 1;
  std::uint32_t feedback = 1;
  std::uint32_t output = 8;
  double mhz = 0;                ///< that comes out
  std::uint32_t phase = 0;       ///< cycles of the oscillator
  std::uint32_t later = 0;       ///< of the clock that comes later
  std::uint32_t later_fine = 0;  ///< and eighths of a cycle
};

/// Nearest to what is asked for; of equally near ones the oscillator nearest to 600 MHz, with the
/// limits of Lattice's FPGA-TN-02200 (phase detector 3.125 to 400 MHz, oscillator 400 to 800 MHz).
/// Throws InputError when none comes within 1 %.
Ecp5Pll ecp5_pll(double pin_mhz, double mhz, std::uint32_t phase_degrees);

/// Gowin (rPLL), feedback from within.
struct GowinPll {
  std::uint32_t input = 1;  ///< divider of the pin's clock
  std::uint32_t feedback = 1;
  std::uint32_t output = 8;  ///< from the oscillator
  double mhz = 0;
};

/// Nearest to what is asked for; of equally near ones the least divider, with the limits of Gowin's
/// UG286 for the GW2A at C8/I7 (phase detector 3 to 500 MHz, oscillator 500 to 1250 MHz). Throws
/// InputError when none comes within 1 %.
GowinPll gowin_pll(double pin_mhz, double mhz);

}  // namespace tessera::board

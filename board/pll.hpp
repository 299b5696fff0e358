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

/// Lattice iCE40 (SB_PLL40_PAD), feedback from within.
struct Ice40Pll {
  std::uint32_t reference = 1;     ///< divider of the pin's clock: DIVR + 1
  std::uint32_t feedback = 1;      ///< DIVF + 1
  std::uint32_t output_power = 1;  ///< the oscillator's divider is two to that: DIVQ
  std::uint32_t filter_range = 1;  ///< by the phase detector's clock
  double mhz = 0;
};

/// Nearest to what is asked for; of equally near ones the least divider of the pin's clock, with
/// the limits of Lattice's FPGA-TN-02052 (phase detector 10 to 133 MHz, oscillator 533 to 1066
/// MHz). Throws InputError when none comes within 1 %.
Ice40Pll ice40_pll(double pin_mhz, double mhz);

}  // namespace tessera::board

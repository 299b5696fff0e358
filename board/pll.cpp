#include "board/pll.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tessera/error.hpp"

namespace tessera::board {
namespace {

constexpr double kLeastDetector = 3.125;
constexpr double kMostDetector = 400;
constexpr double kLeastOscillator = 400;
constexpr double kMostOscillator = 800;
constexpr double kBestOscillator = 600;
constexpr std::uint32_t kMostReference = 128;
constexpr std::uint32_t kMostFeedback = 80;
constexpr std::uint32_t kMostOutput = 128;
constexpr double kTolerance = 0.01;

}  // namespace

Ecp5Pll ecp5_pll(double pin_mhz, double mhz, std::uint32_t phase_degrees) {
  Ecp5Pll best;
  double best_error = mhz;
  double best_oscillator = 0;
  for (std::uint32_t reference = 1; reference <= kMostReference; ++reference) {
    const double detector = pin_mhz / reference;
    if (detector < kLeastDetector || detector > kMostDetector) {
      continue;
    }
    for (std::uint32_t feedback = 1; feedback <= kMostFeedback; ++feedback) {
      const double out = detector * feedback;
      const double error = std::abs(out - mhz);
      for (std::uint32_t output = 1; output <= kMostOutput; ++output) {
        const double oscillator = out * output;
        if (oscillator < kLeastOscillator || oscillator > kMostOscillator) {
          continue;
        }
        const bool nearer = error < best_error - 1e-9;
        const bool as_near = error < best_error + 1e-9;
        if (nearer || (as_near && std::abs(oscillator - kBestOscillator) <
                                      std::abs(best_oscillator - kBestOscillator))) {
          best = {reference, feedback, output, out, 0, 0, 0};
          best_error = error;
          best_oscillator = oscillator;
        }
      }
    }
  }
  if (best_error > kTolerance * mhz) {
    throw InputError(
        fmt::format("{} MHz: an ECP5's PLL does not make that of {} MHz", mhz, pin_mhz));
  }
  constexpr std::uint32_t kFine = 8;
  const std::uint32_t shift = best.output * kFine * phase_degrees / 360;
  best.phase = best.output / 2;
  best.later = best.phase + shift / kFine;
  best.later_fine = shift % kFine;
  return best;
}

GowinPll gowin_pll(double pin_mhz, double mhz) {
  constexpr std::uint32_t kMostDivider = 64;
  GowinPll best;
  double best_error = mhz;
  for (std::uint32_t input = 1; input <= kMostDivider; ++input) {
    const double detector = pin_mhz / input;
    if (detector < 3 || detector > 500) {
      continue;
    }
    for (std::uint32_t feedback = 1; feedback <= kMostDivider; ++feedback) {
      const double out = detector * feedback;
      for (const std::uint32_t output : {2U, 4U, 8U, 16U, 32U, 48U, 64U, 80U, 96U, 112U, 128U}) {
        const double oscillator = out * output;
        const double error = std::abs(out - mhz);
        if (oscillator >= 500 && oscillator <= 1250 && error < best_error - 1e-9) {
          best = {input, feedback, output, out};
          best_error = error;
        }
      }
    }
  }
  if (best_error > kTolerance * mhz) {
    throw InputError(fmt::format("{} MHz: a Gowin PLL does not make that of {} MHz", mhz, pin_mhz));
  }
  return best;
}

Ice40Pll ice40_pll(double pin_mhz, double mhz) {
  constexpr std::uint32_t kMostReference40 = 16;
  constexpr std::uint32_t kMostFeedback40 = 128;
  constexpr std::uint32_t kMostPower = 6;
  // Upper ends of the ranges that the filter is set to.
  constexpr std::array<double, 6> kFilterRanges = {17, 26, 44, 66, 101, 133};
  Ice40Pll best;
  double best_error = mhz;
  for (std::uint32_t reference = 1; reference <= kMostReference40; ++reference) {
    const double detector = pin_mhz / reference;
    if (detector < 10 || detector > kFilterRanges.back()) {
      continue;
    }
    for (std::uint32_t feedback = 1; feedback <= kMostFeedback40; ++feedback) {
      const double oscillator = detector * feedback;
      for (std::uint32_t power = 1; power <= kMostPower; ++power) {
        const double out = oscillator / (1U << power);
        const double error = std::abs(out - mhz);
        if (oscillator >= 533 && oscillator <= 1066 && error < best_error - 1e-9) {
          const auto* range =
              std::lower_bound(kFilterRanges.begin(), kFilterRanges.end(), detector);
          best = {reference, feedback, power,
                  static_cast<std::uint32_t>(range - kFilterRanges.begin()) + 1, out};
          best_error = error;
        }
      }
    }
  }
  if (best_error > kTolerance * mhz) {
    throw InputError(
        fmt::format("{} MHz: an iCE40's PLL does not make that of {} MHz", mhz, pin_mhz));
  }
  return best;
}

}  // namespace tessera::board

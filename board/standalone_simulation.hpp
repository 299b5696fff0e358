// A board without a host, simulated.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "board/standalone.hpp"
#include "sim/rtl/verilated_model.hpp"
#include "sim/verilated/standalone_ports.hpp"

namespace tessera::board {

/// The very top level that is placed, Verilated: somebody presses its button and looks at its
/// lights.
class SimulatedStandalone {
 public:
  /// Throws MissingTool, InputError.
  SimulatedStandalone(const Board& board, const Standalone& what, double mhz,
                      const std::function<void(const std::string&)>& announce);

  struct Shown {
    std::uint32_t shown = 0;   ///< by the lights below the upper two
    std::uint64_t cycles = 0;  ///< from the press' effect on: sample, run, largest output
    bool failed = false;       ///< `shown` is the cause's upper half
  };
  /// Pressed for 6 ms and released again, when nothing runs. Throws std::runtime_error when it is
  /// still busy after `most` cycles, or breaks a rule of its flash.
  Shown press(std::uint64_t most);
  /// What the lights show after as many cycles, with the button held or not.
  std::uint8_t lights(std::uint64_t cycles, bool pressed = false);

 private:
  SimulatedStandalone(const Board& board, const Hardware& hardware, double mhz,
                      const std::function<void(const std::string&)>& announce,
                      const StandaloneFiles& files);

  std::uint32_t leds_;
  double mhz_;
  rtl::VerilatedModel model_;
  rtl::RunStandalone run_;
  rtl::StandalonePorts ports_;
  std::vector<std::uint8_t> flash_;
};

/// A press for each sample and one more, which takes the first again: what was shown. Throws
/// std::runtime_error when it is not the class that the reference kernels say, the first of the
/// largest outputs. `network` as for make_standalone.
std::vector<SimulatedStandalone::Shown> press_for_each(
    SimulatedStandalone& board, const Standalone& what, const Network& network,
    const std::function<void(const std::string&)>& announce);

}  // namespace tessera::board

// The cases of the soak: the same number is the same case at any time and on any machine.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/rtl/random_hardware.hpp"
#include "tests/rtl/random_layers.hpp"

namespace tessera::test {

inline std::string draw_preset(Engines engines) {
  return engines == Engines::All
             ? one_of<std::string>({"nano", "tiny", "tiny", "small", "small", "medium"})
             : one_of<std::string>({"nano", "tiny", "small", "medium", "large"});
}

/// A network of the operators' recipes on a preset with a part of its buffer.
inline RandomCase draw_on_preset(const std::string& preset) {
  const Hardware hw = hardware_preset(preset);
  const auto atomic = static_cast<int>(hw.atomic_c);
  const int atoms = static_cast<int>(hw.cbuf_atoms()) >> pick(0, 6);
  RandomCase drawn;
  drawn.config =
      draw_config(preset, atoms * atomic,
                  policy_text(one_of<std::string>({"first-fit", "best"}),
                              one_of<std::string>({"cycles", "traffic", "energy"}), yes_no()));
  drawn.network = one_of(recipes()).draw(draw_shape(atomic), atomic);
  return drawn;
}

/// Any network on any hardware, on `asked_for` when it is a preset's name; with the RTL only what
/// is Verilated in any case.
inline RandomCase draw(Engines engines, const std::string& asked_for = "") {
  const std::string preset = asked_for.empty() ? draw_preset(engines) : asked_for;
  switch (pick(0, 5)) {
    case 0:
      return draw_chain(preset);
    case 1:
    case 2:
      return draw_convolution(
          preset,
          one_of<std::string>({"auto", "auto", "direct", "ping-pong", "wait", "split-channels",
                               "split-spatial", "split-both", "least-traffic", "fewest-cycles"}),
          one_of<Kind>({Kind::Convolution, Kind::Convolution, Kind::Depthwise, Kind::AveragePool,
                        Kind::MaximumPool}));
    case 3:
      return draw_on_preset(preset);
    default:
      if (engines == Engines::All || !asked_for.empty()) {
        return draw_on_preset(preset);
      }
      return draw_case(draw_hardware(64 * 64), pick(0, 2) == 0);
  }
}

}  // namespace tessera::test

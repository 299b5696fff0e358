// The hardware and the policies that tests ask for.
#pragma once

#include <cstdint>
#include <string>

#include "tessera/config.hpp"

namespace tessera::test {

/// A preset of which programs may use so many bytes of the cbuf.
inline Hardware hardware_with(const std::string& preset, std::uint64_t cbuf_bytes) {
  Hardware hardware = hardware_preset(preset);
  hardware.cbuf_size = cbuf_bytes;
  return hardware;
}

inline Policy best_for(Objective objective) {
  Policy policy;
  policy.name = PolicyName::Best;
  policy.objective = objective;
  return policy;
}

}  // namespace tessera::test

// A placed design for people and programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fpga/design.hpp"

namespace tessera::fpga {

/// A network on the design.
struct Speed {
  std::string network;
  std::uint64_t cycles = 0;
};

/// Schema "tessera.fpga/1".
std::string to_json(const Design& design, const std::optional<Speed>& speed);

/// Area by module, the critical path by module, the placements.
std::string to_text(const Design& design, const std::optional<Speed>& speed);

}  // namespace tessera::fpga

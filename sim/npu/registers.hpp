// The accelerator's registers, as the host sees them.
#pragma once

#include <cstdint>

#include "tessera/engine.hpp"

namespace tessera::npu {

enum class Response : std::uint8_t { Okay, SlaveError };

struct Registers {
  explicit Registers(const Hardware& hardware);

  Response read(std::uint32_t offset, const Counters& counters, std::uint32_t& value) const;
  /// CONTROL is the caller's: the bits written are in `control`.
  Response write(std::uint32_t offset, std::uint32_t value);

  Hardware hw;
  std::uint32_t control = 0;
  std::uint32_t irq_enable = 0, command_address = 0, command_bytes = 0, watchdog = 0;
  std::uint32_t command_checksum = 0;
  std::uint32_t cbuf_limit;
  bool busy = false, done = false;
  isa::Error error = isa::Error::None;
  std::uint32_t error_info = 0;
};

}  // namespace tessera::npu

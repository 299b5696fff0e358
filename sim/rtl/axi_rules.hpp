// Watches an AXI4 master for broken rules.
#pragma once

#include <cstdint>
#include <deque>

#include "sim/verilated/ports.hpp"

namespace tessera {

/// Looks at every cycle's ports, inputs as driven. Throws std::runtime_error naming the rule: a
/// burst across a 4 KiB border, a request that changes or falls before it is taken, a wrong WLAST,
/// strobes outside the beat, a beat without its address.
class AxiRules {
 public:
  explicit AxiRules(std::uint32_t bus_bytes) : bus_bytes_(bus_bytes) {}
  void check(const rtl::Ports& ports);

  [[nodiscard]] std::uint32_t most_reads_outstanding() const { return most_reads_; }
  [[nodiscard]] std::uint32_t longest_burst() const { return longest_; }

 private:
  struct Request {
    bool valid = false;
    std::uint32_t address = 0;
    std::uint32_t length = 0;
    std::uint32_t id = 0;
  };
  struct Beat {
    bool valid = false;
    bool last = false;
    std::uint64_t strobe = 0;
    std::uint8_t first_byte = 0;
  };
  void check_request(const Request& now, bool ready, Request& held, const char* channel);
  void check_write_data(const rtl::Ports& ports);

  std::uint32_t bus_bytes_;
  Request held_read_, held_write_;
  Beat held_beat_;
  std::deque<std::uint32_t> writes_;  // beats to come, by burst
  std::uint32_t reads_ = 0;
  std::uint32_t most_reads_ = 0;
  std::uint32_t longest_ = 0;
};

}  // namespace tessera

#include "sim/rtl/axi_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace tessera {
namespace {

[[noreturn]] void broken(const std::string& rule) {
  throw std::runtime_error("AXI rule broken: " + rule);
}

}  // namespace

void AxiRules::check_request(const Request& now, bool ready, Request& held, const char* channel) {
  if (held.valid && (!now.valid || now.address != held.address || now.length != held.length ||
                     now.id != held.id)) {
    broken(fmt::format("{} changed before it was taken", channel));
  }
  held = now;
  held.valid = now.valid && !ready;
  if (now.valid && ready) {
    const std::uint64_t first = now.address - now.address % bus_bytes_;
    const std::uint64_t last = first + std::uint64_t{now.length} * bus_bytes_ - 1;
    if (first / 4096 != last / 4096) {
      broken(fmt::format("{} burst at {:#x} of {} beats crosses a 4 KiB border", channel,
                         now.address, now.length));
    }
    longest_ = std::max(longest_, now.length);
  }
}

void AxiRules::check_write_data(const rtl::Ports& ports) {
  const Beat now{ports.m_wvalid != 0, ports.m_wlast != 0, ports.m_wstrb, ports.m_wdata[0]};
  if (held_beat_.valid &&
      (!now.valid || now.last != held_beat_.last || now.strobe != held_beat_.strobe ||
       now.first_byte != held_beat_.first_byte)) {
    broken("W changed before it was taken");
  }
  held_beat_ = now;
  held_beat_.valid = now.valid && ports.m_wready == 0;
  if (now.valid && ports.m_wready != 0) {
    if (writes_.empty()) {
      broken("write data without an address");
    }
    if (now.last != (writes_.front() == 1)) {
      broken(fmt::format("WLAST is {} with {} beats to come", now.last ? 1 : 0, writes_.front()));
    }
    if (bus_bytes_ < 64 && (now.strobe >> bus_bytes_) != 0) {
      broken("strobes outside the beat");
    }
    if (--writes_.front() == 0) {
      writes_.pop_front();
    }
  }
}

void AxiRules::check(const rtl::Ports& ports) {
  // The accelerator promises to take every write response at once; the memory does not hold one.
  if (ports.m_bvalid != 0 && ports.m_bready == 0) {
    broken("a write response is not taken");
  }
  check_request({ports.m_arvalid != 0, ports.m_araddr, ports.m_arlen + 1U, ports.m_arid},
                ports.m_arready != 0, held_read_, "AR");
  check_write_data(ports);
  check_request({ports.m_awvalid != 0, ports.m_awaddr, ports.m_awlen + 1U, 0}, ports.m_awready != 0,
                held_write_, "AW");
  if (ports.m_awvalid != 0 && ports.m_awready != 0) {
    writes_.push_back(ports.m_awlen + 1U);
  }
  if (ports.m_arvalid != 0 && ports.m_arready != 0) {
    most_reads_ = std::max(most_reads_, ++reads_);
  }
  if (ports.m_rvalid != 0 && ports.m_rready != 0 && ports.m_rlast != 0) {
    --reads_;
  }
}

}  // namespace tessera

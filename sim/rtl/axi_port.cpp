#include "sim/rtl/axi_port.hpp"

#include <cstring>

namespace tessera {

// Pins tell beats, not bytes: all from the first address to the end of the last beat.
timing::Burst AxiPort::burst_of(std::uint64_t address, std::uint32_t beats) const {
  timing::Burst burst;
  burst.address = address;
  burst.beats = beats;
  burst.bytes = beats * bus_bytes_ - static_cast<std::uint32_t>(address % bus_bytes_);
  return burst;
}

void AxiPort::cycle(rtl::Ports& ports, timing::Cycle now) {
  ports.m_arready = ports.m_arvalid != 0 && memory_.takes_read(now) ? 1 : 0;
  ports.m_awready = ports.m_awvalid != 0 && memory_.takes_write(now) ? 1 : 0;
  timing::WriteBeat beat;
  beat.valid = ports.m_wvalid != 0;
  beat.data = ports.m_wdata;
  beat.strobe = ports.m_wstrb;
  timing::Moves moves;
  memory_.step(now, ports.m_rready != 0, beat, moves);
  ports.m_wready = moves.write_taken ? 1 : 0;
  ports.m_bvalid = moves.write_done ? 1 : 0;
  ports.m_bresp = moves.write_done ? moves.write_response : std::uint8_t{0};
  ports.m_rvalid = moves.read_valid ? 1 : 0;
  if (moves.read_valid) {
    ports.m_rid = moves.read_id;
    ports.m_rresp = moves.read_response;
    ports.m_rlast = moves.read_last ? 1 : 0;
    auto& bursts = reads_[moves.read_id & 1U];
    std::memcpy(ports.m_rdata, bursts.front().data() + std::size_t{moves.read_index} * bus_bytes_,
                bus_bytes_);
    if (moves.read_last && ports.m_rready != 0) {
      bursts.pop_front();
    }
  }
  rules_.check(ports);
  if (ports.m_arvalid != 0 && ports.m_arready != 0) {
    timing::Burst burst = burst_of(ports.m_araddr, ports.m_arlen + 1U);
    burst.id = ports.m_arid & 1U;
    auto& bursts = reads_[burst.id];
    bursts.emplace_back(std::size_t{burst.beats} * bus_bytes_);
    burst.data = bursts.back().data() + burst.address % bus_bytes_;
    memory_.read(burst, now);
  }
  if (ports.m_awvalid != 0 && ports.m_awready != 0) {
    memory_.write(burst_of(ports.m_awaddr, ports.m_awlen + 1U), now);
  }
}

}  // namespace tessera

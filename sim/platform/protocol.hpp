// How masters and the external memory talk over TLM-2.0 sockets: bursts, and cycles of their beats,
// in an extension of the generic payload that the memory needs.
#pragma once

#include <tlm>

#include "timing/memory/memory_port.hpp"

namespace tessera::platform {

/// Time of one cycle of the platform's only clock.
inline sc_core::sc_time cycles_of(timing::Cycle cycles) {
  return sc_core::sc_time::from_value(cycles * 1000);
}
/// Cycles since time zero.
inline timing::Cycle cycle_at(const sc_core::sc_time& time) {
  return time.value() / 1000;
}

/// What a master asks of the memory, which answers at once. Cycles are counted from the masters'
/// set-up and may be ahead of simulated time.
struct BusTransaction final : tlm::tlm_extension<BusTransaction> {
  enum class Kind : std::uint8_t {
    TakesRead,   ///< would an address be taken? `answer`
    TakesWrite,  ///< the same for writes
    Read,        ///< a burst's address is taken
    Write,
    Offer,  ///< a burst of a master that takes and gives data whenever the memory can
    Step,   ///< one cycle of the data channels: `moves`
    Run,    ///< as MemoryPort's functions of these names
    Phase,
    MayLeap,
    Leap,
    Next
  };
  Kind kind = Kind::Step;
  std::size_t master = 0;  ///< the memory's port, filled in by the bus
  timing::Cycle cycle = 0;
  timing::Burst burst;
  bool is_write = false;    ///< Offer
  bool read_ready = false;  ///< Step
  bool write_offered = false;
  timing::WriteBeat beat;
  timing::Moves moves;
  timing::Cycle cycles = 0;  ///< Leap
  std::uint32_t reads = 0, writes = 0;
  std::uint64_t answer = 0;

  [[nodiscard]] tlm::tlm_extension_base* clone() const override {
    return new BusTransaction(*this);
  }
  void copy_from(const tlm::tlm_extension_base& other) override {
    *this = static_cast<const BusTransaction&>(other);
  }
};

/// A payload that carries one such transaction.
class BusPayload {
 public:
  BusPayload() { payload_.set_extension(&transaction_); }
  ~BusPayload() { payload_.clear_extension(&transaction_); }
  BusPayload(const BusPayload&) = delete;
  BusPayload& operator=(const BusPayload&) = delete;
  BusPayload(BusPayload&&) = delete;
  BusPayload& operator=(BusPayload&&) = delete;

  [[nodiscard]] BusTransaction& operator*() { return transaction_; }
  [[nodiscard]] BusTransaction* operator->() { return &transaction_; }
  template <class Socket>
  void send(Socket& socket) {
    tlm::tlm_phase phase(tlm::BEGIN_REQ);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_fw(payload_, phase, delay);
  }

 private:
  BusTransaction transaction_;
  tlm::tlm_generic_payload payload_;
};

}  // namespace tessera::platform

// A MemoryPort at the other end of a socket.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include "sim/platform/protocol.hpp"

namespace tessera::platform {

class BusPort final : public timing::MemoryPort {
 public:
  using Kind = BusTransaction::Kind;
  using Socket = tlm::tlm_initiator_socket<>;

  explicit BusPort(Socket& socket) : socket_(socket) {}

  bool takes_read(timing::Cycle now) override { return send(Kind::TakesRead, now).answer != 0; }
  bool takes_write(timing::Cycle now) override { return send(Kind::TakesWrite, now).answer != 0; }
  void read(const timing::Burst& burst, timing::Cycle now) override {
    payload_->burst = burst;
    send(Kind::Read, now);
  }
  void write(const timing::Burst& burst, timing::Cycle now) override {
    payload_->burst = burst;
    send(Kind::Write, now);
  }
  void step(timing::Cycle now, bool read_ready, const timing::WriteBeat& beat,
            timing::Moves& moves) override {
    payload_->read_ready = read_ready;
    payload_->beat = beat;
    moves = send(Kind::Step, now).moves;
  }
  std::uint32_t run(timing::Cycle now, std::uint32_t most) override {
    payload_->reads = most;
    return static_cast<std::uint32_t>(send(Kind::Run, now).answer);
  }
  std::uint64_t phase(timing::Cycle now) override { return send(Kind::Phase, now).answer; }
  bool may_leap(timing::Cycle now, timing::Cycle cycles, std::uint32_t reads,
                std::uint32_t writes) override {
    payload_->cycles = cycles;
    payload_->reads = reads;
    payload_->writes = writes;
    return send(Kind::MayLeap, now).answer != 0;
  }
  void leap(timing::Cycle now, timing::Cycle cycles, std::uint32_t reads, std::uint32_t writes,
            const timing::WriteBeat& beat) override {
    payload_->cycles = cycles;
    payload_->reads = reads;
    payload_->writes = writes;
    payload_->beat = beat;
    send(Kind::Leap, now);
  }
  timing::Cycle next(timing::Cycle now, bool write_offered) override {
    payload_->write_offered = write_offered;
    return send(Kind::Next, now).answer;
  }

 private:
  // Cycles may be ahead of simulated time: they are told in the transaction, not as a delay.
  BusTransaction& send(Kind kind, timing::Cycle cycle) {
    payload_->kind = kind;
    payload_->cycle = cycle;
    payload_.send(socket_);
    return *payload_;
  }

  Socket& socket_;
  BusPayload payload_;
};

}  // namespace tessera::platform

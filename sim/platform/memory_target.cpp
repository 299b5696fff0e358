#include "sim/platform/memory_target.hpp"

namespace tessera::platform {

MemoryTarget::MemoryTarget(const sc_core::sc_module_name& name)
    : sc_module(name), socket("socket") {
  socket.register_nb_transport_fw(this, &MemoryTarget::transport);
}

// Every request is answered at once: what takes time is in the cycles.
tlm::tlm_sync_enum MemoryTarget::transport(tlm::tlm_generic_payload& payload,
                                           tlm::tlm_phase& /*phase*/, sc_core::sc_time& /*delay*/) {
  auto* transaction = payload.get_extension<BusTransaction>();
  if (transaction == nullptr) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  answer(*transaction);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  return tlm::TLM_COMPLETED;
}

void MemoryTarget::answer(BusTransaction& t) {
  using Kind = BusTransaction::Kind;
  if (t.kind == Kind::Offer) {
    memory_->offer(t.master, t.is_write, t.burst, t.cycle);
    return;
  }
  timing::MemoryPort& port = memory_->port(t.master);
  switch (t.kind) {
    case Kind::TakesRead:
      t.answer = port.takes_read(t.cycle) ? 1 : 0;
      break;
    case Kind::TakesWrite:
      t.answer = port.takes_write(t.cycle) ? 1 : 0;
      break;
    case Kind::Read:
      port.read(t.burst, t.cycle);
      break;
    case Kind::Write:
      port.write(t.burst, t.cycle);
      break;
    case Kind::Step:
      port.step(t.cycle, t.read_ready, t.beat, t.moves);
      break;
    case Kind::Run:
      t.answer = port.run(t.cycle, t.reads);
      break;
    case Kind::Phase:
      t.answer = port.phase(t.cycle);
      break;
    case Kind::MayLeap:
      t.answer = port.may_leap(t.cycle, t.cycles, t.reads, t.writes) ? 1 : 0;
      break;
    case Kind::Leap:
      port.leap(t.cycle, t.cycles, t.reads, t.writes, t.beat);
      break;
    default:
      t.answer = port.next(t.cycle, t.write_offered);
      break;
  }
}

}  // namespace tessera::platform

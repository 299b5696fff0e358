#include "sim/platform/npu.hpp"

#include <cstring>

namespace tessera::platform {

Npu::Npu(const sc_core::sc_module_name& name)
    : sc_module(name), registers("registers"), memory("memory"), irq("irq"), port_(memory) {
  registers.register_b_transport(this, &Npu::transport);
  SC_HAS_PROCESS(Npu);
  SC_THREAD(process);
}

void Npu::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  Access wanted;
  wanted.is_write = payload.is_write();
  wanted.offset = static_cast<std::uint32_t>(payload.get_address());
  if (payload.get_data_length() != sizeof(wanted.value) ||
      payload.get_byte_enable_ptr() != nullptr) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return;
  }
  if (wanted.is_write) {
    std::memcpy(&wanted.value, payload.get_data_ptr(), sizeof(wanted.value));
  }
  access(wanted);
  if (!wanted.is_write) {
    std::memcpy(payload.get_data_ptr(), &wanted.value, sizeof(wanted.value));
  }
  delay += cycles_of(wanted.cycles);
  payload.set_response_status(wanted.okay ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
}

void Npu::process() {
  irq.write(false);
  while (true) {
    wait(start_);
    irq.write(false);
    try {
      timing::Cycle until = now();
      do {
        until += kQuantum;
        const bool over = run(until);
        wait(cycles_of((over ? end() : until) - now()));
        if (over) {
          break;
        }
        if (listener_.tick) {
          listener_.tick(until);
        }
      } while (true);
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (...) {
      failure_ = std::current_exception();
    }
    irq.write(true);
  }
}

}  // namespace tessera::platform

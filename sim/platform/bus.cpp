#include "sim/platform/bus.hpp"

namespace tessera::platform {

Bus::Bus(const sc_core::sc_module_name& name, std::size_t masters_count,
         std::size_t peripherals_count)
    : sc_module(name),
      masters("master", masters_count),
      memory("memory"),
      host("host"),
      peripherals("peripheral", peripherals_count) {
  for (std::size_t i = 0; i < masters.size(); ++i) {
    masters[i].register_nb_transport_fw(this, &Bus::forward, static_cast<int>(i));
  }
  host.register_b_transport(this, &Bus::access);
}

tlm::tlm_sync_enum Bus::forward(int master, tlm::tlm_generic_payload& payload,
                                tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const auto index = static_cast<std::size_t>(master);
  if (auto* transaction = payload.get_extension<BusTransaction>(); transaction != nullptr) {
    transaction->master = index < peripherals.size() ? 0 : index - peripherals.size() + 1;
  }
  return memory->nb_transport_fw(payload, phase, delay);
}

void Bus::access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const std::uint64_t address = payload.get_address();
  const std::uint64_t window = address / kWindow;
  if (window >= peripherals.size()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  payload.set_address(address % kWindow);
  peripherals[window]->b_transport(payload, delay);
  payload.set_address(address);
}

}  // namespace tessera::platform

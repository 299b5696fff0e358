// The interconnect: masters to the external memory, the host to registers.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "sim/platform/protocol.hpp"

namespace tessera::platform {

/// Tells the memory which master asks; the memory takes turns between them. The first masters are
/// the peripherals, of which one is at work: they share the memory's first port. Host accesses go
/// to one of the peripherals, kWindow bytes each, in the order of their sockets; others answer with
/// an address error.
class Bus : public sc_core::sc_module {
 public:
  static constexpr std::uint64_t kWindow = 4096;

  Bus(const sc_core::sc_module_name& name, std::size_t masters, std::size_t peripherals);

  sc_core::sc_vector<tlm_utils::simple_target_socket_tagged<Bus>> masters;
  tlm_utils::simple_initiator_socket<Bus> memory;
  tlm_utils::simple_target_socket<Bus> host;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket<Bus>> peripherals;

 private:
  tlm::tlm_sync_enum forward(int master, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
};

}  // namespace tessera::platform

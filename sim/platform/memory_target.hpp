// The external memory as a module.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <memory>

#include "sim/memory/external_memory.hpp"
#include "sim/platform/protocol.hpp"

namespace tessera::platform {

class MemoryTarget : public sc_core::sc_module {
 public:
  explicit MemoryTarget(const sc_core::sc_module_name& name);

  /// Other contents and timing from now on, which is cycle 0 of the masters.
  void set(std::unique_ptr<ExternalMemoryModel> memory) { memory_ = std::move(memory); }

  tlm_utils::simple_target_socket<MemoryTarget> socket;

 private:
  tlm::tlm_sync_enum transport(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay);
  void answer(BusTransaction& t);

  std::unique_ptr<ExternalMemoryModel> memory_;
};

}  // namespace tessera::platform

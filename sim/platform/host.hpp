// The processor beside the accelerator: programs registers, takes the interrupt, reads counters.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <exception>

#include "sim/platform/protocol.hpp"
#include "tessera/engine.hpp"

namespace tessera::platform {

struct HostJob {
  enum class Kind : std::uint8_t { Identify, Run, ReadCounters };
  Kind kind = Kind::Identify;
  std::size_t peripheral = 0;
  Hardware hardware;             ///< Identify: what the registers must say
  Slot stream;                   ///< Run
  std::uint32_t cbuf_limit = 0;  ///< atoms
  std::uint32_t watchdog = 0;    ///< cycles without progress
  Counters counters{};           ///< ReadCounters
  bool done = false;
};

class Host : public sc_core::sc_module {
 public:
  Host(const sc_core::sc_module_name& name, std::size_t peripherals);

  tlm_utils::simple_initiator_socket<Host> socket;
  sc_core::sc_vector<sc_core::sc_in<bool>> irq;

  /// Does the job when simulation goes on, and pauses it then.
  void post(HostJob* job) {
    job_ = job;
    posted_.notify(sc_core::SC_ZERO_TIME);
  }
  /// EngineError when the accelerator has stopped with an error.
  [[nodiscard]] std::exception_ptr take_failure() { return std::exchange(failure_, nullptr); }

 private:
  void process();
  void identify(const Hardware& hardware);
  void run(const HostJob& job);
  void read_counters(Counters& counters);
  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);
  void access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value);

  HostJob* job_ = nullptr;
  sc_core::sc_event posted_;
  std::exception_ptr failure_;
};

}  // namespace tessera::platform

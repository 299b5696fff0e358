// An accelerator on the platform: registers on one side, the memory on the other, an interrupt.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <exception>
#include <functional>

#include "sim/npu/functional_model.hpp"
#include "sim/platform/bus_port.hpp"

namespace tessera::platform {

/// Told of marks while a run goes on, and now and then with the cycles so far.
struct NpuListener {
  npu::MarkListener mark;
  std::function<void(timing::Cycle)> tick;
};

/// Runs ahead of simulated time by kQuantum cycles at most.
class Npu : public sc_core::sc_module {
 public:
  static constexpr timing::Cycle kQuantum = 1024;

  explicit Npu(const sc_core::sc_module_name& name);

  tlm_utils::simple_target_socket<Npu> registers;
  tlm_utils::simple_initiator_socket<Npu> memory;
  sc_core::sc_out<bool> irq;

  /// Who is told, and the platform's time that is cycle 0 of the accelerator.
  void listen(NpuListener listener, const sc_core::sc_time& epoch) {
    listener_ = std::move(listener);
    epoch_ = epoch;
  }
  /// What went wrong beside errors that the registers tell of.
  [[nodiscard]] std::exception_ptr take_failure() { return std::exchange(failure_, nullptr); }

 protected:
  struct Access {
    bool is_write = false;
    std::uint32_t offset = 0;
    std::uint32_t value = 0;
    bool okay = true;
    timing::Cycle cycles = 0;  ///< that it takes
  };
  virtual void access(Access& access) = 0;
  /// Goes on up to that cycle; true when the run is over.
  virtual bool run(timing::Cycle until) = 0;
  /// The first cycle after the run.
  [[nodiscard]] virtual timing::Cycle end() const = 0;
  /// The run begins when the host's access is through.
  void start() { start_.notify(); }

  [[nodiscard]] timing::Cycle now() const { return cycle_at(sc_core::sc_time_stamp() - epoch_); }
  BusPort port_;
  NpuListener listener_;

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void process();

  sc_core::sc_time epoch_;
  sc_core::sc_event start_;
  std::exception_ptr failure_;
};

}  // namespace tessera::platform

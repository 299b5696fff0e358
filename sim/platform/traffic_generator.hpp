// Another master on the bus.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <optional>

#include "sim/platform/protocol.hpp"
#include "timing/memory/traffic.hpp"

namespace tessera::platform {

/// Tells the memory of its bursts ahead of time, so that other masters may run ahead as well.
class TrafficGenerator : public sc_core::sc_module {
 public:
  explicit TrafficGenerator(const sc_core::sc_module_name& name);

  tlm_utils::simple_initiator_socket<TrafficGenerator> socket;

  /// From now on, which is its cycle 0; nothing: silence.
  void set(const std::optional<timing::TrafficSource>& source);

 private:
  void process();
  void offer_ahead();

  BusPayload payload_;
  std::optional<timing::TrafficSource> source_;
  sc_core::sc_time epoch_;
  sc_core::sc_event set_;
};

}  // namespace tessera::platform

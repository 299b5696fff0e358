#include "sim/platform/traffic_generator.hpp"

#include "sim/platform/npu.hpp"

namespace tessera::platform {

TrafficGenerator::TrafficGenerator(const sc_core::sc_module_name& name)
    : sc_module(name), socket("socket") {
  SC_HAS_PROCESS(TrafficGenerator);
  SC_THREAD(process);
}

void TrafficGenerator::set(const std::optional<timing::TrafficSource>& source) {
  source_ = source;
  epoch_ = sc_core::sc_time_stamp();
  offer_ahead();  // before anyone else's first cycle
  set_.notify(sc_core::SC_ZERO_TIME);
}

void TrafficGenerator::process() {
  while (true) {
    if (source_) {
      wait(cycles_of(Npu::kQuantum), set_);
    } else {
      wait(set_);
    }
    offer_ahead();
  }
}

void TrafficGenerator::offer_ahead() {
  const timing::Cycle until = cycle_at(sc_core::sc_time_stamp() - epoch_) + 2 * Npu::kQuantum;
  while (source_ && source_->due() < until) {
    payload_->kind = BusTransaction::Kind::Offer;
    payload_->cycle = source_->due();
    payload_->is_write = source_->writes();
    payload_->burst = source_->take();
    payload_.send(socket);
  }
}

}  // namespace tessera::platform

#include "sim/platform/platform.hpp"

#include <stdexcept>

namespace tessera::platform {

Platform& Platform::instance() {
  static auto* const platform = new Platform();  // lives as long as the simulation kernel
  return *platform;
}

// Masters of the memory: the accelerator, which of the two there is, then the generators.
Platform::Platform()
    : host_("host", 2),
      bus_("bus", 2 + kGenerators, 2),
      memory_("memory"),
      tlm_("npu_tlm"),
      rtl_("npu_rtl"),
      generators_("traffic", kGenerators),
      irqs_("irq", 2) {
  host_.socket.bind(bus_.host);
  bus_.memory.bind(memory_.socket);
  Npu* const npus[] = {&tlm_, &rtl_};
  for (std::size_t i = 0; i < 2; ++i) {
    bus_.peripherals[i].bind(npus[i]->registers);
    npus[i]->memory.bind(bus_.masters[i]);
    npus[i]->irq.bind(irqs_[i]);
    host_.irq[i].bind(irqs_[i]);
  }
  for (std::size_t i = 0; i < kGenerators; ++i) {
    generators_[i].socket.bind(bus_.masters[2 + i]);
  }
  // Elaborates: events can be notified from then on.
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

void Platform::set_up(const Setup& setup, std::vector<std::uint8_t>& bytes) {
  if (setup.traffic.size() > kGenerators) {
    throw std::runtime_error("more traffic than the platform has generators");
  }
  kind_ = setup.kind;
  hardware_ = setup.hardware;
  epoch_ = sc_core::sc_time_stamp();
  auto memory = std::make_unique<ExternalMemoryModel>(bytes, setup.memory, setup.hardware.bus_bytes,
                                                      setup.disturbance, 1 + setup.traffic.size());
  memory->watch(setup.checker);
  memory->set_activations(setup.activations.address, setup.activations.bytes);
  memory_.set(std::move(memory));
  if (kind_ == NpuKind::Tlm) {
    tlm_.listen(setup.listener, epoch_);
    tlm_.reset(setup.hardware);
  } else {
    rtl_.listen(setup.listener, epoch_);
    rtl_.reset(setup.library, setup.hardware, setup.waves);
  }
  for (std::size_t i = 0; i < setup.traffic.size(); ++i) {
    generators_[i].set(timing::TrafficSource(setup.traffic[i], setup.hardware.bus_bytes));
  }
  HostJob job;
  job.kind = HostJob::Kind::Identify;
  perform(job);
}

void Platform::perform(HostJob& job) {
  job.peripheral = kind_ == NpuKind::Tlm ? 0 : 1;
  job.hardware = hardware_;
  host_.post(&job);
  sc_core::sc_start();
  if (!job.done) {
    throw std::logic_error("the platform has come to a stop before the host was through");
  }
  Npu& npu = kind_ == NpuKind::Tlm ? static_cast<Npu&>(tlm_) : rtl_;
  // A failure inside the accelerator also reaches the host, as an error without a cause.
  const std::exception_ptr inside = npu.take_failure();
  const std::exception_ptr outside = host_.take_failure();
  if (inside || outside) {
    std::rethrow_exception(inside ? inside : outside);
  }
}

void Platform::run(const Slot& stream, std::uint32_t cbuf_limit, std::uint32_t watchdog) {
  HostJob job;
  job.kind = HostJob::Kind::Run;
  job.stream = stream;
  job.cbuf_limit = cbuf_limit;
  job.watchdog = watchdog;
  perform(job);
}

Counters Platform::read_counters() {
  HostJob job;
  job.kind = HostJob::Kind::ReadCounters;
  perform(job);
  return job.counters;
}

timing::Cycle Platform::cycles() const {
  return cycle_at(sc_core::sc_time_stamp() - epoch_);
}

void Platform::take_down() {
  for (TrafficGenerator& generator : generators_) {
    generator.set(std::nullopt);
  }
  tlm_.listen({}, epoch_);
  rtl_.listen({}, epoch_);
  rtl_.release();
  memory_.set(nullptr);
}

}  // namespace tessera::platform

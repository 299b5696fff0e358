#include "sim/platform/host.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "hardware/identity.hpp"
#include "sim/platform/bus.hpp"

namespace tessera::platform {
namespace {

constexpr std::uint32_t kStatusError = 4;

}  // namespace

Host::Host(const sc_core::sc_module_name& name, std::size_t peripherals)
    : sc_module(name), socket("socket"), irq("irq", peripherals) {
  SC_HAS_PROCESS(Host);
  SC_THREAD(process);
}

void Host::process() {
  while (true) {
    wait(posted_);
    try {
      switch (job_->kind) {
        case HostJob::Kind::Identify:
          identify(job_->hardware);
          break;
        case HostJob::Kind::Run:
          run(*job_);
          break;
        case HostJob::Kind::ReadCounters:
          read_counters(job_->counters);
          break;
      }
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (...) {
      failure_ = std::current_exception();
    }
    job_->done = true;
    sc_core::sc_pause();
  }
}

void Host::identify(const Hardware& hardware) {
  for (const auto& [offset, value] : identity_of(hardware)) {
    const std::uint32_t found = read(offset);
    if (found != value) {
      throw std::runtime_error(
          fmt::format("the accelerator's register 0x{:03x} reads {}, the program was made for {}",
                      offset, found, value));
    }
  }
}

void Host::run(const HostJob& job) {
  write(isa::reg::kCommandAddress, static_cast<std::uint32_t>(job.stream.address));
  write(isa::reg::kCommandBytes, static_cast<std::uint32_t>(job.stream.bytes));
  write(isa::reg::kCbufLimit, job.cbuf_limit);
  write(isa::reg::kWatchdog, job.watchdog);
  write(isa::reg::kIrqEnable, 1);
  write(isa::reg::kControl, 1);
  const sc_core::sc_in<bool>& interrupt = irq[job.peripheral];
  while (!interrupt.read()) {
    wait(interrupt.posedge_event());
  }
  if ((read(isa::reg::kStatus) & kStatusError) != 0) {
    const auto cause = static_cast<isa::Error>(read(isa::reg::kErrorCause));
    const std::uint32_t info = read(isa::reg::kErrorInfo);
    throw EngineError(cause, info, describe(cause, info));
  }
}

void Host::read_counters(Counters& counters) {
  for (std::uint32_t i = 0; i < counters.size(); ++i) {
    const std::uint64_t low = read(isa::reg::kCounters + 8 * i);
    const std::uint64_t high = read(isa::reg::kCounters + 8 * i + 4);
    counters[i] = low | high << 32;
  }
}

std::uint32_t Host::read(std::uint32_t offset) {
  std::uint32_t value = 0;
  access(tlm::TLM_READ_COMMAND, offset, value);
  return value;
}

void Host::write(std::uint32_t offset, std::uint32_t value) {
  access(tlm::TLM_WRITE_COMMAND, offset, value);
}

void Host::access(tlm::tlm_command command, std::uint32_t offset, std::uint32_t& value) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(job_->peripheral * Bus::kWindow + offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof(value));
  payload.set_streaming_width(sizeof(value));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload, delay);
  wait(delay);
  if (payload.is_response_error()) {
    throw std::runtime_error(fmt::format("the accelerator refuses a {} of register 0x{:03x}: {}",
                                         command == tlm::TLM_READ_COMMAND ? "read" : "write",
                                         offset, payload.get_response_string()));
  }
}

}  // namespace tessera::platform

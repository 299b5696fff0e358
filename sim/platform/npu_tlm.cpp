#include "sim/platform/npu_tlm.hpp"

#include "timing/machine/cost_model.hpp"

namespace tessera::platform {
namespace {

constexpr std::uint32_t kStartBit = 1, kClearBit = 2, kCheckBit = 4;

}  // namespace

void NpuTlm::reset(const Hardware& hardware) {
  registers_ = std::make_unique<npu::Registers>(hardware);
  function_ = std::make_unique<npu::Function>(hardware);
  machine_ = timing::make_accelerator(hardware, port_, *function_);
  function_->on_mark([this](unsigned unit, std::uint32_t id, const Counters& counters) {
    if (listener_.mark) {
      listener_.mark(unit, id, counters);
    }
  });
}

void NpuTlm::access(Access& access) {
  if (!access.is_write) {
    access.cycles = timing::HostTiming::kRead;
    access.okay =
        registers_->read(access.offset, machine_->counters(), access.value) == npu::Response::Okay;
    return;
  }
  access.cycles = timing::HostTiming::kWrite;
  access.okay = registers_->write(access.offset, access.value) == npu::Response::Okay;
  if (access.offset != isa::reg::kControl || registers_->busy || !access.okay) {
    return;
  }
  if ((access.value & kStartBit) != 0 && (access.value & kCheckBit) != 0) {
    // The model takes the stream as it is run; it cannot say anything about it before.
    access.okay = false;
    return;
  }
  if ((access.value & kClearBit) != 0) {
    // Whatever the units held is forgotten.
    machine_ = timing::make_accelerator(registers_->hw, port_, *function_);
    registers_->done = false;
    registers_->error = isa::Error::None;
    registers_->error_info = 0;
  }
  if ((access.value & kStartBit) != 0) {
    begin(now());
  }
}

void NpuTlm::begin(timing::Cycle written) {
  registers_->done = false;
  if (registers_->error != isa::Error::None) {
    return;
  }
  end_ = written + timing::HostTiming::kWrite;
  const bool bad_address = registers_->command_address % 8 != 0;
  if (bad_address || registers_->command_bytes % 8 != 0 || registers_->command_bytes == 0) {
    registers_->error = isa::Error::BadStart;
    registers_->error_info = bad_address ? registers_->command_address : registers_->command_bytes;
  } else {
    registers_->busy = true;
    function_->limit_cbuf(registers_->cbuf_limit);
    machine_->limit_cbuf(registers_->cbuf_limit);
    machine_->start(registers_->command_address, registers_->command_bytes, nullptr,
                    written + timing::HostTiming::kStart);
  }
  start();
}

bool NpuTlm::run(timing::Cycle until) {
  if (registers_->error != isa::Error::None) {
    return true;
  }
  try {
    if (!machine_->run(until)) {
      return false;
    }
    registers_->done = true;
  } catch (const EngineError& error) {
    registers_->error = error.cause();
    registers_->error_info = error.info();
  }
  registers_->busy = false;
  end_ = std::max(machine_->now(), now());
  return true;
}

}  // namespace tessera::platform

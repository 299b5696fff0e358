#include "sim/platform/npu_rtl.hpp"

namespace tessera::platform {

void NpuRtl::reset(const std::string& library, const Hardware& hardware, const std::string& waves) {
  core_ = std::make_unique<rtl::Core>(library, hardware, port_, waves);
}

void NpuRtl::catch_up() {
  while (core_->cycles() < now()) {
    core_->cycle();
  }
}

void NpuRtl::access(Access& access) {
  catch_up();
  const timing::Cycle before = core_->cycles();
  const bool was_done = core_->interrupt();
  const rtl::Core::Access answer = access.is_write
                                       ? core_->write_register(access.offset, access.value)
                                       : core_->read_register(access.offset);
  access.value = access.is_write ? access.value : answer.data;
  access.okay = answer.response == 0;
  access.cycles = core_->cycles() - before;
  if (access.is_write && access.offset == isa::reg::kControl && (access.value & 1U) != 0) {
    // The last run's interrupt falls with the start.
    if (was_done && core_->interrupt()) {
      core_->cycle();
      ++access.cycles;
    }
    start();
  }
}

bool NpuRtl::run(timing::Cycle until) {
  while (core_->cycles() < until) {
    core_->cycle();
    core_->marks([this](const rtl::Core::Mark& mark) {
      if (listener_.mark) {
        listener_.mark(mark.unit, mark.layer, mark.counters);
      }
    });
    if (core_->interrupt()) {
      return true;
    }
  }
  return false;
}

}  // namespace tessera::platform

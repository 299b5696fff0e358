#include "sim/rtl/device.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace tessera::rtl {
namespace {

constexpr int kSettleReads = 10000;
constexpr std::uint32_t kStatusBusy = 1;
constexpr std::uint32_t kStatusError = 4;

}  // namespace

Device::Device(const std::string& library, const Hardware& hardware,
               std::vector<std::uint8_t>& memory, const ExternalMemory& timing,
               const MemoryDisturbance& disturbance, std::uint64_t base)
    : memory_(memory, timing, hardware.bus_bytes, disturbance, 1, base),
      core_(library, hardware, memory_.port(0)) {}

Counters Device::read_counters() {
  Counters counters{};
  for (std::uint32_t i = 0; i < counters.size(); ++i) {
    const std::uint64_t low = read_register(isa::reg::kCounters + 8 * i).data;
    const std::uint64_t high = read_register(isa::reg::kCounters + 8 * i + 4).data;
    counters[i] = low | high << 32;
  }
  return counters;
}

bool Device::clear() {
  for (int i = 0; i < kSettleReads; ++i) {
    if ((read_register(isa::reg::kStatus).data & kStatusBusy) == 0) {
      write_register(isa::reg::kControl, 2);
      core_.cycle();
      return true;
    }
  }
  return false;
}

void Device::run(const Slot& stream, std::uint32_t cbuf_limit_atoms, std::uint32_t watchdog,
                 const std::function<void(const Mark&)>& on_mark) {
  write_register(isa::reg::kCommandAddress, static_cast<std::uint32_t>(stream.address));
  write_register(isa::reg::kCommandBytes, static_cast<std::uint32_t>(stream.bytes));
  if (write_register(isa::reg::kCbufLimit, cbuf_limit_atoms).response != 0) {
    throw std::runtime_error("the RTL refuses the cbuf limit");
  }
  write_register(isa::reg::kWatchdog, watchdog);
  write_register(isa::reg::kIrqEnable, 1);
  // The last run's interrupt falls with the start.
  write_register(isa::reg::kControl, 1);
  do {
    core_.cycle();
    core_.marks(on_mark);
  } while (!core_.interrupt());
  if ((read_register(isa::reg::kStatus).data & kStatusError) != 0) {
    fail();
  }
}

void Device::fail() {
  const auto cause = static_cast<isa::Error>(read_register(isa::reg::kErrorCause).data);
  const std::uint32_t info = read_register(isa::reg::kErrorInfo).data;
  throw EngineError(cause, info, describe(cause, info));
}

}  // namespace tessera::rtl

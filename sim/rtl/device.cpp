#include "sim/rtl/device.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

namespace tessera::rtl {
namespace {

constexpr std::uint32_t kId = 0x54535241;
constexpr int kRegisterTimeout = 64;  // cycles
constexpr int kSettleReads = 10000;
constexpr std::uint32_t kStatusBusy = 1;
constexpr std::uint32_t kStatusError = 4;

template <class Function>
Function symbol(void* library, const char* name) {
  auto* address = dlsym(library, name);
  if (address == nullptr) {
    throw std::runtime_error(fmt::format("RTL model lacks {}", name));
  }
  return reinterpret_cast<Function>(address);
}

}  // namespace

Device::Device(const std::string& library, const Hardware& hardware,
               std::vector<std::uint8_t>& memory, const ExternalMemory& timing,
               const MemoryDisturbance& disturbance, const std::string& waves)
    : memory_(memory, timing, hardware.bus_bytes, disturbance),
      axi_(memory_.port(0), hardware.bus_bytes) {
  library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    throw std::runtime_error(fmt::format("cannot load the RTL model: {}", dlerror()));
  }
  step_ = symbol<StepModel>(library_, "tessera_step");
  destroy_ = symbol<DestroyModel>(library_, "tessera_destroy");
  model_ = symbol<CreateModel>(library_, "tessera_create")(waves.empty() ? nullptr : waves.c_str());
  for (int i = 0; i < 4; ++i) {
    step_(model_, &ports_);
  }
  ports_.rst_n = 1;
  step_(model_, &ports_);
  const Hardware::Window window = hardware.depthwise_window();
  const std::pair<std::uint32_t, std::uint64_t> expected[] = {
      {isa::reg::kId, kId},
      {isa::reg::kVersion, isa::kCommandSetVersion},
      {isa::reg::kAtomicC, hardware.atomic_c},
      {isa::reg::kAtomicK, hardware.atomic_k},
      {isa::reg::kCbufBytes, hardware.cbuf_capacity},
      {isa::reg::kAccWords, hardware.acc_words},
      {isa::reg::kParamGroups, hardware.param_groups},
      {isa::reg::kWindow,
       window.rows == 0 ? 0U : window.rows | window.cols << 8 | hardware.line_atoms << 16},
      {isa::reg::kBusBytes, hardware.bus_bytes}};
  for (const auto& [offset, value] : expected) {
    if (read_register(offset).data != value) {
      throw std::runtime_error(
          fmt::format("the RTL's register 0x{:03x} reads {}, the program was made for {}", offset,
                      read_register(offset).data, value));
    }
  }
}

Device::~Device() {
  if (model_ != nullptr) {
    destroy_(model_);
  }
  if (library_ != nullptr) {
    dlclose(library_);
  }
}

void Device::cycle() {
  axi_.cycle(ports_, cycles_);
  step_(model_, &ports_);
  ++cycles_;
}

Device::Access Device::write_register(std::uint32_t offset, std::uint32_t value) {
  ports_.s_awvalid = 1;
  ports_.s_awaddr = static_cast<std::uint16_t>(offset);
  ports_.s_wvalid = 1;
  ports_.s_wdata = value;
  ports_.s_wstrb = 0xF;
  ports_.s_bready = 1;
  for (int i = 0; i < kRegisterTimeout; ++i) {
    const bool address_taken = ports_.s_awvalid != 0 && ports_.s_awready != 0;
    const bool data_taken = ports_.s_wvalid != 0 && ports_.s_wready != 0;
    const bool answered = ports_.s_bvalid != 0;
    const Access access{0, ports_.s_bresp};
    cycle();
    ports_.s_awvalid = address_taken ? std::uint8_t{0} : ports_.s_awvalid;
    ports_.s_wvalid = data_taken ? std::uint8_t{0} : ports_.s_wvalid;
    if (answered) {
      ports_.s_bready = 0;
      return access;
    }
  }
  throw std::runtime_error("the register interface does not answer a write");
}

Device::Access Device::read_register(std::uint32_t offset) {
  ports_.s_arvalid = 1;
  ports_.s_araddr = static_cast<std::uint16_t>(offset);
  ports_.s_rready = 1;
  for (int i = 0; i < kRegisterTimeout; ++i) {
    const bool address_taken = ports_.s_arvalid != 0 && ports_.s_arready != 0;
    const bool answered = ports_.s_rvalid != 0;
    const Access access{ports_.s_rdata, ports_.s_rresp};
    cycle();
    ports_.s_arvalid = address_taken ? std::uint8_t{0} : ports_.s_arvalid;
    if (answered) {
      ports_.s_rready = 0;
      return access;
    }
  }
  throw std::runtime_error("the register interface does not answer a read");
}

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
      cycle();
      return true;
    }
  }
  return false;
}

void Device::run(const Slot& stream, std::uint32_t cbuf_limit_atoms, std::uint32_t watchdog,
                 const std::function<void(const Mark&)>& on_mark,
                 const std::function<void()>& tick) {
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
    cycle();
    if ((cycles_ & 0xFFFFU) == 0 && tick) {
      tick();
    }
    if (ports_.mark_valid != 0) {
      for (unsigned unit = 0; unit < 3; ++unit) {
        if (((ports_.mark_valid >> unit) & 1U) != 0) {
          Mark mark{unit, ports_.mark_id[unit], {}};
          std::copy(std::begin(ports_.counters), std::end(ports_.counters), mark.counters.begin());
          on_mark(mark);
        }
      }
    }
  } while (ports_.irq == 0);
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

#include "sim/rtl/core.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace tessera::rtl {
namespace {

constexpr int kRegisterTimeout = 64;  // cycles
constexpr int kResetCycles = 4;

}  // namespace

Core::Core(const std::string& library, const Hardware& hardware, timing::MemoryPort& memory,
           const std::string& waves)
    : model_(library, "the RTL model"),
      step_(model_.entry<StepModel>("tessera_step")),
      axi_(memory, hardware.bus_bytes) {
  model_.create<CreateModel>(waves.empty() ? nullptr : waves.c_str());
  for (int i = 0; i < kResetCycles; ++i) {
    step_(model_.get(), &ports_);
  }
  ports_.rst_n = 1;
  step_(model_.get(), &ports_);
}

void Core::cycle() {
  axi_.cycle(ports_, cycles_);
  step_(model_.get(), &ports_);
  ++cycles_;
}

void Core::marks(const std::function<void(const Mark&)>& on_mark) const {
  for (unsigned unit = 0; ports_.mark_valid >> unit != 0; ++unit) {
    if (((ports_.mark_valid >> unit) & 1U) != 0) {
      Mark mark{unit, ports_.mark_id[unit], {}};
      std::copy(std::begin(ports_.counters), std::end(ports_.counters), mark.counters.begin());
      on_mark(mark);
    }
  }
}

Core::Access Core::write_register(std::uint32_t offset, std::uint32_t value, std::uint8_t strobe,
                                  int patience) {
  ports_.s_awvalid = 1;
  ports_.s_awaddr = static_cast<std::uint16_t>(offset);
  ports_.s_wvalid = 1;
  ports_.s_wdata = value;
  ports_.s_wstrb = strobe;
  int lain = 0;  // cycles that the answer is there
  for (int i = 0; i < kRegisterTimeout; ++i) {
    ports_.s_bready = lain >= patience ? 1 : 0;
    const bool address_taken = ports_.s_awvalid != 0 && ports_.s_awready != 0;
    const bool data_taken = ports_.s_wvalid != 0 && ports_.s_wready != 0;
    const bool answered = ports_.s_bvalid != 0 && ports_.s_bready != 0;
    lain += ports_.s_bvalid != 0 ? 1 : 0;
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

Core::Access Core::read_register(std::uint32_t offset, int patience) {
  ports_.s_arvalid = 1;
  ports_.s_araddr = static_cast<std::uint16_t>(offset);
  int lain = 0;  // cycles that the answer is there
  for (int i = 0; i < kRegisterTimeout; ++i) {
    ports_.s_rready = lain >= patience ? 1 : 0;
    const bool address_taken = ports_.s_arvalid != 0 && ports_.s_arready != 0;
    const bool answered = ports_.s_rvalid != 0 && ports_.s_rready != 0;
    lain += ports_.s_rvalid != 0 ? 1 : 0;
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

std::vector<std::uint32_t> Core::write_registers(const std::vector<Write>& writes,
                                                 int addresses_after, int data_after) {
  std::size_t addresses = 0;  // taken so far
  std::size_t data = 0;
  std::vector<std::uint32_t> responses;
  ports_.s_wstrb = 0xF;
  ports_.s_bready = 1;
  for (int i = 0; i < kRegisterTimeout && responses.size() < writes.size(); ++i) {
    ports_.s_awvalid = i >= addresses_after && addresses < writes.size() ? 1 : 0;
    ports_.s_wvalid = i >= data_after && data < writes.size() ? 1 : 0;
    if (ports_.s_awvalid != 0) {
      ports_.s_awaddr = static_cast<std::uint16_t>(writes[addresses].offset);
    }
    if (ports_.s_wvalid != 0) {
      ports_.s_wdata = writes[data].value;
    }
    addresses += ports_.s_awvalid != 0 && ports_.s_awready != 0 ? 1U : 0U;
    data += ports_.s_wvalid != 0 && ports_.s_wready != 0 ? 1U : 0U;
    if (ports_.s_bvalid != 0) {
      responses.push_back(ports_.s_bresp);
    }
    cycle();
  }
  ports_.s_awvalid = ports_.s_wvalid = ports_.s_bready = 0;
  if (responses.size() < writes.size()) {
    throw std::runtime_error("the register interface does not answer all writes");
  }
  return responses;
}

std::vector<Core::Access> Core::read_registers(const std::vector<std::uint32_t>& offsets,
                                               int patience) {
  std::size_t addresses = 0;  // taken so far
  int lain = 0;               // cycles that the answer is there
  std::vector<Access> answers;
  for (int i = 0; i < kRegisterTimeout && answers.size() < offsets.size(); ++i) {
    ports_.s_arvalid = addresses < offsets.size() ? 1 : 0;
    if (ports_.s_arvalid != 0) {
      ports_.s_araddr = static_cast<std::uint16_t>(offsets[addresses]);
    }
    ports_.s_rready = lain >= patience ? 1 : 0;
    addresses += ports_.s_arvalid != 0 && ports_.s_arready != 0 ? 1U : 0U;
    lain += ports_.s_rvalid != 0 ? 1 : 0;
    if (ports_.s_rvalid != 0 && ports_.s_rready != 0) {
      answers.push_back({ports_.s_rdata, ports_.s_rresp});
      lain = 0;
    }
    cycle();
  }
  ports_.s_arvalid = ports_.s_rready = 0;
  if (answers.size() < offsets.size()) {
    throw std::runtime_error("the register interface does not answer all reads");
  }
  return answers;
}

}  // namespace tessera::rtl

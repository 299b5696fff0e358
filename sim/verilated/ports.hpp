// The accelerator's ports as plain data: what crosses the border to a Verilated model.
#pragma once

#include <cstdint>

#include "tessera/generated/command_set.hpp"

namespace tessera::rtl {

inline constexpr unsigned kMaxBusBytes = 64;

/// Inputs hold for the coming clock edge; outputs are those after the last one. No output depends
/// on an input within a cycle.
struct Ports {
  // Inputs.
  std::uint8_t rst_n = 0;
  std::uint8_t s_awvalid = 0, s_wvalid = 0, s_wstrb = 0, s_bready = 0, s_arvalid = 0, s_rready = 0;
  std::uint16_t s_awaddr = 0, s_araddr = 0;
  std::uint32_t s_wdata = 0;
  std::uint8_t m_arready = 0, m_rvalid = 0, m_rid = 0, m_rresp = 0, m_rlast = 0;
  std::uint8_t m_awready = 0, m_wready = 0, m_bvalid = 0, m_bresp = 0;
  std::uint8_t m_rdata[kMaxBusBytes] = {};
  // Outputs.
  std::uint8_t s_awready = 0, s_wready = 0, s_bvalid = 0, s_bresp = 0, s_arready = 0, s_rvalid = 0;
  std::uint8_t s_rresp = 0;
  std::uint32_t s_rdata = 0;
  std::uint8_t m_arvalid = 0, m_arid = 0, m_arlen = 0, m_rready = 0;
  std::uint8_t m_awvalid = 0, m_awlen = 0, m_wvalid = 0, m_wlast = 0, m_bready = 0;
  std::uint32_t m_araddr = 0, m_awaddr = 0;
  std::uint8_t m_wdata[kMaxBusBytes] = {};
  std::uint64_t m_wstrb = 0;
  std::uint8_t irq = 0;
  std::uint8_t mark_valid = 0;  ///< bit 0: load, 1: compute, 2: store
  std::uint16_t mark_id[3] = {};
  std::uint64_t counters[isa::kNumCounters] = {};  ///< valid with mark_valid
};

/// Entry points of a built model.
extern "C" {
using CreateModel = void* (*)(const char* waves);  ///< waves: FST file, or nullptr
using StepModel = void (*)(void* model, Ports* ports);
using DestroyModel = void (*)(void* model);
}

}  // namespace tessera::rtl

// Compiled together with a Verilated accelerator into one shared library per hardware variant.
#include <verilated.h>

#include <cstring>
#include <memory>

#include "Vtessera_npu.h"
#include "sim/verilated/ports.hpp"
#if TESSERA_WAVES
#include <verilated_fst_c.h>
#endif
#if TESSERA_COVERAGE
#include <unistd.h>
#include <verilated_cov.h>

#include <cstdlib>
#include <string>
#endif

namespace {

using tessera::rtl::Ports;

// Wide Verilator ports are arrays of words, narrow ones integers; both are little-endian bytes.
template <class Port>
void copy_in(Port& port, const std::uint8_t* bytes) {
  std::memcpy(&port, bytes, sizeof(Port));
}
template <class Port>
void copy_out(const Port& port, std::uint8_t* bytes) {
  std::memcpy(bytes, &port, sizeof(Port));
}

struct Model {
  VerilatedContext context;
  std::unique_ptr<Vtessera_npu> top;
#if TESSERA_WAVES
  std::unique_ptr<VerilatedFstC> waves;
#endif

  explicit Model([[maybe_unused]] const char* wave_file) {
    context.randReset(0);
#if TESSERA_WAVES
    context.traceEverOn(true);
#endif
    top = std::make_unique<Vtessera_npu>(&context, "tessera_npu");
#if TESSERA_WAVES
    if (wave_file != nullptr) {
      waves = std::make_unique<VerilatedFstC>();
      top->trace(waves.get(), 99);
      waves->open(wave_file);
    }
#endif
  }

  ~Model() {
#if TESSERA_WAVES
    if (waves) {
      waves->close();
    }
#endif
    top->final();
#if TESSERA_COVERAGE
    static unsigned models = 0;
    const char* folder = std::getenv("TESSERA_RTL_COVERAGE");
    context.coveragep()->write((std::string(folder == nullptr ? "." : folder) + "/" +
                                std::to_string(getpid()) + "-" + std::to_string(models++) + ".dat")
                                   .c_str());
#endif
  }

  void half_cycle(int clock) {
    top->clk_i = clock != 0;
    top->eval();
#if TESSERA_WAVES
    if (waves) {
      waves->dump(context.time());
    }
#endif
    context.timeInc(1);
  }

  void step(Ports& p) {
    top->rst_ni = p.rst_n;
    top->s_awvalid_i = p.s_awvalid;
    top->s_awaddr_i = p.s_awaddr;
    top->s_wvalid_i = p.s_wvalid;
    top->s_wdata_i = p.s_wdata;
    top->s_wstrb_i = p.s_wstrb;
    top->s_bready_i = p.s_bready;
    top->s_arvalid_i = p.s_arvalid;
    top->s_araddr_i = p.s_araddr;
    top->s_rready_i = p.s_rready;
    top->m_arready_i = p.m_arready;
    top->m_rvalid_i = p.m_rvalid;
    if (p.m_rvalid != 0) {
      top->m_rid_i = p.m_rid;
      top->m_rresp_i = p.m_rresp;
      top->m_rlast_i = p.m_rlast;
      copy_in(top->m_rdata_i, p.m_rdata);
    }
    top->m_awready_i = p.m_awready;
    top->m_wready_i = p.m_wready;
    top->m_bvalid_i = p.m_bvalid;
    top->m_bresp_i = p.m_bresp;
    half_cycle(0);
    half_cycle(1);
    p.s_awready = top->s_awready_o;
    p.s_wready = top->s_wready_o;
    p.s_bvalid = top->s_bvalid_o;
    p.s_bresp = top->s_bresp_o;
    p.s_arready = top->s_arready_o;
    p.s_rvalid = top->s_rvalid_o;
    p.s_rdata = top->s_rdata_o;
    p.s_rresp = top->s_rresp_o;
    p.m_arvalid = top->m_arvalid_o;
    p.m_arid = top->m_arid_o;
    p.m_araddr = top->m_araddr_o;
    p.m_arlen = top->m_arlen_o;
    p.m_rready = top->m_rready_o;
    p.m_awvalid = top->m_awvalid_o;
    p.m_awaddr = top->m_awaddr_o;
    p.m_awlen = top->m_awlen_o;
    p.m_wvalid = top->m_wvalid_o;
    if (p.m_wvalid != 0) {
      copy_out(top->m_wdata_o, p.m_wdata);
      p.m_wstrb = top->m_wstrb_o;
      p.m_wlast = top->m_wlast_o;
    }
    p.m_bready = top->m_bready_o;
    p.irq = top->irq_o;
    p.mark_valid = top->trace_mark_valid_o;
    if (p.mark_valid != 0) {
      read_marks(p);
    }
  }

  void read_marks(Ports& p) const {
    std::memcpy(p.mark_id, &top->trace_mark_id_o, sizeof(p.mark_id));
    std::uint8_t packed[sizeof(top->trace_counters_o)];
    copy_out(top->trace_counters_o, packed);
    for (std::size_t i = 0; i < tessera::isa::kNumCounters; ++i) {
      p.counters[i] = 0;
      std::memcpy(&p.counters[i], packed + 6 * i, 6);
    }
  }
};

}  // namespace

extern "C" void* tessera_create(const char* waves) {
  return new Model(waves);
}
extern "C" void tessera_step(void* model, Ports* ports) {
  static_cast<Model*>(model)->step(*ports);
}
extern "C" void tessera_destroy(void* model) {
  delete static_cast<Model*>(model);
}

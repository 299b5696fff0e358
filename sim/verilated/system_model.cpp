// Compiled together with a Verilated system into one shared library.
#include <verilated.h>

#include <cstring>
#include <memory>

#include "Vtessera_system.h"
#include "sim/verilated/system_ports.hpp"

namespace {

using tessera::rtl::SystemPorts;

struct Model {
  VerilatedContext context;
  std::unique_ptr<Vtessera_system> top;

  Model() {
    context.randReset(0);
    top = std::make_unique<Vtessera_system>(&context, "tessera_system");
  }
  ~Model() { top->final(); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  void step(SystemPorts& p) {
    top->rst_ni = p.rst_n;
    top->start_i = p.start;
    top->restart_i = p.restart;
    top->host_re_i = p.host_re;
    top->host_we_i = p.host_we;
    top->host_address_i = p.host_address;
    std::memcpy(&top->host_data_i, p.host_wdata, sizeof(top->host_data_i));
    top->clk_i = 0;
    top->eval();
    top->clk_i = 1;
    top->eval();
    p.busy = top->busy_o;
    p.done = top->done_o;
    p.error = top->error_o;
    p.error_cause = top->error_cause_o;
    p.error_info = top->error_info_o;
    p.runs_done = top->runs_done_o;
    std::memcpy(p.host_rdata, &top->host_data_o, sizeof(top->host_data_o));
  }
};

}  // namespace

extern "C" {

// The ROM's file is read in the first step.
void* tessera_create() {
  return new Model;
}

void tessera_step(void* model, SystemPorts* ports) {
  static_cast<Model*>(model)->step(*ports);
}

void tessera_destroy(void* model) {
  delete static_cast<Model*>(model);
}
}

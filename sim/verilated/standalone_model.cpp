// Compiled together with a Verilated board into one shared library: its button and its lights.
#include <verilated.h>

#include <memory>

#include "Vbench.h"
#include "sim/verilated/standalone_ports.hpp"

namespace {

using tessera::rtl::StandalonePorts;

// Of the board that runs now.
thread_local const StandalonePorts* running = nullptr;

struct Model {
  VerilatedContext context;
  std::unique_ptr<Vbench> top;
  std::uint64_t cycles = 0;

  Model() {
    context.randReset(0);
    top = std::make_unique<Vbench>(&context, "bench");
    top->clk_i = 0;
    top->button_i = 0;
    top->eval();  // the memories' files are read here
  }
  ~Model() { top->final(); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  void run(StandalonePorts& p) {
    running = &p;
    top->button_i = p.pressed;
    for (std::uint64_t i = 0; i < p.most_cycles; ++i) {
      top->clk_i = 1;
      top->eval();
      top->clk_i = 0;
      top->eval();
      ++cycles;
      p.broken_rule = top->broken_o;
      if (p.broken_rule != 0 || (p.mask != 0 && (top->leds_o & p.mask) == p.wanted)) {
        break;
      }
    }
    p.cycles = cycles;
    p.leds = top->leds_o;
  }
};

}  // namespace

extern "C" {

// What sim/board/flash_model.sv asks for; erased bytes are ones, and all of them before it runs.
unsigned char tessera_flash_byte(unsigned address) {
  const StandalonePorts* p = running;
  const bool held =
      p != nullptr && address >= p->flash_at && address - p->flash_at < p->flash_bytes;
  return held ? p->flash[address - p->flash_at] : 0xFF;
}

void* tessera_create() {
  return new Model;
}

void tessera_run(void* model, StandalonePorts* ports) {
  static_cast<Model*>(model)->run(*ports);
}

void tessera_destroy(void* model) {
  delete static_cast<Model*>(model);
}
}

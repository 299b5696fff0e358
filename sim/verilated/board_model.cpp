// Compiled together with a Verilated board into one shared library: the far end of its serial line.
#include <verilated.h>

#include <memory>

#include "Vbench.h"
#include "sim/verilated/board_ports.hpp"

namespace {

using tessera::rtl::BoardPorts;

constexpr int kBits = 10;  // start, eight, stop

// Of the board that runs now.
thread_local const BoardPorts* running = nullptr;

struct Model {
  VerilatedContext context;
  std::unique_ptr<Vbench> top;
  std::uint64_t cycles = 0;
  // What goes to the board: bits that are left, cycles of the one on the line.
  std::uint32_t sending = 0, sending_bits = 0, sending_wait = 0;
  // What comes: bits that are still to be looked at, cycles until the next look.
  std::uint32_t coming = 0, coming_bits = 0, coming_wait = 0;

  Model() {
    context.randReset(0);
    top = std::make_unique<Vbench>(&context, "bench");
    top->rx_i = 1;
    top->clk_i = 0;
  }
  ~Model() { top->final(); }
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  void send(BoardPorts& p) {
    if (sending_wait > 0) {
      --sending_wait;
      return;
    }
    if (sending_bits == 0) {
      if (p.sent == p.to_board_bytes) {
        top->rx_i = 1;
        return;
      }
      sending = static_cast<std::uint32_t>(p.to_board[p.sent++]) << 1 | 1U << 9;
      sending_bits = kBits;
    }
    top->rx_i = sending & 1;
    sending >>= 1;
    --sending_bits;
    sending_wait = p.divider - 1;
  }

  // True when a byte is whole.
  bool receive(BoardPorts& p) {
    if (coming_bits == 0) {
      if (top->tx_o == 0) {
        coming_bits = kBits;
        coming = 0;
        coming_wait = p.divider / 2;
      }
      return false;
    }
    if (coming_wait > 0) {
      --coming_wait;
      return false;
    }
    coming |= static_cast<std::uint32_t>(top->tx_o) << (kBits - coming_bits);
    coming_wait = p.divider - 1;
    if (--coming_bits > 0 || (coming & 1U << 9) == 0) {
      return false;
    }
    p.from_board[p.from_board_bytes++] = static_cast<std::uint8_t>(coming >> 1);
    return true;
  }

  void run(BoardPorts& p) {
    running = &p;
    p.sent = 0;
    p.from_board_bytes = 0;
    for (std::uint64_t i = 0; i < p.most_cycles; ++i) {
      send(p);
      top->clk_i = 1;
      top->eval();
      top->clk_i = 0;
      top->eval();
      ++cycles;
      p.broken_rule = top->broken_o;
      if ((receive(p) && p.until_byte != 0) || p.from_board_bytes == sizeof(p.from_board) ||
          p.broken_rule != 0) {
        break;
      }
    }
    p.cycles = cycles;
    p.leds = top->leds_o;
  }
};

}  // namespace

extern "C" {

// What sim/board/flash_model.sv asks for; erased bytes are ones.
unsigned char tessera_flash_byte(unsigned address) {
  const BoardPorts& p = *running;
  const bool held = address >= p.flash_at && address - p.flash_at < p.flash_bytes;
  return held ? p.flash[address - p.flash_at] : 0xFF;
}

void* tessera_create() {
  return new Model;
}

void tessera_run(void* model, BoardPorts* ports) {
  static_cast<Model*>(model)->run(*ports);
}

void tessera_destroy(void* model) {
  delete static_cast<Model*>(model);
}
}

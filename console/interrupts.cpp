#include "console/interrupts.hpp"

namespace tessera {
namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

Interrupts::Interrupts() {
  interrupted = 0;
  struct sigaction note {};
  note.sa_handler = [](int /*signal*/) { interrupted = 1; };
  sigaction(SIGINT, &note, &old_int_);
  sigaction(SIGTERM, &note, &old_term_);
}

Interrupts::~Interrupts() {
  sigaction(SIGINT, &old_int_, nullptr);
  sigaction(SIGTERM, &old_term_, nullptr);
}

bool Interrupts::noted() {
  return interrupted != 0;
}

}  // namespace tessera

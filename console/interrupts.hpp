// SIGINT and SIGTERM as a question instead of an end.
#pragma once

#include <csignal>

namespace tessera {

/// While it lives, SIGINT and SIGTERM are noted instead of ending the program.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  Interrupts(Interrupts&&) = delete;
  Interrupts& operator=(Interrupts&&) = delete;

  /// One has come since the last one of these began.
  static bool noted();

 private:
  struct sigaction old_int_ {};
  struct sigaction old_term_ {};
};

}  // namespace tessera

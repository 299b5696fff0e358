// Progress on stderr: a bar on a terminal, plain lines otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tessera {

class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  Progress(Progress&&) = delete;
  Progress& operator=(Progress&&) = delete;

  /// A line of its own.
  void say(const std::string& text);
  /// How much of the whole is done; shown from the first second on.
  void update(const std::string& what, std::uint64_t done, std::uint64_t whole);
  /// Takes the bar away.
  void clear();

 private:
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace tessera

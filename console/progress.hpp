// Progress on stderr: a bar on a terminal, plain lines otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace tessera {

/// "0:40 left", from when the work began and how much of it is done; "" before anything is.
std::string time_left(std::chrono::steady_clock::time_point begun, std::uint64_t done,
                      std::uint64_t whole);

/// Who is told in the place of stderr, at most ten times a second.
struct ProgressListener {
  std::function<void(const std::string& text)> say;
  std::function<void(const std::string& what, std::uint64_t done, std::uint64_t whole)> update;
};

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

  /// Tells this one, which has to live as long.
  ProgressListener listener();

  /// For all of the process, from then on.
  static void redirect(ProgressListener listener);

 private:
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begun_, next_;
};

}  // namespace tessera

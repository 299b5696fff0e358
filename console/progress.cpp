#include "console/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tessera {
namespace {

constexpr int kBarWidth = 30;
constexpr std::chrono::milliseconds kFirst{1000};
constexpr std::chrono::milliseconds kTerminalPeriod{100};
constexpr std::chrono::milliseconds kLinePeriod{5000};

ProgressListener& everybodys() {
  static ProgressListener all;
  return all;
}

}  // namespace

std::string time_left(std::chrono::steady_clock::time_point begun, std::uint64_t done,
                      std::uint64_t whole) {
  if (done == 0) {
    return "";
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  const auto left = static_cast<std::uint64_t>(took.count() / static_cast<double>(done) *
                                               static_cast<double>(whole - done));
  return fmt::format("{}:{:02} left", left / 60, left % 60);
}

Progress::Progress(bool quiet)
    : quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      begun_(std::chrono::steady_clock::now()),
      next_(begun_ + kFirst) {}

Progress::~Progress() {
  clear();
}

void Progress::say(const std::string& text) {
  if (quiet_) {
    return;
  }
  if (everybodys().say) {
    everybodys().say(text);
  } else {
    clear();
    fmt::print(stderr, "{}\n", text);
  }
}

void Progress::update(const std::string& what, std::uint64_t done, std::uint64_t whole) {
  const auto now = std::chrono::steady_clock::now();
  if (everybodys().update && !quiet_) {
    if (now >= next_ || done == whole) {
      everybodys().update(what, done, whole);
      next_ = now + kTerminalPeriod;
    }
    return;
  }
  if (quiet_ || now < next_) {
    return;
  }
  const double share = whole == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(whole);
  if (terminal_) {
    const auto filled = static_cast<int>(share * kBarWidth);
    fmt::print(stderr, "\r\033[K[{}{}] {:3.0f} % {}",
               std::string(static_cast<std::size_t>(filled), '#'),
               std::string(static_cast<std::size_t>(kBarWidth - filled), '.'), 100 * share, what);
    std::fflush(stderr);
    shown_ = true;
    next_ = now + kTerminalPeriod;
  } else {
    fmt::print(stderr, "{:3.0f} % {}\n", 100 * share, what);
    // What takes an hour is not told every five seconds.
    next_ = now + std::max<std::chrono::steady_clock::duration>(kLinePeriod, (now - begun_) / 10);
  }
}

void Progress::clear() {
  if (shown_) {
    fmt::print(stderr, "\r\033[K");
    std::fflush(stderr);
    shown_ = false;
  }
}

ProgressListener Progress::listener() {
  return {[this](const std::string& text) { say(text); },
          [this](const std::string& what, std::uint64_t done, std::uint64_t whole) {
            update(what, done, whole);
          }};
}

void Progress::redirect(ProgressListener other) {
  everybodys() = std::move(other);
}

}  // namespace tessera

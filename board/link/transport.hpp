// A line that carries bytes both ways.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::board {

/// The line is gone: unplugged, closed.
class LinkLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Transport {
 public:
  Transport() = default;
  virtual ~Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  Transport(Transport&&) = delete;
  Transport& operator=(Transport&&) = delete;

  /// Throws LinkLost.
  virtual void send(const std::vector<std::uint8_t>& bytes) = 0;
  /// What has come, waiting for at least a byte at most that long: empty after it. Throws LinkLost.
  virtual std::vector<std::uint8_t> receive(std::chrono::milliseconds wait) = 0;
};

}  // namespace tessera::board

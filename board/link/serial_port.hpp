// A serial port of the operating system, or a pseudo-terminal.
#pragma once

#include <string>

#include "board/link/transport.hpp"

namespace tessera::board {

class SerialPort : public Transport {
 public:
  /// 8 bits, no parity, 1 stop bit, no flow control. Throws InputError when the port cannot be
  /// opened or does not know the rate.
  SerialPort(const std::string& path, std::uint32_t baud);
  ~SerialPort() override;
  SerialPort(const SerialPort&) = delete;
  SerialPort& operator=(const SerialPort&) = delete;
  SerialPort(SerialPort&&) = delete;
  SerialPort& operator=(SerialPort&&) = delete;

  void send(const std::vector<std::uint8_t>& bytes) override;
  std::vector<std::uint8_t> receive(std::chrono::milliseconds wait) override;

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace tessera::board

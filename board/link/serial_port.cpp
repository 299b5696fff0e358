#include "board/link/serial_port.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/file.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tessera/error.hpp"

namespace tessera::board {
namespace {

constexpr int kSendPatienceMs = 5000;

// termios knows these by name only.
constexpr std::array<std::pair<std::uint32_t, speed_t>, 13> kRates = {{{9600, B9600},
                                                                       {19200, B19200},
                                                                       {38400, B38400},
                                                                       {57600, B57600},
                                                                       {115200, B115200},
                                                                       {230400, B230400},
                                                                       {460800, B460800},
                                                                       {500000, B500000},
                                                                       {921600, B921600},
                                                                       {1000000, B1000000},
                                                                       {1500000, B1500000},
                                                                       {2000000, B2000000},
                                                                       {3000000, B3000000}}};

speed_t rate_of(std::uint32_t baud) {
  std::vector<std::uint32_t> known;
  for (const auto& [rate, constant] : kRates) {
    if (rate == baud) {
      return constant;
    }
    known.push_back(rate);
  }
  throw InputError(fmt::format("{} baud: serial ports know {}", baud, fmt::join(known, ", ")));
}

}  // namespace

SerialPort::SerialPort(const std::string& path, std::uint32_t baud) : path_(path) {
  const speed_t rate = rate_of(baud);
  file_ = ::open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  const auto refuse = [&](const std::string& why) {
    if (file_ >= 0) {
      ::close(file_);
    }
    throw InputError(fmt::format("{}: {}", path, why));
  };
  if (file_ < 0) {
    refuse(std::strerror(errno));
  }
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    refuse("another program uses this port");
  }
  termios settings{};
  if (::tcgetattr(file_, &settings) != 0) {
    refuse("is no serial port");
  }
  ::cfmakeraw(&settings);
  settings.c_cflag |= CLOCAL | CREAD;
  settings.c_cflag &= ~static_cast<tcflag_t>(CSTOPB | CRTSCTS);
  ::cfsetispeed(&settings, rate);
  ::cfsetospeed(&settings, rate);
  if (::tcsetattr(file_, TCSANOW, &settings) != 0) {
    refuse(fmt::format("does not take {} baud: {}", baud, std::strerror(errno)));
  }
  ::tcflush(file_, TCIOFLUSH);
}

SerialPort::~SerialPort() {
  ::close(file_);
}

void SerialPort::send(const std::vector<std::uint8_t>& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t done = ::write(file_, bytes.data() + at, bytes.size() - at);
    if (done > 0) {
      at += static_cast<std::size_t>(done);
      continue;
    }
    if (done < 0 && errno != EAGAIN && errno != EINTR) {
      throw LinkLost(fmt::format("{}: {}", path_, std::strerror(errno)));
    }
    pollfd wait{file_, POLLOUT, 0};
    if (::poll(&wait, 1, kSendPatienceMs) == 0) {
      throw LinkLost(fmt::format("{}: takes no more bytes", path_));
    }
    if ((wait.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
      throw LinkLost(fmt::format("{}: the line is gone", path_));
    }
  }
}

std::vector<std::uint8_t> SerialPort::receive(std::chrono::milliseconds wait) {
  pollfd ready{file_, POLLIN, 0};
  const int events = ::poll(&ready, 1, static_cast<int>(wait.count()));
  if (events == 0 || (events < 0 && errno == EINTR)) {
    return {};
  }
  std::vector<std::uint8_t> bytes(4096);
  const ssize_t count = ::read(file_, bytes.data(), bytes.size());
  const bool nothing_yet = count < 0 && (errno == EAGAIN || errno == EINTR);
  if (count <= 0 && !nothing_yet) {
    throw LinkLost(fmt::format("{}: the line is gone", path_));
  }
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return bytes;
}

}  // namespace tessera::board

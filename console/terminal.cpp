#include "console/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace tessera {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Terminal standard_output() {
  Terminal terminal;
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  terminal.colour = is_terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  if (const long columns = std::strtol(environment("COLUMNS").c_str(), nullptr, 10); columns > 0) {
    terminal.width = static_cast<std::size_t>(columns);
  } else if (winsize size{}; is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    terminal.width = size.ws_col;
  }
  return terminal;
}

}  // namespace tessera

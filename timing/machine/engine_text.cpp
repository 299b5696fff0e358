#include <fmt/format.h>

#include "tessera/engine.hpp"

namespace tessera {

const std::vector<std::string>& engine_names() {
  static const std::vector<std::string> names = {"rtl", "tlm", "model", "netlist"};
  return names;
}

std::string describe(isa::Error cause, std::uint32_t info) {
  const auto units = [&] {
    std::string names;
    const char* const all[] = {"load", "compute", "store"};
    for (unsigned u = 0; u < 3; ++u) {
      if (((info >> u) & 1U) != 0) {
        names += (names.empty() ? "" : ", ") + std::string(all[u]);
      }
    }
    return names;
  };
  const auto index = static_cast<std::size_t>(cause);
  const std::string name =
      index < isa::kErrors.size() ? std::string(isa::kErrors[index].name) : "unknown";
  switch (cause) {
    case isa::Error::IllegalCommand:
      return fmt::format("{}: illegal command at byte {} of the stream", name, info);
    case isa::Error::NotBuilt:
      return fmt::format(
          "{}: the command at byte {} of the stream needs a feature that the hardware does not "
          "have",
          name, info);
    case isa::Error::StreamEnd:
      return fmt::format("{}: the stream ended after {} bytes without END", name, info);
    case isa::Error::ReadBus:
      return fmt::format("{}: the memory answered a {} with {}", name,
                         (info & 0x100U) != 0 ? "command fetch" : "load",
                         (info & 3U) == 3 ? "DECERR (address outside the map)" : "SLVERR");
    case isa::Error::WriteBus:
      return fmt::format("{}: the memory answered a write with {}", name,
                         (info & 3U) == 3 ? "DECERR (address outside the map)" : "SLVERR");
    case isa::Error::Deadlock:
      return fmt::format("{}: {} wait(s) for a token that can never come", name, units());
    case isa::Error::Watchdog:
      return fmt::format("{}: no progress for the cycles allowed; not idle: {}", name, units());
    default:
      return fmt::format("{} ({}: {})", name,
                         index < isa::kErrors.size() ? std::string(isa::kErrors[index].doc) : "",
                         info);
  }
}

}  // namespace tessera

// How far nextpnr is, from what it has logged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tessera::fpga {

struct PlacerProgress {
  std::string what;         ///< for people
  std::uint64_t done = 0;   ///< connections that are routed
  std::uint64_t whole = 1;  ///< all of them, once that is known
};

/// From a log that may be at any point, or not be there yet.
PlacerProgress progress_in(const std::filesystem::path& log);

}  // namespace tessera::fpga

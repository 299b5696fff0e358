#include <cstddef>
#include <cstdint>

#include "tessera/config.hpp"
#include "tessera/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    tessera::parse_config({reinterpret_cast<const char*>(data), size}, "fuzz.yaml", {});
  } catch (const tessera::InputError&) {
    // A readable refusal is as good as a configuration.
  }
  return 0;
}

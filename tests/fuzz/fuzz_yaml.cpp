#include <cstddef>
#include <cstdint>

#include "tessera/error.hpp"
#include "tessera/import.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    tessera::import_yaml({reinterpret_cast<const char*>(data), size}, "fuzz.yaml", 1);
  } catch (const tessera::InputError&) {
    // A readable refusal is as good as a network.
  }
  return 0;
}

#include <cstddef>
#include <cstdint>

#include "tessera/error.hpp"
#include "tessera/import.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const bool cut : {false, true}) {
    try {
      tessera::import_onnx({data, data + size}, "fuzz.onnx", {1, true, cut});
    } catch (const tessera::InputError&) {
      // A readable refusal is as good as a network.
    }
  }
  return 0;
}

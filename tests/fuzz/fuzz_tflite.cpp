#include <cstddef>
#include <cstdint>

#include "tessera/error.hpp"
#include "tessera/import.hpp"
#include "tessera/tflite_plan.hpp"

namespace {

template <class Action>
void attempt(Action action) {
  try {
    action();
  } catch (const tessera::InputError&) {
    // A readable refusal is as good as a network.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<std::uint8_t> model(data, data + size);
  attempt([&] { tessera::import_tflite(model, "fuzz.tflite"); });
  attempt([&] { tessera::import_tflite(model, "fuzz.tflite", {1, true, true}); });
  attempt([&] {
    const auto activations = tessera::tflite_activations(model, "fuzz.tflite", 16);
    tessera::with_offline_plan(model, "fuzz.tflite",
                               std::vector<std::int32_t>(activations.tensors, -1));
  });
  return 0;
}

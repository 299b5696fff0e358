// Normalisations of rows of floats.
#include <cmath>

#include "network/reference/elements.hpp"
#include "network/reference/host_kernels.hpp"

namespace tessera::reference {

// ONNX's LayerNormalization and RMSNormalization over the last axis, added up as ONNX Runtime's
// kernel does: sum and sum of squares in one pass, in single precision.
void host_layer_normalisation(const HostOperator& host, const Operands& x) {
  const bool around_zero = host.integers[0] != 0;
  const float epsilon = host.numbers[0];
  const std::int64_t depth = x.input(0).shape.back();
  const auto count = static_cast<float>(depth);
  for (std::int64_t first = 0; first < x.input(0).elements(); first += depth) {
    float sum = 0;
    float squares = 0;
    for (std::int64_t c = 0; c < depth; ++c) {
      const auto value = get<float>(x.inputs[0], first + c);
      sum += value;
      squares += value * value;
    }
    const float mean = around_zero ? 0.0F : sum / count;
    const float spread = std::sqrt(squares / count - mean * mean + epsilon);
    for (std::int64_t c = 0; c < depth; ++c) {
      float value = (get<float>(x.inputs[0], first + c) - mean) / spread;
      value *= get<float>(x.inputs[1], c);
      value += x.inputs.size() > 2 ? get<float>(x.inputs[2], c) : 0.0F;
      put(x.output_data, first + c, value);
    }
  }
}

}  // namespace tessera::reference

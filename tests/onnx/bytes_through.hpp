// Unsigned bytes through a model of one input and one output.
#pragma once

#include <cstdint>
#include <vector>

#include "app/tensor_file.hpp"
#include "tessera/import.hpp"
#include "tessera/reference.hpp"
#include "tests/onnx/model_writer.hpp"

namespace tessera::test {

/// What the model's output has for `x`, by the reference kernels. Throws InputError.
inline std::vector<int> bytes_through(ModelWriter& model, const std::vector<int>& x) {
  const Network network = import_onnx(model.bytes(), "model.onnx", {1, false, false});
  const Tensor& in = network.tensors[static_cast<std::size_t>(network.inputs[0])];
  const Tensor& out = network.tensors[static_cast<std::size_t>(network.outputs[0])];
  std::vector<int> values;
  for (const std::uint8_t byte :
       to_own(out, run_reference(network, {from_own(in, Bytes(x.begin(), x.end()))})[0])) {
    values.push_back(byte);
  }
  return values;
}

}  // namespace tessera::test

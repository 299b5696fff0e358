// Small models of one operator each, as both writers of quantised ONNX make them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/onnx/model_writer.hpp"

namespace tessera::test {

/// Nodes between `xf`, the dequantised input, and `yf`; or, for QLinear operators, between `x` and
/// `y`.
struct OnnxCase {
  const char* name;
  std::vector<std::int64_t> dims;
  float y_scale;
  std::function<void(ModelWriter&, bool is_signed)> build;
  bool qlinear = false;
};

std::vector<OnnxCase> onnx_cases();

/// The whole model; its input has int8 or uint8.
std::vector<std::uint8_t> model_of(const OnnxCase& c, bool is_signed);

}  // namespace tessera::test

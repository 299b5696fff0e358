// Many operators as one C file.
#pragma once

#include <string>
#include <vector>

#include "rom/runtime/kernels.hpp"
#include "rom/runtime/operator_code.hpp"
#include "tests/rom/runtime/drawn_operator.hpp"

namespace tessera::test {

/// Functions `int case0(const uint8_t *const *in, uint8_t *out)`, ...: an operator each.
class OperatorFile {
 public:
  /// Why there is no C for it; empty when there is.
  std::string add(const DrawnOperator& drawn) {
    runtime::Places places;
    for (std::size_t i = 0; i < drawn.inputs.size(); ++i) {
      places.inputs.push_back(drawn.inputs[i].empty() ? "" : fmt::format("in[{}]", i));
    }
    places.output = "out";
    const runtime::OperatorCode code =
        runtime::code_of(drawn.network, drawn.network.operators[0], places, text_);
    functions_ += fmt::format(
        "\nint case{}(const uint8_t *const *in, uint8_t *out);\n"
        "int case{}(const uint8_t *const *in, uint8_t *out) {{\n  (void)in;\n  (void)out;\n{}  "
        "return 0;\n}}\n",
        count_, count_, code.statements);
    ++count_;
    return code.missing;
  }

  [[nodiscard]] bool needs_library() const { return runtime::need_library(text_.kernels()); }

  [[nodiscard]] std::string text() const {
    return runtime::kernel_sources(text_.kernels()) + text_.definitions() +
           fmt::format("static uint8_t tessera_scratch[{}] __attribute__((unused));\n",
                       text_.scratch_bytes() + 1) +
           functions_;
  }

 private:
  runtime::CText text_;
  std::string functions_;
  int count_ = 0;
};

}  // namespace tessera::test

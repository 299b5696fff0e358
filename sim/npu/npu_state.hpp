// Architectural state of the accelerator: cbuf, accumulators, parameter memories.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tessera/hardware.hpp"

namespace tessera::npu {

struct Parameter {
  std::int32_t bias = 0;
  std::int32_t multiplier = 0;
  std::int32_t shift = 0;
};

struct Memories {
  explicit Memories(const Hardware& hardware);

  [[nodiscard]] std::uint32_t operand_words() const { return hw.acc_words; }

  Hardware hw;
  std::uint32_t cbuf_limit;           ///< atoms that may be used
  std::vector<std::int16_t> cbuf;     ///< [atom][byte], sign-extended
  std::vector<std::int32_t> sums;     ///< [word][kernel]
  std::vector<Parameter> parameters;  ///< [group][kernel]
  std::vector<std::int8_t> operands;  ///< [word][kernel]
  std::array<std::int32_t, 512> tables{};
};

}  // namespace tessera::npu

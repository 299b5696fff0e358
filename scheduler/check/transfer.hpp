// Two-dimensional transfers between external memory and the chip.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "scheduler/check/run_state.hpp"

namespace tessera::checker {

/// Calls `visit(begin, end)` for every segment of bytes; false when one is outside the map, which
/// is reported.
template <class Shape, class Stride, class Visit>
bool for_segments(std::uint64_t address, const Shape& shape, const Stride& stride, RunState& state,
                  Visit visit) {
  for (std::uint64_t outer = 0; outer < shape.outer; ++outer) {
    for (std::uint64_t inner = 0; inner < shape.inner; ++inner) {
      const std::uint64_t begin =
          address + outer * stride.outer_stride + inner * stride.inner_stride;
      const std::uint64_t end = begin + shape.segment_bytes;
      if (end > state.external.size()) {
        state.findings.report_here(
            fmt::format("external address {:#x} is outside the map of {:#x} "
                        "bytes",
                        end - 1, state.external.size()));
        return false;
      }
      visit(begin, end);
    }
  }
  return true;
}

}  // namespace tessera::checker

#include <fmt/format.h>

#include "scheduler/lower/tiling.hpp"
#include "tessera/schedule.hpp"

namespace tessera {
namespace {

std::string depthwise_problem(const ConvShape& shape, const Hardware& hardware) {
  const Windows windows(shape, hardware);
  for (std::uint32_t phase = 0; phase < windows.phases(); ++phase) {
    const WindowTiling tiling = windows[phase];
    if (tiling.chunks_y > 16 || tiling.chunks_x > 16) {
      return fmt::format("its kernel needs {} x {} windows of the array, the command set allows 16",
                         tiling.chunks_y, tiling.chunks_x);
    }
  }
  return "";
}

}  // namespace

std::uint64_t ConvShape::macs() const {
  return static_cast<std::uint64_t>(out_h) * static_cast<std::uint64_t>(out_w) *
         static_cast<std::uint64_t>(out_c) * static_cast<std::uint64_t>(kernel_h) *
         static_cast<std::uint64_t>(kernel_w) * (depthwise ? 1 : static_cast<std::uint64_t>(in_c));
}

std::string accelerator_problem(const ConvShape& shape, const Hardware& hardware) {
  const bool windows = shape.depthwise && !is_diagonal(shape, hardware);
  if (windows) {
    if (std::string problem = depthwise_problem(shape, hardware); !problem.empty()) {
      return problem;
    }
  }
  struct Limit {
    const char* what;
    std::int64_t value;
    std::int64_t highest;
  };
  const Limit limits[] = {
      {"kernel height", windows ? 1 : shape.kernel_h, 16},
      {"kernel width", windows ? 1 : shape.kernel_w, 16},
      {"vertical stride", shape.stride_h, 8},
      {"horizontal stride", shape.stride_w, 8},
      {"vertical dilation", shape.dilation_h, 16},
      {"horizontal dilation", shape.dilation_w, 16},
      {"input height", shape.in_h, 32767},
      {"input width", shape.in_w, 32767},
      {"input channels", shape.in_c, 65535},
      {"bytes of an input row", std::int64_t{shape.in_w} * shape.in_c, (1 << 24) - 1},
      {"bytes of an output row", std::int64_t{shape.out_w} * shape.out_c, (1 << 24) - 1},
      {"channel atoms", atoms_of(shape, hardware), 4095},
  };
  for (const Limit& limit : limits) {
    if (limit.value > limit.highest) {
      return fmt::format("{} is {}, the command set allows {}", limit.what, limit.value,
                         limit.highest);
    }
  }
  return "";
}

}  // namespace tessera

#include "hardware/identity.hpp"

#include "tessera/generated/command_set.hpp"

namespace tessera {
namespace {

constexpr std::uint32_t kId = 0x54535241;

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint64_t>> identity_of(const Hardware& hardware) {
  const Hardware::Window window = hardware.depthwise_window();
  return {{isa::reg::kId, kId},
          {isa::reg::kVersion, isa::kCommandSetVersion},
          {isa::reg::kAtomicC, hardware.atomic_c},
          {isa::reg::kAtomicK, hardware.atomic_k},
          {isa::reg::kCbufBytes, hardware.cbuf_capacity},
          {isa::reg::kAccWords, hardware.acc_words},
          {isa::reg::kParamGroups, hardware.param_groups},
          {isa::reg::kWindow,
           window.rows == 0 ? 0U : window.rows | window.cols << 8 | hardware.line_atoms << 16},
          {isa::reg::kBusBytes, hardware.bus_bytes}};
}

}  // namespace tessera

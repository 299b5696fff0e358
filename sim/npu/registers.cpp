#include "sim/npu/registers.hpp"

namespace tessera::npu {
namespace {

constexpr std::uint32_t kId = 0x54535241;
constexpr std::uint32_t kCheck = 4;  // of CONTROL
constexpr std::uint32_t kBusy = 1, kDone = 2, kError = 4;

}  // namespace

Registers::Registers(const Hardware& hardware)
    : hw(hardware),
      cbuf_limit(static_cast<std::uint32_t>(hardware.cbuf_capacity / hardware.atomic_c)) {}

Response Registers::read(std::uint32_t offset, const Counters& counters,
                         std::uint32_t& value) const {
  const Hardware::Window window = hw.depthwise_window();
  switch (offset) {
    case isa::reg::kId:
      value = kId;
      break;
    case isa::reg::kVersion:
      value = isa::kCommandSetVersion;
      break;
    case isa::reg::kStatus:
      value = (busy ? kBusy : 0) | (done ? kDone : 0) | (error != isa::Error::None ? kError : 0);
      break;
    case isa::reg::kIrqEnable:
      value = irq_enable;
      break;
    case isa::reg::kCommandAddress:
      value = command_address;
      break;
    case isa::reg::kCommandBytes:
      value = command_bytes;
      break;
    case isa::reg::kCbufLimit:
      value = cbuf_limit;
      break;
    case isa::reg::kWatchdog:
      value = watchdog;
      break;
    case isa::reg::kCommandChecksum:
      value = command_checksum;
      break;
    case isa::reg::kErrorCause:
      value = static_cast<std::uint32_t>(error);
      break;
    case isa::reg::kErrorInfo:
      value = error_info;
      break;
    case isa::reg::kAtomicC:
      value = hw.atomic_c;
      break;
    case isa::reg::kAtomicK:
      value = hw.atomic_k;
      break;
    case isa::reg::kCbufBytes:
      value = static_cast<std::uint32_t>(hw.cbuf_capacity);
      break;
    case isa::reg::kAccWords:
      value = hw.acc_words;
      break;
    case isa::reg::kParamGroups:
      value = hw.param_groups;
      break;
    case isa::reg::kBusBytes:
      value = hw.bus_bytes;
      break;
    case isa::reg::kWindow:
      value = window.rows == 0 ? 0 : window.rows | window.cols << 8 | hw.line_atoms << 16;
      break;
    case isa::reg::kFeatures:
      value = hw.features;
      break;
    case isa::reg::kFold:
      value = hw.fold_bytes();
      break;
    default: {
      const std::uint32_t index = (offset - isa::reg::kCounters) / 8;
      if (offset < isa::reg::kCounters || offset % 4 != 0 || index >= counters.size()) {
        value = 0;
        return Response::SlaveError;
      }
      if (hw.has(isa::Feature::Counters) ||
          index == static_cast<std::uint32_t>(isa::Counter::Cycles)) {
        value = static_cast<std::uint32_t>(counters[index] >> (offset % 8 == 4 ? 32 : 0));
      } else {
        value = 0;
      }
    }
  }
  return Response::Okay;
}

Response Registers::write(std::uint32_t offset, std::uint32_t value) {
  switch (offset) {
    case isa::reg::kControl:
      if ((value & kCheck) != 0 && !hw.has(isa::Feature::Checksums)) {
        return Response::SlaveError;
      }
      control = value;
      return Response::Okay;
    case isa::reg::kIrqEnable:
      irq_enable = value & 1U;
      return Response::Okay;
    case isa::reg::kCommandAddress:
      command_address = value;
      return Response::Okay;
    case isa::reg::kCommandBytes:
      command_bytes = value;
      return Response::Okay;
    case isa::reg::kWatchdog:
      watchdog = value;
      return Response::Okay;
    case isa::reg::kCommandChecksum:
      if (!hw.has(isa::Feature::Checksums)) {
        return Response::SlaveError;
      }
      command_checksum = value;
      return Response::Okay;
    case isa::reg::kCbufLimit:
      // More than there is would let addresses wrap.
      if (value > hw.cbuf_capacity / hw.atomic_c) {
        return Response::SlaveError;
      }
      cbuf_limit = value;
      return Response::Okay;
    default:
      return Response::SlaveError;
  }
}

}  // namespace tessera::npu

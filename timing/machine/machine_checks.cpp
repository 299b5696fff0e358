// What a unit refuses to begin, because it could never end.
#include <numeric>

#include "timing/machine/machine.hpp"

namespace tessera::timing {

void Machine::check_load(const LoadOperation& op) const {
  const std::uint64_t bytes = op.segments().bytes();
  const auto kind = static_cast<isa::LoadKind>(op.load.kind);
  if (op.load.fold != 0) {
    if (op.source.pixel_bytes > hw_.fold_bytes() || op.fold.advance > hw_.fold_bytes() ||
        kind != isa::LoadKind::Feature || op.shape.inner != 1 || op.fold.offset >= hw_.atomic_c) {
      fail(isa::Error::FoldRange, op.source.pixel_bytes);
    }
    const std::uint64_t row =
        std::uint64_t{op.fold.pad_before} + op.shape.segment_bytes + op.fold.pad_after;
    if (row != std::uint64_t{op.fold.units - 1} * op.fold.advance + op.source.pixel_bytes) {
      fail(isa::Error::LoadLength, 2);
    }
    return;
  }
  if (op.load.coded != 0) {
    if (kind != isa::LoadKind::Weight || op.source.pixel_bytes != hw_.atomic_c ||
        op.shape.inner != 1 || op.shape.outer != 1) {
      fail(isa::Error::LoadLength, 3);
    }
    return;
  }
  const std::uint32_t unit = kind == isa::LoadKind::Table ? 4 : op.source.pixel_bytes;
  const bool is_record = unit == kFullRecord || unit == kCompactRecord || unit == kUniformRecord;
  const bool is_param = kind == isa::LoadKind::Param;
  const bool in_pairs = is_param && unit == kUniformRecord && hw_.whole_records();
  if (bytes % (in_pairs ? 2 * unit : unit) != 0 || (is_param && !is_record)) {
    fail(isa::Error::LoadLength, 1);
  }
}

void Machine::check_conv(const ConvOperation& op) const {
  if (op.weights.last_kernels > hw_.atomic_k) {
    fail(isa::Error::KernelCount, op.weights.last_kernels);
  }
  const Hardware::Window window = hw_.depthwise_window();
  if (op.depthwise && (op.window.window_h > window.rows || op.window.window_w > window.cols)) {
    fail(isa::Error::WindowRange, op.window.window_w << 4 | op.window.window_h);
  }
  const std::uint32_t unit = std::gcd(hw_.atomic_c, hw_.atomic_k);
  if (op.depthwise && (op.conv.first_byte >= hw_.atomic_c || op.conv.first_byte % unit != 0)) {
    fail(isa::Error::WindowRange, 512);
  }
}

void Machine::check_store(const StoreOperation& op) const {
  if (op.tile.last_kernels > hw_.atomic_k) {
    fail(isa::Error::KernelCount, op.tile.last_kernels);
  }
  if (op.softmax && op.tile.pixels > kSoftmaxPixels) {
    fail(isa::Error::SoftmaxPixels, op.tile.pixels);
  }
  const std::uint64_t tile = op.bytes(hw_.atomic_k);
  if (op.store.keep_only == 0 && tile != op.segments().bytes()) {
    fail(isa::Error::StoreLength, tile > op.segments().bytes() ? 1 : 2);
  }
}

}  // namespace tessera::timing

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/check/run_state.hpp"
#include "scheduler/check/transfer.hpp"

namespace tessera::checker {
namespace {

bool keep(const Op& op, RunState& state) {
  const std::uint32_t c = state.hw.atomic_c;
  if (op.store.dest_byte >= c) {
    state.findings.report_here(
        fmt::format("dest_byte is {}, an atom has {}", op.store.dest_byte, c));
    return false;
  }
  const std::uint64_t bytes = op.store.dest_byte +
                              std::uint64_t{op.store_tile.groups - 1} * state.hw.atomic_k +
                              op.store_tile.last_kernels;
  for (std::uint64_t pixel = 0; pixel < op.store_tile.pixels; ++pixel) {
    const std::uint64_t atom = op.store.dest + pixel / op.keep.cols * op.keep.row_step +
                               pixel % op.keep.cols * op.keep.pixel_step;
    if (!state.cbuf.fill(atom, (bytes + c - 1) / c, state.actor(kStore, op), state.findings)) {
      return false;
    }
  }
  return true;
}

// Sums of as many kernels as are stored, which nobody has stored yet.
bool holds_its_sums(const Op& op, std::uint64_t words, RunState& state) {
  const std::uint64_t end = std::min<std::uint64_t>(op.store.acc_base + words, state.acc.size());
  for (std::uint64_t w = op.store.acc_base; w < end; ++w) {
    const bool is_last = (w - op.store.acc_base) / op.store_tile.pixels + 1 == op.store_tile.groups;
    const std::uint32_t kernels = is_last ? op.store_tile.last_kernels : state.hw.atomic_k;
    if (state.acc[w].reader != 0) {
      state.findings.report_here(fmt::format("stores accumulator word {} a second time", w));
      return false;
    }
    if (state.acc[w].writer != 0 && state.sums[w] < kernels) {
      state.findings.report_here(fmt::format(
          "stores {} kernels of accumulator word {}, which has {}", kernels, w, state.sums[w]));
      return false;
    }
  }
  return true;
}

}  // namespace

void check_store(const Op& op, RunState& state) {
  const std::uint64_t kernels =
      std::uint64_t{op.store_tile.groups - 1} * state.hw.atomic_k + op.store_tile.last_kernels;
  const std::uint64_t bytes =
      std::uint64_t{op.store_shape.segment_bytes} * op.store_shape.inner * op.store_shape.outer;
  const bool to_memory = op.store.keep_only == 0;
  if (!to_memory && op.store.keep == 0) {
    state.findings.report_here("the tile is written nowhere");
    return;
  }
  if (op.quant.low > op.quant.high) {
    state.findings.report_here(fmt::format("clamps to {} up to {}", op.quant.low, op.quant.high));
    return;
  }
  if (op.store_tile.last_kernels > state.hw.atomic_k ||
      (to_memory && bytes != kernels * op.store_tile.pixels)) {
    state.findings.report_here(
        fmt::format("the tile has {} bytes, the write {}", kernels * op.store_tile.pixels, bytes));
    return;
  }
  if (op.softmax && op.store_tile.pixels > kSoftmaxPixels) {
    state.findings.report_here(fmt::format("a softmax of {} pixels, at most {} at once",
                                           op.store_tile.pixels, kSoftmaxPixels));
    return;
  }
  const std::uint64_t words = std::uint64_t{op.store_tile.pixels} * op.store_tile.groups;
  if (!holds_its_sums(op, words, state)) {
    return;
  }
  state.acc.read(op.store.acc_base, words, state.actor(kStore, op), state.findings);
  if (op.store.acc_base + words > state.acc.size()) {
    return;
  }
  const bool same_params = op.softmax && op.softmax->same_params != 0;
  state.params.read(op.store_tile.param_base, same_params ? 1 : op.store_tile.groups,
                    state.actor(kStore, op), state.findings);
  if (takes_operand(op)) {
    const std::uint64_t vectors = op.result.per_channel != 0 ? 1 : op.store_tile.pixels;
    state.operands.read(op.store.acc_base, vectors * op.store_tile.groups, state.actor(kStore, op),
                        state.findings);
  }
  if (const auto table = table_taken(op)) {
    state.tables.read(*table, 1, state.actor(kStore, op), state.findings);
  }
  if (op.store.keep != 0 && !keep(op, state)) {
    return;
  }
  if (!to_memory) {
    return;
  }
  for_segments(op.address.address, op.store_shape, op.store_stride, state,
               [&](std::uint64_t b, std::uint64_t e) {
                 if (!state.external.in_arena(b, e)) {
                   state.findings.report_here(fmt::format(
                       "writes external bytes {:#x}..{:#x} outside the activations", b, e));
                 } else if (state.external.store(b, e, state.numbers[kStore], op.known[kLoad]) !=
                            ExternalMap::Problem::None) {
                   state.findings.report_here(fmt::format(
                       "overwrites external bytes {:#x}..{:#x} that a load may still read", b, e));
                 }
               });
}

}  // namespace tessera::checker

#include <fmt/format.h>

#include <numeric>

#include "scheduler/check/run_state.hpp"
#include "scheduler/check/slab.hpp"
#include "timing/data_path/channel_pieces.hpp"

namespace tessera::checker {
namespace {

bool has_kernels(const Op& op, RunState& state) {
  if (op.weights.last_kernels > state.hw.atomic_k) {
    state.findings.report_here(fmt::format("last_kernels is {}, the array has {}",
                                           op.weights.last_kernels, state.hw.atomic_k));
    return false;
  }
  return true;
}

std::uint64_t kernels_in(const Op& op, RunState& state) {
  return std::uint64_t{op.weights.groups - 1} * state.hw.atomic_k + op.weights.last_kernels;
}

// Whether the window's lines hold the rows just above the tile.
bool continues(const Op& op, RunState& state) {
  if (!state.last_depthwise) {
    return false;
  }
  const Op& last = *state.last_depthwise;
  const std::int64_t stride = last.kernel.stride_y;
  const std::int64_t rows = last.tile.rows;
  const std::int64_t window = last.window.window_h;
  const std::int64_t walked_rows = last.resume               ? rows * stride
                                   : last.window.spaced != 0 ? (rows - 1 + window) * stride
                                                             : (rows - 1) * stride + window;
  const std::size_t last_pieces =
      timing::channel_pieces(last.weights, last.first_byte, state.hw).size();
  return last.input.values() == op.input.values() && last.kernel.values() == op.kernel.values() &&
         last.window.values() == op.window.values() && last.ring.values() == op.ring.values() &&
         op.window.chunks_y == 1 && op.window.chunks_x == 1 && last_pieces == 1 &&
         last.weights.values() == op.weights.values() && last.first_byte == op.first_byte &&
         last.tile.x0 == op.tile.x0 && last.tile.cols == op.tile.cols &&
         slab_base(last) == slab_base(op) && last.tile.y0 + walked_rows == op.tile.y0;
}

void accumulate(const Op& op, std::uint64_t pixels, RunState& state) {
  const std::uint64_t words = pixels * op.weights.groups;
  if (op.conv.acc_base + words > state.acc.size()) {
    state.findings.report_here(fmt::format("accumulates into word {}, there are {}",
                                           op.conv.acc_base + words - 1, state.acc.size()));
    return;
  }
  for (std::uint64_t w = op.conv.acc_base; w < op.conv.acc_base + words; ++w) {
    Cell& cell = state.acc[w];
    const bool unread = cell.writer > 0 && cell.reader == 0;
    if (op.conv.accumulate != 0 && !unread) {
      state.findings.report_here(fmt::format("adds to accumulator word {} that holds no sum", w));
      return;
    }
    if (op.conv.accumulate == 0 && unread) {
      state.findings.report_here(
          fmt::format("overwrites accumulator word {} before it was stored", w));
      return;
    }
    if (cell.reader > op.known[kStore]) {
      state.findings.report_here(
          fmt::format("overwrites accumulator word {} that may still be read", w));
      return;
    }
    const bool is_last = (w - op.conv.acc_base) / pixels + 1 == op.weights.groups;
    const std::uint32_t kernels = is_last ? op.weights.last_kernels : state.hw.atomic_k;
    if (op.conv.accumulate != 0 && state.sums[w] != kernels) {
      state.findings.report_here(fmt::format("adds {} kernels to accumulator word {}, which has {}",
                                             kernels, w, state.sums[w]));
      return;
    }
    state.sums[w] = kernels;
    cell = {state.numbers[kCompute], 0, kCompute};
  }
}

}  // namespace

void check_conv(const Op& op, RunState& state) {
  const std::uint64_t pixels = std::uint64_t{op.tile.rows} * op.tile.cols;
  if (!has_kernels(op, state)) {
    return;
  }
  const auto rows = touched(op.tile.y0, op.tile.rows, op.kernel.stride_y, op.kernel.kernel_h,
                            op.kernel.dilation_y, op.input.rows);
  const auto cols = touched(op.tile.x0, op.tile.cols, op.kernel.stride_x, op.kernel.kernel_w,
                            op.kernel.dilation_x, op.input.cols);
  for (const std::int64_t row : rows) {
    // Runs of adjacent columns at once.
    for (std::size_t c = 0; c < cols.size();) {
      std::size_t end = c + 1;
      while (end < cols.size() && cols[end] == cols[end - 1] + 1) {
        ++end;
      }
      state.cbuf.read(static_cast<std::uint64_t>(row_atom(op, row) + cols[c] * op.input.atoms),
                      (end - c) * op.input.atoms, state.actor(kCompute, op), state.findings);
      c = end;
    }
    if (state.findings.are_enough()) {
      return;
    }
  }
  state.cbuf.read(op.weights.address,
                  kernels_in(op, state) * op.kernel.kernel_h * op.kernel.kernel_w * op.input.atoms,
                  state.actor(kCompute, op), state.findings);
  accumulate(op, pixels, state);
}

void check_depthwise(const Op& op, RunState& state) {
  const Hardware::Window most = state.hw.depthwise_window();
  const isa::CvWindow& window = op.window;
  if (window.window_h > most.rows || window.window_w > most.cols) {
    state.findings.report_here(fmt::format("a window of {} x {}, the hardware has {} x {}",
                                           window.window_h, window.window_w, most.rows, most.cols));
    return;
  }
  if (!has_kernels(op, state)) {
    return;
  }
  // A window of one column goes from output to output.
  const std::uint32_t step = window.spaced != 0 || window.window_w == 1 ? 1 : op.kernel.stride_x;
  const std::uint32_t line = (op.tile.cols - 1) * step + window.window_w;
  if (window.window_h > 1 && line > state.hw.line_atoms) {
    state.findings.report_here(
        fmt::format("lines of {} pixels, the window holds {}", line, state.hw.line_atoms));
    return;
  }
  const auto rows =
      walked(op.tile.y0, op.tile.rows, op.kernel.stride_y, window.window_h, window.chunks_y,
             op.kernel.dilation_y, op.input.rows, op.resume, window.spaced != 0);
  const auto cols =
      walked(op.tile.x0, op.tile.cols, op.kernel.stride_x, window.window_w, window.chunks_x,
             op.kernel.dilation_x, op.input.cols, false, window.spaced != 0);
  if (op.resume && !continues(op, state)) {
    state.findings.report_here("resumes rows that the window does not hold");
    return;
  }
  const std::uint32_t unit = std::gcd(state.hw.atomic_c, state.hw.atomic_k);
  if (op.first_byte >= state.hw.atomic_c || op.first_byte % unit != 0) {
    state.findings.report_here(
        fmt::format("channels from byte {} of an atom on, pieces begin at multiples of {}",
                    op.first_byte, unit));
    return;
  }
  state.last_depthwise = op;
  const std::uint64_t channels = kernels_in(op, state);
  const std::uint64_t atoms =
      (op.first_byte + channels + state.hw.atomic_c - 1) / state.hw.atomic_c;
  for (const std::int64_t row : rows) {
    for (const std::int64_t col : cols) {
      state.cbuf.read(static_cast<std::uint64_t>(row_atom(op, row) + col * op.input.atoms), atoms,
                      state.actor(kCompute, op), state.findings);
    }
    if (state.findings.are_enough()) {
      return;
    }
  }
  state.cbuf.read(op.weights.address, channels * window.chunks_y * window.chunks_x,
                  state.actor(kCompute, op), state.findings);
  accumulate(op, std::uint64_t{op.tile.rows} * op.tile.cols, state);
}

}  // namespace tessera::checker

#include <fmt/format.h>

#include "isa/checksum.hpp"
#include "scheduler/check/run_state.hpp"
#include "scheduler/check/transfer.hpp"

namespace tessera::checker {
namespace {

void check_checksum(const Op& op, bool fixed, std::uint32_t found, RunState& state) {
  if (!fixed) {
    state.findings.report_here("has a checksum of bytes that stores may change");
  } else if (found != op.load.checksum) {
    state.findings.report_here(
        fmt::format("has checksum {:#08x}, what it reads has {:#08x}", op.load.checksum, found));
  }
}

bool fill_folded(const Op& op, RunState& state) {
  const std::uint64_t atoms =
      (op.fold.offset + op.source.pixel_bytes + std::uint64_t{state.hw.atomic_c} - 1) /
      state.hw.atomic_c;
  const std::uint64_t units = std::uint64_t{op.fold.units} * op.load_shape.outer;
  for (std::uint64_t unit = 0; unit < units; ++unit) {
    if (!state.cbuf.fill(op.load.dest + unit * op.fold.unit_step, atoms, state.actor(kLoad, op),
                         state.findings)) {
      return false;
    }
  }
  return true;
}

bool fill_destination(const Op& op, isa::LoadKind kind, std::uint64_t bytes, std::uint64_t unit,
                      RunState& state) {
  if (op.load.fold != 0) {
    return fill_folded(op, state);
  }
  const auto words = [&](std::uint64_t word) { return bytes / unit * ((unit + word - 1) / word); };
  switch (kind) {
    case isa::LoadKind::Param:
      return state.params.fill(op.load.dest,
                               (bytes / unit + state.hw.atomic_k - 1) / state.hw.atomic_k,
                               state.actor(kLoad, op), state.findings);
    case isa::LoadKind::Table:
      return state.tables.fill(op.load.dest, bytes / kTableBytes, state.actor(kLoad, op),
                               state.findings);
    case isa::LoadKind::Operand:
      return state.operands.fill(op.load.dest, words(state.hw.atomic_k), state.actor(kLoad, op),
                                 state.findings);
    default:
      return state.cbuf.fill(op.load.dest, words(state.hw.atomic_c), state.actor(kLoad, op),
                             state.findings);
  }
}

bool check_fold(const Op& op, RunState& state) {
  const isa::LdFold& fold = op.fold;
  const std::uint32_t unit = op.source.pixel_bytes;
  const std::uint64_t row =
      std::uint64_t{op.load_shape.segment_bytes} + fold.pad_before + fold.pad_after;
  const std::uint64_t wanted = std::uint64_t{fold.units - 1} * fold.advance + unit;
  if (row != wanted) {
    state.findings.report_here(
        fmt::format("a row has {} bytes, its {} units need {}", row, fold.units, wanted));
    return false;
  }
  if (unit > state.hw.fold_bytes() || fold.advance > state.hw.fold_bytes() ||
      op.load_shape.inner != 1 ||
      static_cast<isa::LoadKind>(op.load.kind) != isa::LoadKind::Feature ||
      fold.offset >= state.hw.atomic_c) {
    state.findings.report_here(fmt::format("units of {} bytes at offset {} cannot be folded", unit,
                                           std::uint32_t{fold.offset}));
    return false;
  }
  return true;
}

}  // namespace

void check_load(const Op& op, RunState& state) {
  const std::uint64_t bytes =
      std::uint64_t{op.load_shape.segment_bytes} * op.load_shape.inner * op.load_shape.outer;
  const auto kind = static_cast<isa::LoadKind>(op.load.kind);
  const std::uint64_t unit =
      kind == isa::LoadKind::Table ? kTableBytes : std::uint64_t{op.source.pixel_bytes};
  if (kind == isa::LoadKind::Param && unit != 4 && unit != 8 && unit != 12) {
    state.findings.report_here(fmt::format("parameters of {} bytes", unit));
    return;
  }
  if (is_uniform(op) && bytes % 8 != 0) {
    state.findings.report_here("an odd number of parameters of 4 bytes");
    return;
  }
  if (op.load.fold != 0) {
    if (!check_fold(op, state)) {
      return;
    }
  } else if (unit == 0 || bytes % unit != 0) {
    state.findings.report_here(
        fmt::format("{} bytes are no whole number of units of {} bytes", bytes, unit));
    return;
  }
  // First where it goes: what does not fit there need not be walked.
  if (!fill_destination(op, kind, bytes, unit, state)) {
    return;
  }
  isa::BeatChecksum checksum(state.hw.bus_bytes);
  bool fixed = true;
  const bool inside = for_segments(
      op.source.address, op.load_shape, op.load_stride, state,
      [&](std::uint64_t b, std::uint64_t e) {
        if (op.load.check != 0) {
          fixed = fixed && state.external.is_fixed(b, e);
          checksum.add(b, state.program.image.data() + b, e - b);
        }
        const auto problem = state.external.load(b, e, state.numbers[kLoad], op.known_acknowledged);
        if (problem != ExternalMap::Problem::None) {
          state.findings.report_here(fmt::format("reads external bytes {:#x}..{:#x} that {}", b, e,
                                                 problem == ExternalMap::Problem::HoldsNothing
                                                     ? "hold nothing"
                                                     : "a store may still be writing"));
        }
      });
  if (op.load.check != 0 && inside) {
    check_checksum(op, fixed, checksum.value(), state);
  }
}

}  // namespace tessera::checker

#include <fmt/format.h>

#include <algorithm>

#include "isa/checksum.hpp"
#include "isa/weight_code.hpp"
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
  if (op.load.coded != 0) {
    return state.cbuf.fill(op.load.dest, op.code.atoms, state.actor(kLoad, op), state.findings);
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

// Bytes of the atoms as the codes in front of each group say, or what is there when that is less.
std::uint64_t coded_bytes(const Op& op, const std::uint8_t* from, std::uint64_t bytes,
                          const Hardware& hw) {
  const isa::WeightCode format(hw.atomic_c);
  std::uint64_t at = 0;
  std::uint32_t in_unit = op.code.unit;
  for (std::uint32_t left = op.code.atoms; left != 0;) {
    const std::uint32_t group = std::min({2 * hw.atomic_c, in_unit, left});
    const std::uint64_t codes = at;
    at += (group + 1) / 2;
    for (std::uint32_t i = 0; i < group && codes + i / 2 < bytes; ++i) {
      at += format.bytes(from[codes + i / 2] >> (4 * (i % 2)) & 0xFU);
    }
    if (at > bytes) {
      return at;
    }
    left -= group;
    in_unit = in_unit == group ? op.code.unit : in_unit - group;
  }
  return at;
}

bool check_coded(const Op& op, std::uint64_t bytes, RunState& state) {
  const bool is_flat = op.load_shape.inner == 1 && op.load_shape.outer == 1;
  if (static_cast<isa::LoadKind>(op.load.kind) != isa::LoadKind::Weight || !is_flat ||
      op.source.pixel_bytes != state.hw.atomic_c) {
    state.findings.report_here("compressed weights that are no single segment of atoms");
    return false;
  }
  const std::uint64_t address = op.source.address;
  const Program& program = state.program;
  if (!state.external.is_fixed(address, address + bytes)) {
    state.findings.report_here("compressed weights that stores may change");
    return false;
  }
  // Commands alone have no bytes to look at.
  if (program.left_out != 0 || address + bytes > program.image.size()) {
    return true;
  }
  const std::uint64_t wanted = coded_bytes(op, program.image.data() + address, bytes, state.hw);
  if (wanted != bytes) {
    state.findings.report_here(fmt::format(
        "{} atoms of compressed weights {} {} bytes, it has {}", std::uint32_t{op.code.atoms},
        wanted > bytes ? "need at least" : "need", wanted, bytes));
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
  } else if (op.load.coded != 0) {
    if (!check_coded(op, bytes, state)) {
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

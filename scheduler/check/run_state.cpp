#include "scheduler/check/run_state.hpp"

#include <fmt/format.h>

namespace tessera::checker {

void Findings::report(std::string text) {
  if (!are_enough()) {
    problems_.push_back(std::move(text));
  }
}

void Findings::report_here(const std::string& text) {
  report(fmt::format("word {}: {}", word_, text));
}

bool CellMemory::fill(std::uint64_t begin, std::uint64_t count, const Actor& actor,
                      Findings& findings) {
  if (begin + count > cells_.size()) {
    findings.report_here(
        fmt::format("writes {} {}, there are {}", what_, begin + count - 1, cells_.size()));
    return false;
  }
  for (std::uint64_t i = begin; i < begin + count; ++i) {
    Cell& cell = cells_[i];
    if (cell.reader > actor.known[readers_]) {
      findings.report_here(fmt::format("overwrites {} {} that may still be read", what_, i));
      return false;
    }
    if (cell.unit != actor.unit && cell.writer > actor.known[cell.unit]) {
      findings.report_here(fmt::format("overwrites {} {} that may still be on its way", what_, i));
      return false;
    }
    if (cell.writer == 0) {
      if (unused_ == 0) {
        findings.report_here(fmt::format("writes {} {}, more than may be used", what_, i));
        return false;
      }
      --unused_;
    }
    cell = {actor.number, 0, static_cast<std::uint8_t>(actor.unit)};
  }
  return true;
}

void CellMemory::read(std::uint64_t begin, std::uint64_t count, const Actor& actor,
                      Findings& findings) {
  if (begin + count > cells_.size()) {
    findings.report_here(
        fmt::format("reads {} {}, there are {}", what_, begin + count - 1, cells_.size()));
    return;
  }
  for (std::uint64_t i = begin; i < begin + count; ++i) {
    Cell& cell = cells_[i];
    if (cell.writer == 0) {
      findings.report_here(fmt::format("reads {} {} that nothing was written to", what_, i));
      return;
    }
    if (cell.writer > actor.known[cell.unit]) {
      findings.report_here(fmt::format("reads {} {} that may still be on its way", what_, i));
      return;
    }
    cell.reader = actor.number;
  }
}

RunState::RunState(const Program& program_, ExternalMap& external_,
                   std::vector<std::string>& problems)
    : program(program_),
      hw(program_.hardware),
      external(external_),
      findings(problems),
      cbuf("cbuf atom", hw.cbuf_end(), kCompute),
      acc("accumulator word", hw.acc_words, kStore),
      params("parameter group", hw.param_groups, kStore),
      operands("operand word", hw.acc_words, kStore),
      tables("table", kTables, kStore),
      sums(hw.acc_words) {
  cbuf.limit(hw.cbuf_atoms());
}

}  // namespace tessera::checker

#include "tessera/checker.hpp"

#include <fmt/format.h>

#include "scheduler/check/replay.hpp"
#include "scheduler/check/run_state.hpp"
#include "scheduler/check/transfer.hpp"

namespace tessera {
namespace {

using checker::ExternalMap;
using checker::Op;
using checker::RunState;

void check_op(const Op& op, RunState& state) {
  if (state.findings.are_enough()) {
    return;
  }
  state.findings.at_word(op.word);
  ++state.numbers[static_cast<std::size_t>(op.unit) - 1];
  if (op.is_mark) {
    if (op.mark >= state.layers) {
      state.findings.report_here(
          fmt::format("mark {} of a run of {} layers", op.mark, state.layers));
    }
    return;
  }
  if (!is_configured(op)) {
    state.findings.report_here("a configuration word that it needs has not come before");
  } else if (op.unit == isa::Unit::Load) {
    check_load(op, state);
  } else if (op.unit == isa::Unit::Compute) {
    op.depthwise ? check_depthwise(op, state) : check_conv(op, state);
  } else {
    check_store(op, state);
  }
}

void check_accumulators(RunState& state) {
  if (state.findings.are_enough()) {
    return;
  }
  for (std::size_t w = 0; w < state.acc.size(); ++w) {
    if (state.acc[w].writer > 0 && state.acc[w].reader == 0) {
      state.findings.report(fmt::format("accumulator word {} is computed but never stored", w));
      return;
    }
  }
}

void report_features(const std::vector<std::uint64_t>& words, const Hardware& hardware,
                     RunState& state) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const std::uint32_t missing = isa::features_of(words[i]) & ~hardware.features;
        missing != 0) {
      state.findings.report(fmt::format("word {}: needs {}, which the hardware is built without", i,
                                        isa::feature_names(missing)));
    }
  }
}

void check_run(const CommandRun& run, const Program& program, ExternalMap& external,
               std::vector<std::string>& problems) {
  const auto words = isa::words_of(program.commands_of(run), run.stream.bytes);
  RunState state(program, external, problems);
  state.layers = run.layers.size();
  report_features(words, program.hardware, state);
  external.begin_run();
  checker::replay(
      words, program.hardware,
      [&](std::string problem) { state.findings.report(std::move(problem)); },
      [&](const Op& op) { check_op(op, state); });
  check_accumulators(state);
  external.end_run();
}

void check_states(const Program& program, const ExternalMap& external,
                  std::vector<std::string>& problems, const std::string& who) {
  for (const StateRecord& state : program.states) {
    if (!external.is_valid(state.place.address, state.place.address + state.place.bytes)) {
      problems.push_back(
          fmt::format("state `{}`: {} leaves bytes of it unwritten", state.name, who));
    }
  }
}

}  // namespace

std::vector<std::string> check_program(const Program& program) {
  std::vector<std::string> problems;
  Slot arena;
  for (const MemoryRegion& region : program.regions) {
    arena = region.kind == MemoryKind::Arena ? region.range : arena;
  }
  ExternalMap external(program.memory_bytes(), arena.address, arena.address + arena.bytes);
  const auto set_valid = [&](const Slot& slot) {
    if (slot.address + slot.bytes > external.size()) {
      problems.push_back(fmt::format("bytes {:#x}..{:#x} are outside the map", slot.address,
                                     slot.address + slot.bytes));
      return;
    }
    external.set_valid(slot.address, slot.address + slot.bytes);
  };
  for (const MemoryRegion& region : program.regions) {
    if (region.kind == MemoryKind::Constants) {
      set_valid(region.range);
    }
  }
  const auto check_stream = [&](const CommandRun& run) {
    const bool inside = run.stream.address >= program.left_out &&
                        run.stream.address + run.stream.bytes <= program.memory_bytes();
    if (!inside) {
      problems.emplace_back("a command stream is outside the map");
      return false;
    }
    check_run(run, program, external, problems);
    return true;
  };
  if (program.reset && !check_stream(*program.reset)) {
    return problems;
  }
  check_states(program, external, problems, "the reset stream");
  for (std::size_t s = 0; s < program.steps.size(); ++s) {
    const Step& step = program.steps[s];
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
      if (program.input_steps[i] == s) {
        set_valid(program.inputs[i]);
      }
    }
    if (const auto* call = std::get_if<HostCall>(&step); call != nullptr) {
      set_valid(call->output);
      continue;
    }
    if (std::holds_alternative<NoCopy>(step)) {
      continue;
    }
    if (!check_stream(std::get<CommandRun>(step))) {
      break;
    }
  }
  return problems;
}

}  // namespace tessera

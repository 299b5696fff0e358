// The commands of a program's streams.
#pragma once

#include <variant>
#include <vector>

#include "tessera/isa.hpp"
#include "tessera/program.hpp"

namespace tessera::test {

/// All of one kind, in their order.
template <class Command>
std::vector<Command> commands_of(const Program& program) {
  std::vector<Command> found;
  for (const Step& step : program.steps) {
    const auto* run = std::get_if<CommandRun>(&step);
    if (run == nullptr) {
      continue;
    }
    for (const std::uint64_t word : isa::words_of(program.commands_of(*run), run->stream.bytes)) {
      const auto decoded = isa::decode(word).command;
      if (decoded && std::holds_alternative<Command>(*decoded)) {
        found.push_back(std::get<Command>(*decoded));
      }
    }
  }
  return found;
}

}  // namespace tessera::test

#include <fmt/format.h>

#include "tessera/isa.hpp"
#include "tessera/program.hpp"

namespace tessera {

std::string disassemble(const Program& program) {
  std::string text;
  for (const Step& step : program.steps) {
    if (const auto* call = std::get_if<HostCall>(&step); call != nullptr) {
      text += fmt::format("; host: {} `{}`\n", program.layers[call->layer].op,
                          program.layers[call->layer].name);
      continue;
    }
    if (const auto* view = std::get_if<NoCopy>(&step); view != nullptr) {
      text += fmt::format("; no copy: {}\n", program.layers[view->layer].name);
      continue;
    }
    const auto& run = std::get<CommandRun>(step);
    const Slot& stream = run.stream;
    const auto words = isa::words_of(program.commands_of(run), stream.bytes);
    for (std::size_t i = 0; i < words.size(); ++i) {
      const isa::Decoded decoded = isa::decode(words[i]);
      text += fmt::format(
          "{:08x}: {:016x}  {}\n", stream.address + 8 * i, words[i],
          decoded.command ? isa::disassemble(*decoded.command) : "illegal: " + decoded.problem);
    }
  }
  return text;
}

}  // namespace tessera

// The command decoder, the listing and the program checker's replay.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "scheduler/check/replay.hpp"
#include "tessera/checker.hpp"
#include "tessera/config.hpp"
#include "tessera/isa.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto words = tessera::isa::words_of(data, size / 8 * 8);
  for (const std::uint64_t word : words) {
    const auto decoded = tessera::isa::decode(word);
    if (decoded.command && tessera::isa::encode(*decoded.command) != word) {
      std::abort();  // what is legal has one encoding
    }
  }
  static const tessera::Hardware hardware = tessera::hardware_preset("tiny");
  tessera::Program program;
  program.hardware = hardware;
  program.image.assign(data, data + size / 8 * 8);
  program.image.resize(program.image.size() + 65536);
  program.regions = {{tessera::MemoryKind::Constants, {0, program.image.size()}},
                     {tessera::MemoryKind::Arena, {program.image.size() - 65536, 65536}}};
  tessera::CommandRun run;
  run.stream = {0, size / 8 * 8};
  program.steps.emplace_back(run);
  tessera::check_program(program);
  return 0;
}

// What the scheduler makes of random networks: programs FROM CASES prints a digest for each case
// of the soak. Two schedulers that print the same make the same programs.
#include <cstdlib>
#include <iostream>

#include "tests/digest.hpp"
#include "tests/numbered_case.hpp"
#include "tests/soak/draw.hpp"

namespace tessera::test {
namespace {

// Commands and constants, where everything lies, and what a user is told of each layer.
std::string digest(const RandomCase& drawn) {
  const Config config = parse_config(drawn.config, "case.yaml", {});
  const Network network = import_yaml(drawn.network, "network.yaml", config.seed);
  try {
    const Program program = compile(network, config.hardware, config.policy);
    std::string told = fmt::format("{} {} {}", program.arena_bytes(), program.constants_saved_bytes,
                                   program.commands_saved_bytes);
    for (const LayerRecord& layer : program.layers) {
      told += fmt::format(" {} {} {} {} {} {}", layer.output.address, layer.cbuf_peak_bytes,
                          layer.accesses.cbuf_bytes, layer.accesses.accumulator_bytes,
                          layer.host_reason, layer.pass ? layer.pass->explanation.reason : "");
    }
    std::vector<std::uint8_t> bytes = program.image;
    bytes.insert(bytes.end(), told.begin(), told.end());
    return sha256(bytes);
  } catch (const InputError& error) {
    return error.what();
  }
}

}  // namespace
}  // namespace tessera::test

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "programs FROM CASES\n";
    return 2;
  }
  const std::uint64_t from = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t end = from + std::strtoull(argv[2], nullptr, 10);
  for (std::uint64_t number = from; number < end; ++number) {
    std::string made;
    const std::string problem = tessera::test::run_numbered(number, [&] {
      made = tessera::test::digest(tessera::test::draw(tessera::test::Engines::WithoutRtl));
    });
    std::cout << number << ' ' << made << problem << '\n';
  }
  return 0;
}

// What schedules of random networks on random hardware cost, by the cost model: cycles, bytes
// read and written, bytes of arenas, images and the cbuf, against random_figures.txt. Another plan
// shows here even when it is as right as the one before: better ones are written with
// TESSERA_WRITE_FIGURES=1.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/numbered_case.hpp"
#include "tests/soak/draw.hpp"

namespace tessera {
namespace {

constexpr std::uint64_t kCases = 1000;
constexpr std::uint64_t kInALine = 5;
/// Beside those: as many weights as are loaded at once, with few pixels.
constexpr std::uint64_t kFurther = 10115;

struct Cost {
  std::uint64_t networks = 0, cycles = 0, read = 0, written = 0, arena = 0, image = 0, peak = 0;
};

void add_cost(std::uint64_t number, Cost& cost) {
  const std::string problem = test::run_numbered(number, [&] {
    const test::RandomCase drawn = test::draw(test::Engines::WithoutRtl);
    const Config config = parse_config(drawn.config, "case.yaml", {});
    const Network network = import_yaml(drawn.network, "network.yaml", config.seed);
    Program program;
    try {
      program = compile(network, config.hardware, config.policy);
    } catch (const InputError&) {
      return;  // does not fit
    }
    RunOptions options;
    options.memory = config.memory;
    options.inputs = test::seeded_inputs(network, config.seed);
    const RunResult ran = run_on_model(program, options);
    ++cost.networks;
    cost.arena += program.arena_bytes();
    cost.image += program.image.size();
    for (const LayerRecord& layer : program.layers) {
      cost.peak += layer.cbuf_peak_bytes;
    }
    cost.cycles += counter(ran.totals, isa::Counter::Cycles);
    cost.read += read_bytes(ran.totals);
    cost.written += counter(ran.totals, isa::Counter::WriteBytes);
  });
  EXPECT_EQ(problem, "") << "case " << number;
}

std::vector<std::uint64_t> lines() {
  std::vector<std::uint64_t> begins = {kFurther};
  for (std::uint64_t first = 0; first < kCases; first += kInALine) {
    begins.push_back(first);
  }
  return begins;
}

std::string figures(std::uint64_t first) {
  Cost cost;
  for (std::uint64_t number = first; number < first + kInALine; ++number) {
    add_cost(number, cost);
  }
  return fmt::format(
      "cases {} to {}: {} networks, {} cycles, {} bytes read, {} written, arenas {}, images {}, "
      "buffer {}",
      first, first + kInALine - 1, cost.networks, cost.cycles, cost.read, cost.written, cost.arena,
      cost.image, cost.peak);
}

// One in so many lines, from that one on.
constexpr std::size_t kParts = 5;
class RandomFigures : public testing::TestWithParam<std::size_t> {};

TEST_P(RandomFigures, AreWhatTheyWere) {
  const std::string path = TESSERA_SOURCE_DIR "/tests/scheduler/random_figures.txt";
  const std::vector<std::uint64_t> all = lines();
  if (std::getenv("TESSERA_WRITE_FIGURES") != nullptr) {
    if (GetParam() == 0) {
      std::ofstream file(path);
      for (const std::uint64_t first : all) {
        file << figures(first) << "\n";
      }
    }
    return;
  }
  std::ifstream file(path);
  std::vector<std::string> before;
  for (std::string line; std::getline(file, line);) {
    before.push_back(line);
  }
  ASSERT_EQ(before.size(), all.size());
  for (std::size_t i = GetParam(); i < all.size(); i += kParts) {
    EXPECT_EQ(figures(all[i]), before[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, RandomFigures, testing::Range(std::size_t{0}, kParts));

}  // namespace
}  // namespace tessera

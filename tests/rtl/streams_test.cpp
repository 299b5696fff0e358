// Streams drawn at random, as another compiler might write them: what the scheduler never asks for
// (tiles that overlap in the accumulators, rows of any pitch, records of each size, segments of any
// length) computes the same bytes, in as many cycles, on the RTL and on the SystemC model.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/draws.hpp"
#include "tests/rtl/small_programs.hpp"
#include "tests/rtl/stream_draw.hpp"

namespace tessera {
namespace {

using namespace test;

std::string text_of(const std::vector<std::uint64_t>& words) {
  std::string text;
  for (const std::uint64_t word : words) {
    text += "\n" + isa::disassemble(*isa::decode(word).command);
  }
  return text;
}

// Presets, and arrays whose sides differ, with banks that are no power of two.
Hardware design(const std::string& name) {
  if (name != "6x4" && name != "4x10") {
    return hardware_preset(name);
  }
  Hardware hardware = hardware_preset("tiny");
  hardware.atomic_c = name == "6x4" ? 6 : 4;
  hardware.atomic_k = name == "6x4" ? 4 : 10;
  hardware.cbuf_banks = 3;
  hardware.cbuf_capacity = std::uint64_t{hardware.atomic_c} * 3 * 700;
  hardware.cbuf_size = hardware.cbuf_capacity;
  hardware.post_lanes = 2;
  hardware.bus_bytes = name == "6x4" ? 4 : 16;
  hardware.features |= 1U << static_cast<unsigned>(isa::Feature::Compression);
  return hardware;
}

class Streams : public testing::TestWithParam<const char*> {
 protected:
  // On the RTL, which goes on after the stream before, and on the SystemC model, fresh from reset.
  void compare(const std::vector<std::uint64_t>& words, const std::vector<std::uint8_t>& memory,
               const std::string& name) {
    compare_on(device_, ExternalMemory{}, words, memory, name);
  }

  void compare_on(rtl::Device& device, const ExternalMemory& timing,
                  const std::vector<std::uint64_t>& words, const std::vector<std::uint8_t>& memory,
                  const std::string& name) {
    memory_ = memory;
    TestBench::place(words, kStreamAt, memory_);
    std::vector<std::uint8_t> modelled = memory_;
    const Slot slot{kStreamAt, 8 * words.size()};
    // A memory slower than the watchdog's patience is no hang.
    const std::uint32_t watchdog = timing.latency < TestBench::kWatchdog ? TestBench::kWatchdog : 0;
    Counters counters{};
    try {
      device.run(slot, hardware_.cbuf_atoms(), watchdog, [](const auto&) {});
      counters = device.read_counters();
      ASSERT_TRUE(device.clear());
    } catch (const EngineError& error) {
      FAIL() << name << ": " << error.what() << text_of(words);
    }
    auto& platform = platform::Platform::instance();
    platform::Platform::Setup setup;
    setup.hardware = hardware_;
    setup.memory = timing;
    platform.set_up(setup, modelled);
    platform.run(slot, hardware_.cbuf_atoms(), watchdog);
    const Counters expected = platform.read_counters();
    platform.take_down();
    const auto differs = std::mismatch(memory_.begin(), memory_.end(), modelled.begin()).first;
    ASSERT_TRUE(differs == memory_.end())
        << name << ", byte " << differs - memory_.begin() << text_of(words);
    for (std::size_t c = 0; c < isa::kNumCounters; ++c) {
      ASSERT_EQ(counters[c], expected[c])
          << name << ", " << isa::kCounters[c].name << text_of(words);
    }
  }

  Hardware hardware_ = design(GetParam());
  std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(TestBench::kMemoryBytes);
  rtl::Device device_{rtl::build_variant(hardware_, {}), hardware_, memory_, ExternalMemory{}};
};

TEST_P(Streams, DrawnAtRandomComputeTheSame) {
  const int several = test::cases(hardware_.macs_per_cycle() > 64 ? 20 : 80);
  // Behind those that every run has, half as many of the run's own.
  const auto own = static_cast<std::uint32_t>(test::seed_of_run());
  const int all = own == 0 ? several : several + several / 2;
  for (int i = 0; i < all && !HasFatalFailure(); ++i) {
    const std::uint32_t seed =
        static_cast<std::uint32_t>(i) + (i < several ? 1U : own % 1'000'000'000U + 1000U);
    std::vector<std::uint8_t> memory = stream_memory(seed);
    const auto words = drawn_stream(hardware_, seed, memory);
    compare(words, memory, "stream " + std::to_string(seed));
  }
}

// The last word of a convolution is the first one of the next, or the second, or the third.
TEST_P(Streams, AddToAWordInTheCycleAfterItWasAddedTo) {
  const std::uint32_t atom = hardware_.atomic_c;
  const std::uint32_t kernels = hardware_.atomic_k;
  constexpr std::uint32_t kWords = 48;
  isa::Load last = load_of(isa::LoadKind::Param, 0);
  last.post_compute = 1;
  std::vector<isa::Command> commands = {isa::LdSource{3, atom},
                                        isa::LdShape{kWords * atom, 1, 1},
                                        load_of(isa::LoadKind::Feature, 0),
                                        isa::LdSource{0x4001, atom},
                                        isa::LdShape{kernels * atom, 1, 1},
                                        load_of(isa::LoadKind::Weight, kWords),
                                        isa::LdSource{kRecords12, 12},
                                        isa::LdShape{12 * kernels, 1, 1},
                                        last,
                                        isa::CvInput{1, kWords, 1, 0},
                                        isa::CvKernel{1, 1, 1, 1, 1, 1, kWords},
                                        isa::CvWeights{kWords, 1, kernels, 0}};
  const auto convolve = [&](std::uint32_t pixels, std::uint32_t from, std::uint32_t acc_base,
                            bool accumulate) {
    isa::Conv conv;
    conv.origin = from;
    conv.acc_base = acc_base;
    conv.accumulate = accumulate ? 1 : 0;
    conv.wait_load = accumulate ? 0 : 1;
    commands.insert(commands.end(),
                    {isa::CvTile{0, static_cast<std::int32_t>(from), 1, pixels}, conv});
  };
  convolve(kWords, 0, 0, false);
  for (std::uint32_t pixels = 1; pixels < 3 * kernels && pixels < kWords - 4; ++pixels) {
    for (std::uint32_t back = 1; back <= std::min(pixels, 3U); ++back) {
      convolve(pixels, pixels % 5, 0, true);
      convolve(4, pixels % 7, pixels - back, true);
    }
  }
  auto& end = std::get<isa::Conv>(commands.back());
  end.post_store = 1;
  isa::Store store;
  store.wait_compute = 1;
  commands.insert(commands.end(), {isa::StAddress{kOutputs}, isa::StShape{kWords * kernels, 1, 1},
                                   isa::StQuant{0, -128, 127}, isa::StTile{kWords, 1, kernels, 0},
                                   store, isa::End{}});
  compare(encode_all(commands), stream_memory(1), GetParam());
}

// 2^18 cycles is where the hardware's counters carry into their upper halves.
TEST_P(Streams, CountFarBeyondWhatTheLowHalvesOfCountersHold) {
  ExternalMemory slow;
  slow.latency = 100'000;
  rtl::Device device(rtl::build_variant(hardware_, {}), hardware_, memory_, slow);
  std::uint64_t most = 0;
  for (std::uint32_t number = 1; number <= 2; ++number) {
    std::vector<std::uint8_t> memory = stream_memory(number);
    const auto words = drawn_stream(hardware_, number, memory);
    compare_on(device, slow, words, memory, "slow stream " + std::to_string(number));
    most = std::max(most, device.cycles());
  }
  EXPECT_GT(most, 1U << 19);
}

INSTANTIATE_TEST_SUITE_P(Presets, Streams,
                         testing::Values("micro", "nano", "tiny", "small", "medium", "6x4", "4x10"),
                         [](const auto& design) { return "on_" + std::string(design.param); });

}  // namespace
}  // namespace tessera

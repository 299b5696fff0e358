// What the microcode refuses, and with which cause: one command after the other, the first that is
// wrong in the stream.
#include <gtest/gtest.h>

#include "tests/isa/words.hpp"
#include "tests/rtl/small_programs.hpp"
#include "tests/rtl/test_bench.hpp"

namespace tessera {
namespace {

using namespace test;
using isa::Error;

// `small` with the other control: the programs have eight channels and kernels.
Hardware small_with_microcode() {
  Hardware hardware = hardware_preset("small");
  hardware.control = Control::Microcode;
  hardware.features = 0;
  hardware.cbuf_banks = 1;
  hardware.post_lanes = 1;
  return hardware;
}

class MicroFaults : public testing::Test {
 protected:
  TestBench bench{small_with_microcode()};

  // The bench compares with the TLM model.
  void expect(const std::vector<isa::Command>& commands, Error cause, std::uint32_t info) {
    std::uint32_t found = 99;
    EXPECT_EQ(bench.failure(encode_all(commands), &found), cause) << bench.text;
    if (cause != Error::None) {
      EXPECT_EQ(found, info) << bench.text;
    }
    expect_works(bench);
  }
  static std::vector<isa::Command> ended(std::vector<isa::Command> commands) {
    commands.emplace_back(isa::End{});
    return commands;
  }
};

TEST_F(MicroFaults, HardwareAgreesWithTheDecoder) {
  TestBench micro("micro");
  std::vector<std::uint64_t> words = isa::test::boundary_words();
  const std::vector<std::uint64_t> more = isa::test::random_words(1500, 7);
  words.insert(words.end(), more.begin(), more.end());
  const std::uint64_t end = isa::encode(isa::End{});
  for (const std::uint64_t word : words) {
    std::uint32_t info = 99;
    const Error cause = micro.failure({isa::encode(isa::LdStride{}), word, end, end}, &info);
    const bool legal = isa::decode(word).command.has_value();
    ASSERT_EQ(cause == Error::IllegalCommand, !legal) << std::hex << word << " " << micro.text;
    const bool built = isa::features_of(word) == 0;
    ASSERT_EQ(cause == Error::NotBuilt, legal && !built) << std::hex << word << " " << micro.text;
    if (!legal || !built) {
      ASSERT_EQ(info, 8U);
    }
  }
}

TEST_F(MicroFaults, StreamsWithoutEndOrOutOfPlace) {
  std::uint32_t info = 0;
  EXPECT_EQ(bench.failure({isa::encode(isa::LdStride{}), isa::encode(isa::LdStride{})}, &info),
            Error::StreamEnd);
  EXPECT_EQ(info, 16U);
  EXPECT_THROW(bench.run({isa::encode(isa::End{})}, 1000, TestBench::kStream + 4), EngineError);
  bench.device.clear();
  try {
    bench.device.run({0x20000000, 64}, 16, 1000, [](const auto&) {});
    FAIL() << "no error";
  } catch (const EngineError& error) {
    EXPECT_EQ(error.cause(), Error::ReadBus);
    EXPECT_EQ(error.info(), 0x103U);
  }
  bench.device.clear();
  expect_works(bench);
}

TEST_F(MicroFaults, AccessesBeyondTheCbuf) {
  bench.hardware.cbuf_size = 512;
  expect(loading(1), Error::CbufRange, 64);
  expect(loading(80), Error::CbufRange, 80);
  isa::Conv conv;
  conv.origin = 64;
  expect(ended(convolving(conv)), Error::CbufRange, 64);
  auto commands = convolving();
  commands[3] = isa::CvWeights{60, 1, 8};
  expect(ended(commands), Error::CbufRange, 64);
  // The third column of the second row, with the first weight tile.
  commands = convolving();
  commands[0] = isa::CvInput{2, 3, 1, 0};
  commands[1] = isa::CvKernel{1, 1, 1, 1, 1, 1, 21};
  commands[2] = isa::CvTile{0, 0, 2, 3};
  conv.origin = 41;
  commands.back() = conv;
  expect(ended(commands), Error::CbufRange, 64);
  conv.origin = 40;
  commands.back() = conv;
  expect(ended(commands), Error::None, 0);
  // A row that wrapped around lies in front of the buffer.
  commands = convolving();
  commands[0] = isa::CvInput{2, 1, 1, 0};
  commands[2] = isa::CvTile{1, 0, 1, 1};
  commands.insert(commands.begin(), isa::CvRing{1, 2});
  conv.origin = 1;
  commands.back() = conv;
  expect(ended(commands), Error::CbufRange, (1U << 20) - 1);
  commands.front() = isa::CvRing{1, 1};
  expect(ended(commands), Error::None, 0);
}

TEST_F(MicroFaults, AccumulatorsAndParametersThatDoNotExist) {
  isa::Conv conv;
  conv.acc_base = 512;
  expect(ended(convolving(conv)), Error::AccRange, 512);
  auto commands = convolving();
  commands[2] = isa::CvTile{0, 0, 256, 256};  // 2^16 pixels
  expect(ended(commands), Error::AccRange, 512);
  isa::Store store;
  store.acc_base = 600;
  commands = storing(0x4000);
  commands[5] = store;
  expect(commands, Error::AccRange, 600);
  commands = storing(0x4000);
  commands[4] = isa::StTile{1, 1, 8, 64};
  expect(commands, Error::ParamRange, 64);
  expect(
      {isa::LdSource{0, 12}, isa::LdShape{12, 1, 1}, load_of(isa::LoadKind::Param, 64), isa::End{}},
      Error::ParamRange, 64);
  expect({isa::LdSource{0, 12}, isa::LdShape{108, 1, 1}, load_of(isa::LoadKind::Param, 63),
          isa::End{}},
         Error::ParamRange, 64);
}

// The bench compares memories: what lies beyond the slab at either end must not come back as a
// place inside of it.
TEST(MicroPlaces, FarBeyondTheSlabArePadding) {
  Hardware hardware = small_with_microcode();
  hardware.acc_words = 4096;
  TestBench bench(hardware);
  for (std::size_t i = 0; i < 512; ++i) {
    bench.memory[i] = static_cast<std::uint8_t>(37 * i + 11);
  }
  const auto expect_padding = [&](const isa::CvInput& slab, const isa::CvKernel& kernel,
                                  const isa::CvTile& tile) {
    std::vector<isa::Command> commands = {isa::LdSource{0, 12}, isa::LdShape{96, 1, 1},
                                          load_of(isa::LoadKind::Param, 0)};
    commands = then(commands, loading(0));
    commands.pop_back();
    // Slab row and column 0 are atom 0.
    isa::Conv conv;
    conv.origin = static_cast<std::uint32_t>(tile.y0 + tile.x0) & 0xFFFFF;
    commands =
        then(commands, {slab, kernel, tile, isa::CvWeights{0, 1, 2}, conv, isa::StAddress{0x4000},
                        isa::StShape{8180, 1, 1}, isa::StQuant{0, -128, 127},
                        isa::StTile{4090, 1, 2, 0}, isa::Store{}, isa::End{}});
    EXPECT_EQ(bench.failure(encode_all(commands)), Error::None) << bench.text;
  };
  for (const int place : {32767, 32600, -32768, -260}) {
    // Steps of eight, taps sixteen apart.
    expect_padding({48, 1, 1, 77}, {16, 1, 8, 1, 16, 1, 1}, {place, 0, 4090, 1});
    expect_padding({1, 48, 1, 77}, {1, 16, 1, 8, 1, 16, 48}, {0, place, 1, 4090});
  }
}

TEST_F(MicroFaults, LengthsThatDoNotMatch) {
  auto commands = loading(0);
  commands[0] = isa::LdSource{0, 7};
  expect(commands, Error::LoadLength, 1);
  for (const std::uint32_t record : {3U, 16U}) {
    expect({isa::LdSource{0, record}, isa::LdShape{48, 1, 1}, load_of(isa::LoadKind::Param, 0),
            isa::End{}},
           Error::LoadLength, 1);
  }
  expect(
      {isa::LdSource{0, 12}, isa::LdShape{40, 1, 1}, load_of(isa::LoadKind::Param, 0), isa::End{}},
      Error::LoadLength, 1);
  expect(
      {isa::LdSource{0, 4}, isa::LdShape{48, 1, 1}, load_of(isa::LoadKind::Param, 0), isa::End{}},
      Error::NotConfigured, 0);
  commands = storing(0x4000);
  commands[1] = isa::StShape{7, 1, 1};
  expect(commands, Error::StoreLength, 1);
  commands[1] = isa::StShape{9, 1, 1};
  expect(commands, Error::StoreLength, 2);
  commands[1] = isa::StShape{8, 1, 2};
  commands[2] = isa::StStride{0, 8};
  expect(commands, Error::StoreLength, 2);
}

TEST_F(MicroFaults, MoreKernelsThanTheArrayHas) {
  auto commands = convolving();
  commands[3] = isa::CvWeights{8, 1, 9};
  expect(ended(commands), Error::KernelCount, 9);
  commands = storing(0x4000);
  commands[4] = isa::StTile{1, 1, 9, 0};
  expect(commands, Error::KernelCount, 9);
}

TEST_F(MicroFaults, TokensThatAreNotThereOrTooMany) {
  isa::Load load = load_of(isa::LoadKind::Feature, 0);
  load.wait_compute = 1;
  auto commands = loading(0);
  commands[3] = load;
  expect(commands, Error::Deadlock, 1);
  load.wait_compute = 0;
  load.wait_store = 1;
  commands[3] = load;
  expect(commands, Error::Deadlock, 1);
  isa::Conv conv;
  conv.wait_load = 1;
  expect(ended(convolving(conv)), Error::Deadlock, 2);
  conv.wait_load = 0;
  conv.wait_store = 1;
  expect(ended(convolving(conv)), Error::Deadlock, 2);
  isa::Store store;
  store.wait_compute = 1;
  commands = storing(0x4000);
  commands[5] = store;
  expect(commands, Error::Deadlock, 4);

  const auto many = [&](std::vector<isa::Command> first, const isa::Command& last) {
    first.insert(first.end(), 256, last);
    return ended(first);
  };
  load = load_of(isa::LoadKind::Feature, 0);
  load.post_compute = 1;
  expect(many({isa::LdSource{0, 8}, isa::LdShape{8, 1, 1}}, load), Error::TokenOverflow, 1);
  auto words = convolving();
  words.pop_back();
  conv = {};
  conv.post_load = 1;
  expect(many(words, conv), Error::TokenOverflow, 2);
  conv = {};
  conv.post_store = 1;
  expect(many(words, conv), Error::TokenOverflow, 4);
  words = storing(0x4000);
  words.resize(5);
  store = {};
  store.post_compute = 1;
  expect(many(words, store), Error::TokenOverflow, 8);
  store = {};
  store.post_load = 1;
  expect(many(words, store), Error::TokenOverflow, 16);
}

// Everything that works, without each of its configuration words in turn.
TEST_F(MicroFaults, EachConfigurationWordIsMissed) {
  const std::vector<std::vector<isa::Command>> programs = {
      {isa::LdSource{0, 8}, isa::LdShape{8, 2, 1}, isa::LdStride{8, 0}, isa::Load{}},
      {isa::CvInput{1, 1, 1, 0}, isa::CvKernel{1, 1, 1, 1, 1, 1, 1}, isa::CvTile{0, 0, 1, 1},
       isa::CvWeights{8, 1, 8}, isa::Conv{}},
      {isa::StAddress{0}, isa::StShape{8, 2, 1}, isa::StStride{8, 0}, isa::StQuant{0, -128, 127},
       isa::StTile{2, 1, 8, 0}, isa::Store{}}};
  for (std::size_t unit = 0; unit < programs.size(); ++unit) {
    for (std::size_t missing = 0; missing + 1 < programs[unit].size(); ++missing) {
      std::vector<isa::Command> words = programs[unit];
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(missing));
      expect(ended(words), Error::NotConfigured, static_cast<std::uint32_t>(unit));
    }
  }
}

TEST(MicroBusFaults, ErrorResponsesStopTheRun) {
  MemoryDisturbance disturbance;
  disturbance.read_error_at = 300;
  disturbance.write_error_at = 0x4000;
  TestBench bench(small_with_microcode(), disturbance);
  std::uint32_t info = 0;
  EXPECT_EQ(bench.failure(encode_all(loading(0)), &info), Error::ReadBus);
  EXPECT_EQ(info, 2U);
  EXPECT_EQ(bench.failure(encode_all(loading(0, 0x10000000)), &info), Error::ReadBus);
  EXPECT_EQ(info, 3U);
  EXPECT_EQ(bench.failure(encode_all(loading(0, 4096))), Error::None);
  EXPECT_EQ(bench.failure(encode_all(storing(0x4000)), &info), Error::WriteBus);
  EXPECT_EQ(info, 2U);
  EXPECT_EQ(bench.failure(encode_all(storing(0x30000000)), &info), Error::WriteBus);
  EXPECT_EQ(info, 3U);
  EXPECT_EQ(bench.failure(encode_all(storing(0x5000))), Error::None) << bench.text;
}

TEST(MicroBusFaults, MemoryThatNeverAnswersTripsTheWatchdog) {
  MemoryDisturbance disturbance;
  disturbance.mute = true;
  TestBench bench(small_with_microcode(), disturbance);
  try {
    bench.run(encode_all(loading(0)), 500);
    FAIL() << "no error";
  } catch (const EngineError& error) {
    EXPECT_EQ(error.cause(), Error::Watchdog);
  }
  EXPECT_LT(bench.device.cycles(), 1000U);
}

// Multipliers below zero and shifts to the left, which no scheduler of ours asks for, at the ends
// of what 32 bits hold.
TEST(MicroRequantiser, AnyFactorsAndShifts) {
  TestBench bench("micro");
  constexpr std::uint32_t kParameters = 0x1000;
  const std::int32_t ends[] = {0, 1, -1, 2, 1000, -1000, 1 << 30, -(1 << 30), INT32_MAX, INT32_MIN};
  std::uint32_t seed = 1;
  for (int round = 0; round < 60; ++round) {
    std::vector<std::uint8_t>& memory = bench.memory;
    const auto put = [&](std::uint32_t at, std::int32_t value) {
      for (unsigned b = 0; b < 4; ++b) {
        memory[at + b] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(value) >> (8 * b));
      }
    };
    const auto draw = [&] { return seed = seed * 1664525 + 1013904223; };
    for (std::uint32_t k = 0; k < 32; ++k) {
      const auto any = [&] { return static_cast<std::int32_t>(draw() ^ draw() >> 16); };
      put(kParameters + 12 * k, draw() % 2 == 0 ? any() : ends[draw() % 10]);
      put(kParameters + 12 * k + 4, draw() % 2 == 0 ? any() : ends[draw() % 10]);
      put(kParameters + 12 * k + 8, static_cast<std::int32_t>(draw() % 62) - 31);
    }
    const auto zero = static_cast<std::int32_t>(draw() % 256) - 128;
    const auto low = static_cast<std::int32_t>(draw() % 128) - 128;
    // Without weights the sums are zero, and the biases the requantiser's input. The bench compares
    // memories.
    const std::vector<isa::Command> commands = {isa::LdSource{kParameters, 12},
                                                isa::LdShape{32 * 12, 1, 1},
                                                load_of(isa::LoadKind::Param, 0),
                                                isa::LdSource{0, 2},
                                                isa::LdShape{16, 1, 1},
                                                load_of(isa::LoadKind::Feature, 0),
                                                isa::CvInput{1, 1, 1, 0},
                                                isa::CvKernel{1, 1, 1, 1, 1, 1, 1},
                                                isa::CvTile{0, 0, 1, 1},
                                                isa::CvWeights{0, 1, 2},
                                                isa::Conv{},
                                                isa::StQuant{zero, low, low + 127},
                                                isa::StAddress{0x4000},
                                                isa::StShape{2, 1, 1}};
    std::vector<isa::Command> words = commands;
    for (std::uint32_t group = 0; group < 16; ++group) {
      words.insert(words.end(),
                   {isa::StAddress{0x4000 + 2 * group}, isa::StTile{1, 1, 2, group}, isa::Store{}});
    }
    words.emplace_back(isa::End{});
    ASSERT_EQ(bench.failure(encode_all(words)), Error::None) << bench.text;
  }
}

}  // namespace
}  // namespace tessera

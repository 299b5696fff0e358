// Bad programs and bus errors end in a readable cause, never in a hang, and the next run works.
#include <gtest/gtest.h>

#include "isa/checksum.hpp"
#include "tests/rtl/small_programs.hpp"
#include "tests/rtl/test_bench.hpp"

namespace tessera {
namespace {

using namespace test;
using isa::Error;

TEST(Faults, IllegalCommandNamesItsPlace) {
  TestBench bench("small");
  std::uint32_t info = 0;
  EXPECT_EQ(bench.failure({isa::encode(isa::LdStride{}), 0, isa::encode(isa::End{})}, &info),
            Error::IllegalCommand);
  EXPECT_EQ(info, 8U);
  EXPECT_NE(bench.text.find("byte 8"), std::string::npos);
  expect_works(bench);
}

TEST(Faults, StreamWithoutEnd) {
  TestBench bench("small");
  EXPECT_EQ(bench.failure({isa::encode(isa::LdStride{}), isa::encode(isa::LdStride{})}),
            Error::StreamEnd);
  expect_works(bench);
}

// The TLM model says the same: the bench compares.
TEST(Faults, LoadWithAnotherChecksum) {
  for (const char* preset : {"tiny", "small"}) {
    TestBench bench(preset);
    for (std::size_t i = 0; i < TestBench::kStream; ++i) {
      bench.memory[i] = static_cast<std::uint8_t>(7 * i + i / 256);
    }
    // Segments that begin and end within beats.
    const isa::LdSource source{0x1235, 8};
    const isa::LdShape shape{24, 3, 2};
    const isa::LdStride stride{29, 1003};
    std::vector<std::uint8_t> read;
    for (std::uint64_t outer = 0; outer < 2; ++outer) {
      for (std::uint64_t inner = 0; inner < 3; ++inner) {
        const auto begin =
            bench.memory.begin() + static_cast<std::ptrdiff_t>(0x1235 + outer * 1003 + inner * 29);
        read.insert(read.end(), begin, begin + 24);
      }
    }
    isa::Load load = load_of(isa::LoadKind::Weight, 0);
    load.check = 1;
    load.checksum =
        isa::load_checksum(source, shape, stride, read.data(), bench.hardware.bus_bytes);
    const auto words = [&] {
      // Another load before and after: each has a checksum of its own.
      return encode_all(then(then({isa::LdSource{0, 8}, isa::LdShape{64, 1, 1}, isa::LdStride{},
                                   load_of(isa::LoadKind::Feature, 32)},
                                  {source, shape, stride, load}),
                             {isa::LdSource{0, 8}, isa::LdShape{64, 1, 1},
                              load_of(isa::LoadKind::Feature, 32), isa::End{}}));
    };
    EXPECT_EQ(bench.failure(words()), Error::None) << bench.text;
    std::uint32_t info = 0;
    load.checksum ^= 0x800000;
    EXPECT_EQ(bench.failure(words(), &info), Error::LoadChecksum);
    EXPECT_EQ(info, 0x1235U);
    EXPECT_NE(bench.text.find("checksum"), std::string::npos) << bench.text;
    load.checksum ^= 0x800000;
    EXPECT_EQ(bench.failure(words()), Error::None) << bench.text;
  }
}

// The sum is made of whole words, or of halves on a bus of four bytes.
class StreamChecksum : public testing::TestWithParam<const char*> {};

TEST_P(StreamChecksum, AnotherOneRunsNothing) {
  TestBench bench(GetParam());
  const auto words = encode_all(loading(0));
  TestBench::place(words, TestBench::kStream, bench.memory);
  const std::uint32_t good = isa::crc32(&bench.memory[TestBench::kStream], 8 * words.size());
  const auto start = [&](std::uint32_t checksum) {
    bench.device.write_register(isa::reg::kCommandAddress, TestBench::kStream);
    bench.device.write_register(isa::reg::kCommandBytes,
                                static_cast<std::uint32_t>(8 * words.size()));
    bench.device.write_register(isa::reg::kCommandChecksum, checksum);
    EXPECT_EQ(bench.device.read_register(isa::reg::kCommandChecksum).data, checksum);
    bench.device.write_register(isa::reg::kIrqEnable, 1);
    bench.device.write_register(isa::reg::kControl, 7);
    for (int i = 0; i < 5000 && !bench.device.interrupt(); ++i) {
      bench.device.cycle();
    }
    EXPECT_TRUE(bench.device.interrupt());
    return static_cast<Error>(bench.device.read_register(isa::reg::kErrorCause).data);
  };
  EXPECT_EQ(start(good), Error::None);
  // Read twice: once for the checksum, once to run.
  EXPECT_EQ(counter(bench.device.read_counters(), isa::Counter::ReadCommandBytes),
            16 * words.size());
  EXPECT_EQ(counter(bench.device.read_counters(), isa::Counter::ReadFeatureBytes), 512U);
  EXPECT_EQ(start(good ^ 1), Error::StreamChecksum);
  EXPECT_EQ(bench.device.read_register(isa::reg::kErrorInfo).data, good);
  EXPECT_EQ(counter(bench.device.read_counters(), isa::Counter::ReadFeatureBytes), 0U);
  EXPECT_EQ(start(good), Error::None);
  bench.device.clear();
  expect_works(bench);
}

INSTANTIATE_TEST_SUITE_P(Presets, StreamChecksum, testing::Values("tiny", "small", "large"));

TEST(Faults, StreamThatIsNotAligned) {
  TestBench bench("small");
  EXPECT_THROW(bench.run({isa::encode(isa::End{})}, 1000, TestBench::kStream + 4), EngineError);
  bench.device.clear();
  expect_works(bench);
}

TEST(Faults, LoadOutsideTheMap) {
  TestBench bench("small");
  std::uint32_t info = 0;
  EXPECT_EQ(bench.failure(encode_all(loading(0, 0x10000000)), &info), Error::ReadBus);
  EXPECT_EQ(info & 0x1FFU, 3U);
  EXPECT_NE(bench.text.find("DECERR"), std::string::npos);
  expect_works(bench);
}

TEST(Faults, CommandFetchOutsideTheMap) {
  TestBench bench("small");
  EXPECT_THROW(
      {
        try {
          bench.device.run({0x20000000, 64}, 16, 1000, [](const auto&) {});
        } catch (const EngineError& error) {
          EXPECT_EQ(error.cause(), Error::ReadBus);
          EXPECT_EQ(error.info(), 0x103U);
          throw;
        }
      },
      EngineError);
}

TEST(Faults, ReadErrorResponse) {
  MemoryDisturbance disturbance;
  disturbance.read_error_at = 300;
  TestBench bench("small", disturbance);
  EXPECT_EQ(bench.failure(encode_all(loading(0))), Error::ReadBus);
  EXPECT_NE(bench.text.find("SLVERR"), std::string::npos);
  EXPECT_EQ(bench.failure(encode_all(loading(0, 4096))), Error::None);
}

TEST(Faults, WriteErrorResponseAndWriteOutsideTheMap) {
  MemoryDisturbance disturbance;
  disturbance.write_error_at = 0x4000;
  TestBench bench("small", disturbance);
  EXPECT_EQ(bench.failure(encode_all(storing(0x4000))), Error::WriteBus);
  EXPECT_NE(bench.text.find("SLVERR"), std::string::npos);
  EXPECT_EQ(bench.failure(encode_all(storing(0x30000000))), Error::WriteBus);
  EXPECT_NE(bench.text.find("DECERR"), std::string::npos);
  EXPECT_EQ(bench.failure(encode_all(storing(0x5000))), Error::None) << bench.text;
}

TEST(Faults, TokenThatNeverComesIsADeadlockWithItsUnit) {
  TestBench bench("small");
  std::uint32_t info = 0;
  isa::Load load;
  load.wait_compute = 1;
  auto loads = loading(0);
  loads[3] = load;
  EXPECT_EQ(bench.failure(encode_all(loads), &info), Error::Deadlock);
  EXPECT_EQ(info, 1U);
  EXPECT_NE(bench.text.find("load wait(s)"), std::string::npos) << bench.text;
  isa::Conv conv;
  conv.wait_load = 1;
  EXPECT_EQ(bench.failure(encode_all(then(convolving(conv), {isa::End{}})), &info),
            Error::Deadlock);
  EXPECT_EQ(info, 2U);
  isa::Store store;
  store.wait_compute = 1;
  auto stores = storing(0x4000);
  stores[5] = store;
  loads.pop_back();
  EXPECT_EQ(bench.failure(encode_all(then(then(loads, convolving(conv)), stores)), &info),
            Error::Deadlock);
  EXPECT_EQ(info, 7U);
  expect_works(bench);
}

TEST(Faults, QueueThatBlocksTheStreamForEverIsADeadlock) {
  TestBench bench("small");
  isa::Conv conv;
  conv.wait_load = 1;
  std::vector<isa::Command> commands = convolving(conv);
  commands.insert(commands.end(), 200, conv);
  commands.emplace_back(isa::End{});
  EXPECT_EQ(bench.failure(encode_all(commands)), Error::Deadlock);
  expect_works(bench);
}

TEST(Faults, MemoryThatNeverAnswersTripsTheWatchdog) {
  MemoryDisturbance disturbance;
  disturbance.mute = true;
  TestBench bench("small", disturbance);
  try {
    bench.run(encode_all(loading(0)), 500);
    FAIL() << "no error";
  } catch (const EngineError& error) {
    EXPECT_EQ(error.cause(), Error::Watchdog);
  }
  EXPECT_LT(bench.device.cycles(), 1000U);
}

// Everything that works, without each of its configuration words in turn.
TEST(Faults, EachConfigurationWordIsMissed) {
  TestBench bench("small");
  const isa::StPost adding{2, 0, 0, 0, 0, 0, 1U << 30U, 0};
  isa::Store keeping;
  keeping.keep = 1;
  const std::vector<std::vector<isa::Command>> programs = {
      {isa::LdSource{0, 8}, isa::LdShape{8, 2, 1}, isa::LdStride{8, 0}, isa::Load{}},
      {isa::CvInput{1, 1, 1, 0}, isa::CvKernel{1, 1, 1, 1, 1, 1, 1}, isa::CvTile{0, 0, 1, 1},
       isa::CvWeights{8, 1, 8}, isa::Conv{}},
      {isa::CvInput{1, 1, 1, 0}, isa::CvKernel{1, 1, 1, 1, 1, 1, 1}, isa::CvTile{0, 0, 1, 1},
       isa::CvWeights{8, 1, 8}, isa::CvWindow{1, 1, 1, 1}, isa::Depthwise{}},
      {isa::StAddress{0}, isa::StShape{8, 2, 1}, isa::StStride{8, 0}, isa::StQuant{0, -128, 127},
       isa::StTile{2, 1, 8, 0}, isa::Store{}},
      {isa::StAddress{0}, isa::StShape{8, 1, 1}, isa::StQuant{0, -128, 127}, adding,
       isa::StResult{0, -128, 127}, isa::StTile{1, 1, 8, 0}, isa::Store{}},
      {isa::StAddress{0}, isa::StShape{8, 1, 1}, isa::StQuant{0, -128, 127}, isa::StKeep{1, 1, 1},
       isa::StTile{1, 1, 8, 0}, keeping},
  };
  for (const auto& program : programs) {
    for (std::size_t missing = 0; missing + 1 < program.size(); ++missing) {
      // An operation that is not asked for needs no result.
      if (std::holds_alternative<isa::StPost>(program[missing])) {
        continue;
      }
      std::vector<isa::Command> words = program;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(missing));
      words.emplace_back(isa::End{});
      EXPECT_EQ(bench.failure(encode_all(words)), Error::NotConfigured)
          << "word " << missing << " of " << isa::disassemble(program[missing]);
    }
  }
  expect_works(bench);
}

TEST(Faults, WorkBeforeItsConfiguration) {
  TestBench bench("small");
  std::uint32_t info = 9;
  EXPECT_EQ(bench.failure(encode_all({isa::Load{}, isa::End{}}), &info), Error::NotConfigured);
  EXPECT_EQ(info, 0U);
  EXPECT_EQ(bench.failure(encode_all({isa::Conv{}, isa::End{}}), &info), Error::NotConfigured);
  EXPECT_EQ(info, 1U);
  EXPECT_EQ(bench.failure(encode_all({isa::Store{}, isa::End{}}), &info), Error::NotConfigured);
  EXPECT_EQ(info, 2U);
  // Strides are needed from the second segment on.
  EXPECT_EQ(bench.failure(
                encode_all({isa::LdSource{0, 8}, isa::LdShape{8, 2, 1}, isa::Load{}, isa::End{}})),
            Error::NotConfigured);
  // Configuration does not outlive its run.
  expect_works(bench);
  EXPECT_EQ(bench.failure(encode_all({isa::Load{}, isa::End{}})), Error::NotConfigured);
}

TEST(Faults, TooManyTokens) {
  TestBench bench("small");
  isa::Load load;
  load.post_compute = 1;
  auto commands = loading(0);
  commands.insert(commands.end() - 1, 300, load);
  std::uint32_t info = 0;
  EXPECT_EQ(bench.failure(encode_all(commands), &info), Error::TokenOverflow);
  EXPECT_EQ(info, 1U);
  expect_works(bench);
}

TEST(Faults, ErrorsStayUntilTheyAreCleared) {
  TestBench bench("small");
  EXPECT_THROW(bench.run({0, 0}), EngineError);
  // A start without a clear does not run and does not hide the cause.
  try {
    bench.run(encode_all(loading(0)));
    FAIL() << "ran in spite of the error";
  } catch (const EngineError& error) {
    EXPECT_EQ(error.cause(), Error::IllegalCommand);
  }
  EXPECT_TRUE(bench.device.clear());
  expect_works(bench);
}

}  // namespace
}  // namespace tessera

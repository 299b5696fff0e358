// Bad programs and bus errors end in a readable cause, never in a hang, and the next run works.
#include <gtest/gtest.h>

#include "isa/checksum.hpp"
#include "tests/rtl/rig.hpp"

namespace tessera {
namespace {

using isa::Error;
using test::encode_all;
using test::Rig;

isa::Load load_of(isa::LoadKind kind, std::uint32_t dest) {
  isa::Load load;
  load.kind = static_cast<std::uint32_t>(kind);
  load.dest = dest;
  return load;
}

// Loads 64 atoms of 8 bytes to `dest`.
std::vector<isa::Command> loading(std::uint32_t dest, std::uint32_t address = 0) {
  return {isa::LdSource{address, 8}, isa::LdShape{512, 1, 1}, isa::LdStride{},
          load_of(isa::LoadKind::Feature, dest), isa::End{}};
}

// A 1x1 convolution of one pixel without any load before it, and its store.
std::vector<isa::Command> convolving(isa::Conv conv = {}) {
  return {isa::CvInput{1, 1, 1, 0}, isa::CvKernel{1, 1, 1, 1, 1, 1, 1}, isa::CvTile{0, 0, 1, 1},
          isa::CvWeights{8, 1, 8}, conv};
}

std::vector<isa::Command> then(std::vector<isa::Command> first,
                               const std::vector<isa::Command>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void expect_works(Rig& rig) {
  EXPECT_EQ(rig.failure(encode_all(loading(0))), Error::None) << rig.text;
}

TEST(Faults, IllegalCommandNamesItsPlace) {
  Rig rig("small");
  std::uint32_t info = 0;
  EXPECT_EQ(rig.failure({isa::encode(isa::LdStride{}), 0, isa::encode(isa::End{})}, &info),
            Error::IllegalCommand);
  EXPECT_EQ(info, 8U);
  EXPECT_NE(rig.text.find("byte 8"), std::string::npos);
  expect_works(rig);
}

TEST(Faults, StreamWithoutEnd) {
  Rig rig("small");
  EXPECT_EQ(rig.failure({isa::encode(isa::LdStride{}), isa::encode(isa::LdStride{})}),
            Error::StreamEnd);
  expect_works(rig);
}

// The TLM model says the same: the rig compares.
TEST(Faults, LoadWithAnotherChecksum) {
  for (const char* preset : {"tiny", "small"}) {
    Rig rig(preset);
    for (std::size_t i = 0; i < Rig::kStream; ++i) {
      rig.memory[i] = static_cast<std::uint8_t>(7 * i + i / 256);
    }
    // Segments that begin and end within beats.
    const isa::LdSource source{0x1235, 8};
    const isa::LdShape shape{24, 3, 2};
    const isa::LdStride stride{29, 1003};
    std::vector<std::uint8_t> read;
    for (std::uint64_t outer = 0; outer < 2; ++outer) {
      for (std::uint64_t inner = 0; inner < 3; ++inner) {
        const auto begin =
            rig.memory.begin() + static_cast<std::ptrdiff_t>(0x1235 + outer * 1003 + inner * 29);
        read.insert(read.end(), begin, begin + 24);
      }
    }
    isa::Load load = load_of(isa::LoadKind::Weight, 0);
    load.check = 1;
    load.checksum = isa::load_checksum(source, shape, stride, read.data(), rig.hardware.bus_bytes);
    const auto words = [&] {
      // Another load before and after: each has a checksum of its own.
      return encode_all(then(then({isa::LdSource{0, 8}, isa::LdShape{64, 1, 1}, isa::LdStride{},
                                   load_of(isa::LoadKind::Feature, 32)},
                                  {source, shape, stride, load}),
                             {isa::LdSource{0, 8}, isa::LdShape{64, 1, 1},
                              load_of(isa::LoadKind::Feature, 32), isa::End{}}));
    };
    EXPECT_EQ(rig.failure(words()), Error::None) << rig.text;
    std::uint32_t info = 0;
    load.checksum ^= 0x800000;
    EXPECT_EQ(rig.failure(words(), &info), Error::LoadChecksum);
    EXPECT_EQ(info, 0x1235U);
    EXPECT_NE(rig.text.find("checksum"), std::string::npos) << rig.text;
    load.checksum ^= 0x800000;
    EXPECT_EQ(rig.failure(words()), Error::None) << rig.text;
  }
}

TEST(Faults, StreamWithAnotherChecksumRunsNothing) {
  Rig rig("small");
  const auto words = encode_all(loading(0));
  Rig::place(words, Rig::kStream, rig.memory);
  const std::uint32_t good = isa::crc32(&rig.memory[Rig::kStream], 8 * words.size());
  const auto start = [&](std::uint32_t checksum) {
    rig.device.write_register(isa::reg::kCommandAddress, Rig::kStream);
    rig.device.write_register(isa::reg::kCommandBytes,
                              static_cast<std::uint32_t>(8 * words.size()));
    rig.device.write_register(isa::reg::kCommandChecksum, checksum);
    EXPECT_EQ(rig.device.read_register(isa::reg::kCommandChecksum).data, checksum);
    rig.device.write_register(isa::reg::kIrqEnable, 1);
    rig.device.write_register(isa::reg::kControl, 7);
    for (int i = 0; i < 5000 && !rig.device.interrupt(); ++i) {
      rig.device.cycle();
    }
    EXPECT_TRUE(rig.device.interrupt());
    return static_cast<Error>(rig.device.read_register(isa::reg::kErrorCause).data);
  };
  EXPECT_EQ(start(good), Error::None);
  // Read twice: once for the checksum, once to run.
  EXPECT_EQ(counter(rig.device.read_counters(), isa::Counter::ReadCommandBytes), 16 * words.size());
  EXPECT_EQ(counter(rig.device.read_counters(), isa::Counter::ReadFeatureBytes), 512U);
  EXPECT_EQ(start(good ^ 1), Error::StreamChecksum);
  EXPECT_EQ(rig.device.read_register(isa::reg::kErrorInfo).data, good);
  EXPECT_EQ(counter(rig.device.read_counters(), isa::Counter::ReadFeatureBytes), 0U);
  EXPECT_EQ(start(good), Error::None);
  rig.device.clear();
  expect_works(rig);
}

TEST(Faults, StreamThatIsNotAligned) {
  Rig rig("small");
  EXPECT_THROW(rig.run({isa::encode(isa::End{})}, 1000, Rig::kStream + 4), EngineError);
  rig.device.clear();
  expect_works(rig);
}

TEST(Faults, LoadOutsideTheMap) {
  Rig rig("small");
  std::uint32_t info = 0;
  EXPECT_EQ(rig.failure(encode_all(loading(0, 0x10000000)), &info), Error::ReadBus);
  EXPECT_EQ(info & 0x1FFU, 3U);
  EXPECT_NE(rig.text.find("DECERR"), std::string::npos);
  expect_works(rig);
}

TEST(Faults, CommandFetchOutsideTheMap) {
  Rig rig("small");
  EXPECT_THROW(
      {
        try {
          rig.device.run({0x20000000, 64}, 16, 1000, [](const auto&) {});
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
  Rig rig("small", disturbance);
  EXPECT_EQ(rig.failure(encode_all(loading(0))), Error::ReadBus);
  EXPECT_NE(rig.text.find("SLVERR"), std::string::npos);
  EXPECT_EQ(rig.failure(encode_all(loading(0, 4096))), Error::None);
}

std::vector<isa::Command> storing(std::uint32_t address) {
  return {
      isa::StAddress{address}, isa::StShape{8, 1, 1}, isa::StStride{}, isa::StQuant{0, -128, 127},
      isa::StTile{1, 1, 8, 0}, isa::Store{},          isa::End{}};
}

TEST(Faults, WriteErrorResponseAndWriteOutsideTheMap) {
  MemoryDisturbance disturbance;
  disturbance.write_error_at = 0x4000;
  Rig rig("small", disturbance);
  EXPECT_EQ(rig.failure(encode_all(storing(0x4000))), Error::WriteBus);
  EXPECT_NE(rig.text.find("SLVERR"), std::string::npos);
  EXPECT_EQ(rig.failure(encode_all(storing(0x30000000))), Error::WriteBus);
  EXPECT_NE(rig.text.find("DECERR"), std::string::npos);
  EXPECT_EQ(rig.failure(encode_all(storing(0x5000))), Error::None) << rig.text;
}

TEST(Faults, TokenThatNeverComesIsADeadlockWithItsUnit) {
  Rig rig("small");
  std::uint32_t info = 0;
  isa::Load load;
  load.wait_compute = 1;
  auto loads = loading(0);
  loads[3] = load;
  EXPECT_EQ(rig.failure(encode_all(loads), &info), Error::Deadlock);
  EXPECT_EQ(info, 1U);
  EXPECT_NE(rig.text.find("load wait(s)"), std::string::npos) << rig.text;
  isa::Conv conv;
  conv.wait_load = 1;
  EXPECT_EQ(rig.failure(encode_all(then(convolving(conv), {isa::End{}})), &info), Error::Deadlock);
  EXPECT_EQ(info, 2U);
  isa::Store store;
  store.wait_compute = 1;
  auto stores = storing(0x4000);
  stores[5] = store;
  loads.pop_back();
  EXPECT_EQ(rig.failure(encode_all(then(then(loads, convolving(conv)), stores)), &info),
            Error::Deadlock);
  EXPECT_EQ(info, 7U);
  expect_works(rig);
}

TEST(Faults, QueueThatBlocksTheStreamForEverIsADeadlock) {
  Rig rig("small");
  isa::Conv conv;
  conv.wait_load = 1;
  std::vector<isa::Command> commands = convolving(conv);
  commands.insert(commands.end(), 200, conv);
  commands.emplace_back(isa::End{});
  EXPECT_EQ(rig.failure(encode_all(commands)), Error::Deadlock);
  expect_works(rig);
}

TEST(Faults, MemoryThatNeverAnswersTripsTheWatchdog) {
  MemoryDisturbance disturbance;
  disturbance.mute = true;
  Rig rig("small", disturbance);
  try {
    rig.run(encode_all(loading(0)), 500);
    FAIL() << "no error";
  } catch (const EngineError& error) {
    EXPECT_EQ(error.cause(), Error::Watchdog);
  }
  EXPECT_LT(rig.device.cycles(), 1000U);
}

TEST(Faults, CbufAccessAtTheLimit) {
  Rig rig("small");
  rig.hardware.cbuf_size = 512;
  EXPECT_EQ(rig.failure(encode_all(loading(0))), Error::None);
  std::uint32_t info = 0;
  EXPECT_EQ(rig.failure(encode_all(loading(1)), &info), Error::CbufRange);
  EXPECT_EQ(info, 64U);
  isa::Conv conv;
  conv.origin = 64;
  EXPECT_EQ(rig.failure(encode_all(then(convolving(conv), {isa::End{}})), &info), Error::CbufRange);
  EXPECT_EQ(info, 64U);
  auto commands = convolving();
  commands[3] = isa::CvWeights{60, 1, 8};
  EXPECT_EQ(rig.failure(encode_all(then(commands, {isa::End{}})), &info), Error::CbufRange);
  EXPECT_EQ(info, 64U);
  // A row that wrapped around lies in front of the buffer.
  commands = convolving();
  commands[0] = isa::CvInput{2, 1, 1, 0};
  commands[2] = isa::CvTile{1, 0, 1, 1};
  commands.insert(commands.begin(), isa::CvRing{1, 2});
  conv.origin = 1;
  commands.back() = conv;
  EXPECT_EQ(rig.failure(encode_all(then(commands, {isa::End{}})), &info), Error::CbufRange);
  EXPECT_EQ(info, (1U << 20) - 1);
  commands.front() = isa::CvRing{1, 1};
  EXPECT_EQ(rig.failure(encode_all(then(commands, {isa::End{}})), &info), Error::None);
  expect_works(rig);
}

TEST(Faults, AccumulatorThatDoesNotExist) {
  Rig rig("small");
  std::uint32_t info = 0;
  isa::Conv conv;
  conv.acc_base = 512;
  EXPECT_EQ(rig.failure(encode_all(then(convolving(conv), {isa::End{}})), &info), Error::AccRange);
  EXPECT_EQ(info, 512U);
  auto commands = storing(0x4000);
  isa::Store store;
  store.acc_base = 600;
  commands[5] = store;
  EXPECT_EQ(rig.failure(encode_all(commands), &info), Error::AccRange);
  EXPECT_EQ(info, 600U);
  expect_works(rig);
}

TEST(Faults, ParameterGroupThatDoesNotExist) {
  Rig rig("small");
  std::uint32_t info = 0;
  EXPECT_EQ(rig.failure(encode_all({isa::LdSource{0, 12}, isa::LdShape{12, 1, 1}, isa::LdStride{},
                                    load_of(isa::LoadKind::Param, 64), isa::End{}}),
                        &info),
            Error::ParamRange);
  EXPECT_EQ(info, 64U);
  auto commands = storing(0x4000);
  commands[4] = isa::StTile{1, 1, 8, 64};
  EXPECT_EQ(rig.failure(encode_all(commands), &info), Error::ParamRange);
  expect_works(rig);
}

TEST(Faults, OperandWordsAndTablesThatDoNotExist) {
  Rig rig("small");
  std::uint32_t info = 0;
  EXPECT_EQ(rig.failure(encode_all({isa::LdSource{0, 8}, isa::LdShape{16, 1, 1},
                                    load_of(isa::LoadKind::Operand, 511), isa::End{}}),
                        &info),
            Error::OperandRange);
  EXPECT_EQ(info, 512U);
  EXPECT_EQ(rig.failure(encode_all({isa::LdSource{0, 4}, isa::LdShape{1028, 1, 1},
                                    load_of(isa::LoadKind::Table, 1), isa::End{}}),
                        &info),
            Error::TableRange);
  EXPECT_EQ(info, 512U);
  // Two words of operands from word 511 on.
  auto commands = storing(0x4000);
  isa::StPost post;
  post.operation = static_cast<std::uint32_t>(isa::StPostOperation::Add);
  isa::Store store;
  store.acc_base = 511;
  commands[1] = isa::StShape{16, 1, 1};
  commands[4] = isa::StTile{2, 1, 8, 0};
  commands[5] = store;
  commands.insert(commands.begin(), {post, isa::StResult{0, -128, 127}});
  EXPECT_EQ(rig.failure(encode_all(commands)), Error::AccRange) << "accumulators end there too";
  expect_works(rig);
}

TEST(Faults, KeptTilesOutsideTheCbufOrWithoutTheirPlace) {
  Rig rig("small");
  auto commands = storing(0x4000);
  isa::Store store;
  store.keep = 1;
  store.dest = 16383;
  commands[5] = store;
  std::uint32_t info = 0;
  EXPECT_EQ(rig.failure(encode_all(commands), &info), Error::NotConfigured) << "no ST_KEEP";
  EXPECT_EQ(info, 2U);
  commands.insert(commands.begin(), isa::StKeep{1, 1, 1});
  EXPECT_EQ(rig.failure(encode_all(commands)), Error::None) << rig.text;
  store.dest = 16384;
  commands[6] = store;
  EXPECT_EQ(rig.failure(encode_all(commands), &info), Error::CbufRange);
  EXPECT_EQ(info, 16384U);
  // Kept only: no address is needed.
  store.dest = 0;
  store.keep_only = 1;
  EXPECT_EQ(rig.failure(encode_all({isa::StKeep{1, 1, 1}, isa::StQuant{0, -128, 127},
                                    isa::StTile{1, 1, 8, 0}, store, isa::End{}})),
            Error::None)
      << rig.text;
  expect_works(rig);
}

TEST(Faults, ParametersOfNoKnownSize) {
  Rig rig("small");
  std::uint32_t info = 0;
  const auto failure = [&](std::uint32_t record, std::uint32_t bytes, bool factor) {
    std::vector<isa::Command> commands = {isa::LdSource{0, record}, isa::LdShape{bytes, 1, 1},
                                          load_of(isa::LoadKind::Param, 0), isa::End{}};
    if (factor) {
      commands.insert(commands.begin(), isa::LdFactor{1U << 30, -3});
    }
    return rig.failure(encode_all(commands), &info);
  };
  EXPECT_EQ(failure(12, 48, false), Error::None) << rig.text;
  EXPECT_EQ(failure(8, 48, false), Error::None) << rig.text;
  EXPECT_EQ(failure(4, 48, true), Error::None) << rig.text;
  EXPECT_EQ(failure(4, 48, false), Error::NotConfigured) << "no LD_FACTOR";
  EXPECT_EQ(failure(4, 44, true), Error::LoadLength) << "an odd number";
  EXPECT_EQ(failure(16, 48, false), Error::LoadLength);
  EXPECT_EQ(info, 1U);
  expect_works(rig);
}

TEST(Faults, AnAdditionWithoutItsResultIsNotConfigured) {
  Rig rig("small");
  auto commands = storing(0x4000);
  isa::StPost post;
  post.operation = static_cast<std::uint32_t>(isa::StPostOperation::Multiply);
  commands.insert(commands.begin(), post);
  std::uint32_t info = 0;
  EXPECT_EQ(rig.failure(encode_all(commands), &info), Error::NotConfigured);
  EXPECT_EQ(info, 2U);
  // The run after it starts without an operation.
  EXPECT_EQ(rig.failure(encode_all(storing(0x4000))), Error::None) << rig.text;
}

TEST(Faults, FoldsThatTheHardwareDoesNotHave) {
  Rig rig("small");
  isa::Load load = load_of(isa::LoadKind::Feature, 0);
  load.fold = 1;
  // Rows of 10 bytes with one of padding on both sides: 4 units of 3 bytes, each 3 after the last.
  isa::LdFold fold;
  fold.advance = 3;
  fold.units = 4;
  fold.pad_before = 1;
  fold.pad_after = 1;
  fold.unit_step = 1;
  std::uint32_t info = 0;
  const auto failure = [&](std::uint32_t unit, const isa::LdFold& f, const isa::LdShape& shape) {
    return rig.failure(
        encode_all({isa::LdSource{0, unit}, shape, isa::LdStride{16, 16}, f, load, isa::End{}}),
        &info);
  };
  const isa::LdShape rows{10, 1, 5};
  EXPECT_EQ(failure(3, fold, rows), Error::None) << rig.text;
  EXPECT_EQ(failure(65, fold, rows), Error::FoldRange);
  EXPECT_EQ(info, 65U);
  EXPECT_EQ(failure(3, fold, {10, 2, 5}), Error::FoldRange) << "two segments per row";
  auto other = fold;
  other.advance = 65;
  EXPECT_EQ(failure(3, other, rows), Error::FoldRange);
  other = fold;
  other.offset = 8;
  EXPECT_EQ(failure(3, other, rows), Error::FoldRange) << "beyond the atom";
  other.offset = 7;
  other.unit_step = 2;
  EXPECT_EQ(failure(3, other, rows), Error::None) << rig.text;
  other = fold;
  other.units = 5;
  EXPECT_EQ(failure(3, other, rows), Error::LoadLength);
  EXPECT_EQ(info, 2U);
  other.units = 3;
  EXPECT_EQ(failure(3, other, rows), Error::LoadLength);
  load.kind = static_cast<std::uint32_t>(isa::LoadKind::Weight);
  EXPECT_EQ(failure(3, fold, rows), Error::FoldRange) << "weights";
  EXPECT_EQ(
      rig.failure(encode_all({isa::LdSource{0, 3}, rows, isa::LdStride{16, 16}, load, isa::End{}})),
      Error::NotConfigured);
  expect_works(rig);
}

TEST(Faults, LengthsThatDoNotMatch) {
  Rig rig("small");
  auto commands = loading(0);
  commands[0] = isa::LdSource{0, 7};
  EXPECT_EQ(rig.failure(encode_all(commands)), Error::LoadLength);
  std::uint32_t info = 0;
  commands = storing(0x4000);
  commands[1] = isa::StShape{7, 1, 1};
  EXPECT_EQ(rig.failure(encode_all(commands), &info), Error::StoreLength);
  EXPECT_EQ(info, 1U);
  commands[1] = isa::StShape{64, 1, 1};
  EXPECT_EQ(rig.failure(encode_all(commands), &info), Error::StoreLength);
  EXPECT_EQ(info, 2U);
  expect_works(rig);
}

TEST(Faults, MoreKernelsThanTheArrayHas) {
  Rig rig("small");
  auto commands = convolving();
  commands[3] = isa::CvWeights{8, 1, 9};
  EXPECT_EQ(rig.failure(encode_all(then(commands, {isa::End{}}))), Error::KernelCount);
  commands = storing(0x4000);
  commands[4] = isa::StTile{1, 1, 9, 0};
  EXPECT_EQ(rig.failure(encode_all(commands)), Error::KernelCount);
  expect_works(rig);
}

TEST(Faults, DepthwiseBeyondTheWindow) {
  Rig rig("small");
  std::uint32_t info = 0;
  const auto depthwise = [](isa::CvWindow window, std::uint32_t cols) {
    return encode_all({isa::CvInput{1, 1, 1, 0}, isa::CvKernel{3, 3, 1, 1, 1, 1, 1},
                       isa::CvTile{0, 0, 1, cols}, isa::CvWeights{8, 1, 8}, window,
                       isa::Depthwise{}, isa::End{}});
  };
  EXPECT_EQ(rig.failure(depthwise({3, 3, 1, 1}, 1), &info), Error::WindowRange);
  EXPECT_EQ(info, 0x33U);
  EXPECT_EQ(rig.failure(depthwise({2, 5, 1, 1}, 1), &info), Error::WindowRange);
  EXPECT_EQ(info, 0x52U);
  EXPECT_EQ(rig.failure(depthwise({2, 3, 2, 1}, 127), &info), Error::WindowRange);
  EXPECT_EQ(info, 256U);
  EXPECT_EQ(rig.failure(depthwise({2, 3, 2, 1}, 126), &info), Error::None);
  EXPECT_EQ(rig.failure(depthwise({1, 3, 3, 1}, 200), &info), Error::None);
  expect_works(rig);
}

TEST(Faults, DepthwiseNeedsItsWindow) {
  Rig rig("small");
  std::uint32_t info = 0;
  EXPECT_EQ(rig.failure(encode_all({isa::CvInput{1, 1, 1, 0}, isa::CvKernel{1, 1, 1, 1, 1, 1, 1},
                                    isa::CvTile{0, 0, 1, 1}, isa::CvWeights{8, 1, 8},
                                    isa::Depthwise{}, isa::End{}}),
                        &info),
            Error::NotConfigured);
  EXPECT_EQ(info, 1U);
  expect_works(rig);
}

TEST(Faults, WorkBeforeItsConfiguration) {
  Rig rig("small");
  std::uint32_t info = 9;
  EXPECT_EQ(rig.failure(encode_all({isa::Load{}, isa::End{}}), &info), Error::NotConfigured);
  EXPECT_EQ(info, 0U);
  EXPECT_EQ(rig.failure(encode_all({isa::Conv{}, isa::End{}}), &info), Error::NotConfigured);
  EXPECT_EQ(info, 1U);
  EXPECT_EQ(rig.failure(encode_all({isa::Store{}, isa::End{}}), &info), Error::NotConfigured);
  EXPECT_EQ(info, 2U);
  // Strides are needed from the second segment on.
  EXPECT_EQ(rig.failure(
                encode_all({isa::LdSource{0, 8}, isa::LdShape{8, 2, 1}, isa::Load{}, isa::End{}})),
            Error::NotConfigured);
  // Configuration does not outlive its run.
  expect_works(rig);
  EXPECT_EQ(rig.failure(encode_all({isa::Load{}, isa::End{}})), Error::NotConfigured);
}

TEST(Faults, TooManyTokens) {
  Rig rig("small");
  isa::Load load;
  load.post_compute = 1;
  auto commands = loading(0);
  commands.insert(commands.end() - 1, 300, load);
  std::uint32_t info = 0;
  EXPECT_EQ(rig.failure(encode_all(commands), &info), Error::TokenOverflow);
  EXPECT_EQ(info, 1U);
  expect_works(rig);
}

TEST(Faults, ErrorsStayUntilTheyAreCleared) {
  Rig rig("small");
  EXPECT_THROW(rig.run({0, 0}), EngineError);
  // A start without a clear does not run and does not hide the cause.
  try {
    rig.run(encode_all(loading(0)));
    FAIL() << "ran in spite of the error";
  } catch (const EngineError& error) {
    EXPECT_EQ(error.cause(), Error::IllegalCommand);
  }
  EXPECT_TRUE(rig.device.clear());
  expect_works(rig);
}

}  // namespace
}  // namespace tessera

// Accesses beyond what the hardware has, and lengths that do not match, end in a readable cause.
#include <gtest/gtest.h>

#include "tests/rtl/small_programs.hpp"
#include "tests/rtl/test_bench.hpp"

namespace tessera {
namespace {

using namespace test;
using isa::Error;

TEST(RangeFaults, CbufAccessAtTheLimit) {
  TestBench bench("small");
  bench.hardware.cbuf_size = 512;
  EXPECT_EQ(bench.failure(encode_all(loading(0))), Error::None);
  std::uint32_t info = 0;
  EXPECT_EQ(bench.failure(encode_all(loading(1)), &info), Error::CbufRange);
  EXPECT_EQ(info, 64U);
  isa::Conv conv;
  conv.origin = 64;
  EXPECT_EQ(bench.failure(encode_all(then(convolving(conv), {isa::End{}})), &info),
            Error::CbufRange);
  EXPECT_EQ(info, 64U);
  auto commands = convolving();
  commands[3] = isa::CvWeights{60, 1, 8};
  EXPECT_EQ(bench.failure(encode_all(then(commands, {isa::End{}})), &info), Error::CbufRange);
  EXPECT_EQ(info, 64U);
  // A row that wrapped around lies in front of the buffer.
  commands = convolving();
  commands[0] = isa::CvInput{2, 1, 1, 0};
  commands[2] = isa::CvTile{1, 0, 1, 1};
  commands.insert(commands.begin(), isa::CvRing{1, 2});
  conv.origin = 1;
  commands.back() = conv;
  EXPECT_EQ(bench.failure(encode_all(then(commands, {isa::End{}})), &info), Error::CbufRange);
  EXPECT_EQ(info, (1U << 20) - 1);
  commands.front() = isa::CvRing{1, 1};
  EXPECT_EQ(bench.failure(encode_all(then(commands, {isa::End{}})), &info), Error::None);
  expect_works(bench);
}

TEST(RangeFaults, AccumulatorThatDoesNotExist) {
  TestBench bench("small");
  std::uint32_t info = 0;
  isa::Conv conv;
  conv.acc_base = 512;
  EXPECT_EQ(bench.failure(encode_all(then(convolving(conv), {isa::End{}})), &info),
            Error::AccRange);
  EXPECT_EQ(info, 512U);
  auto commands = storing(0x4000);
  isa::Store store;
  store.acc_base = 600;
  commands[5] = store;
  EXPECT_EQ(bench.failure(encode_all(commands), &info), Error::AccRange);
  EXPECT_EQ(info, 600U);
  expect_works(bench);
}

// An error ends a run when nothing is on the bus any more, whenever a load's request comes.
TEST(RangeFaults, RequestsAroundAnErrorAreBroughtToTheirEnd) {
  // Two words come in a beat, one goes to its queue in a cycle: the last ones when no fetch is on
  // the bus.
  MemoryDisturbance slow;
  slow.seed = 1;
  slow.extra_latency = 200;
  TestBench bench("medium", slow);
  for (std::size_t behind = 0; behind < 12; ++behind) {
    std::vector<isa::Command> commands = {isa::LdSource{0, 16}, isa::LdShape{16, 1, 1}};
    commands.insert(commands.end(), 16 - behind, isa::LdStride{});
    commands.emplace_back(isa::Conv{});  // not configured
    commands.insert(commands.end(), behind, isa::LdStride{});
    commands.insert(commands.end(), {load_of(isa::LoadKind::Feature, 0), isa::End{}});
    EXPECT_EQ(bench.failure(encode_all(commands)), Error::NotConfigured) << behind;
    expect_works(bench);
  }
}

TEST(RangeFaults, SoftmaxOfMorePixelsThanItKeeps) {
  TestBench bench("medium");
  std::uint32_t info = 0;
  auto commands = storing(0x4000);
  commands[1] = isa::StShape{8 * kSoftmaxPixels, 1, 1};
  commands[4] = isa::StTile{kSoftmaxPixels, 1, 8, 0};
  commands.insert(commands.begin(), isa::StSoftmax{-128, -128, 127, 0, 0});
  EXPECT_EQ(bench.failure(encode_all(commands), &info), Error::None);
  commands[2] = isa::StShape{8 * (kSoftmaxPixels + 1), 1, 1};
  commands[5] = isa::StTile{kSoftmaxPixels + 1, 1, 8, 0};
  EXPECT_EQ(bench.failure(encode_all(commands), &info), Error::SoftmaxPixels);
  EXPECT_EQ(info, kSoftmaxPixels + 1);
  // Another word took its place.
  commands.insert(commands.begin() + 1, isa::StPost{});
  EXPECT_EQ(bench.failure(encode_all(commands), &info), Error::None);
  expect_works(bench);
}

TEST(RangeFaults, ParameterGroupThatDoesNotExist) {
  TestBench bench("small");
  std::uint32_t info = 0;
  EXPECT_EQ(bench.failure(encode_all({isa::LdSource{0, 12}, isa::LdShape{12, 1, 1}, isa::LdStride{},
                                      load_of(isa::LoadKind::Param, 64), isa::End{}}),
                          &info),
            Error::ParamRange);
  EXPECT_EQ(info, 64U);
  auto commands = storing(0x4000);
  commands[4] = isa::StTile{1, 1, 8, 64};
  EXPECT_EQ(bench.failure(encode_all(commands), &info), Error::ParamRange);
  expect_works(bench);
}

TEST(RangeFaults, OperandWordsAndTablesThatDoNotExist) {
  TestBench bench("small");
  std::uint32_t info = 0;
  EXPECT_EQ(bench.failure(encode_all({isa::LdSource{0, 8}, isa::LdShape{16, 1, 1},
                                      load_of(isa::LoadKind::Operand, 511), isa::End{}}),
                          &info),
            Error::OperandRange);
  EXPECT_EQ(info, 512U);
  EXPECT_EQ(bench.failure(encode_all({isa::LdSource{0, 4}, isa::LdShape{1028, 1, 1},
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
  EXPECT_EQ(bench.failure(encode_all(commands)), Error::AccRange) << "accumulators end there too";
  expect_works(bench);
}

TEST(RangeFaults, KeptTilesOutsideTheCbufOrWithoutTheirPlace) {
  TestBench bench("small");
  auto commands = storing(0x4000);
  isa::Store store;
  store.keep = 1;
  store.dest = 16383;
  commands[5] = store;
  std::uint32_t info = 0;
  EXPECT_EQ(bench.failure(encode_all(commands), &info), Error::NotConfigured) << "no ST_KEEP";
  EXPECT_EQ(info, 2U);
  commands.insert(commands.begin(), isa::StKeep{1, 1, 1});
  EXPECT_EQ(bench.failure(encode_all(commands)), Error::None) << bench.text;
  store.dest = 16384;
  commands[6] = store;
  EXPECT_EQ(bench.failure(encode_all(commands), &info), Error::CbufRange);
  EXPECT_EQ(info, 16384U);
  // Kept only: no address is needed.
  store.dest = 0;
  store.keep_only = 1;
  EXPECT_EQ(bench.failure(encode_all({isa::StKeep{1, 1, 1}, isa::StQuant{0, -128, 127},
                                      isa::StTile{1, 1, 8, 0}, store, isa::End{}})),
            Error::None)
      << bench.text;
  expect_works(bench);
}

TEST(RangeFaults, ParametersOfNoKnownSize) {
  TestBench bench("small");
  std::uint32_t info = 0;
  const auto failure = [&](std::uint32_t record, std::uint32_t bytes, bool factor) {
    std::vector<isa::Command> commands = {isa::LdSource{0, record}, isa::LdShape{bytes, 1, 1},
                                          load_of(isa::LoadKind::Param, 0), isa::End{}};
    if (factor) {
      commands.insert(commands.begin(), isa::LdFactor{1U << 30, -3});
    }
    return bench.failure(encode_all(commands), &info);
  };
  EXPECT_EQ(failure(12, 48, false), Error::None) << bench.text;
  EXPECT_EQ(failure(8, 48, false), Error::None) << bench.text;
  EXPECT_EQ(failure(4, 48, true), Error::None) << bench.text;
  EXPECT_EQ(failure(4, 48, false), Error::NotConfigured) << "no LD_FACTOR";
  EXPECT_EQ(failure(4, 44, true), Error::LoadLength) << "an odd number";
  EXPECT_EQ(failure(16, 48, false), Error::LoadLength);
  EXPECT_EQ(info, 1U);
  expect_works(bench);
}

TEST(RangeFaults, AnAdditionWithoutItsResultIsNotConfigured) {
  TestBench bench("small");
  auto commands = storing(0x4000);
  isa::StPost post;
  post.operation = static_cast<std::uint32_t>(isa::StPostOperation::Multiply);
  commands.insert(commands.begin(), post);
  std::uint32_t info = 0;
  EXPECT_EQ(bench.failure(encode_all(commands), &info), Error::NotConfigured);
  EXPECT_EQ(info, 2U);
  // The run after it starts without an operation.
  EXPECT_EQ(bench.failure(encode_all(storing(0x4000))), Error::None) << bench.text;
}

TEST(RangeFaults, FoldsThatTheHardwareDoesNotHave) {
  TestBench bench("small");
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
    return bench.failure(
        encode_all({isa::LdSource{0, unit}, shape, isa::LdStride{16, 16}, f, load, isa::End{}}),
        &info);
  };
  const isa::LdShape rows{10, 1, 5};
  EXPECT_EQ(failure(3, fold, rows), Error::None) << bench.text;
  EXPECT_EQ(failure(65, fold, rows), Error::FoldRange);
  EXPECT_EQ(info, 65U);
  EXPECT_EQ(failure(3, fold, {10, 2, 5}), Error::FoldRange) << "two segments per row";
  isa::LdFold widest;
  widest.advance = 64;
  widest.units = 1;
  widest.unit_step = 8;
  EXPECT_EQ(failure(64, widest, {64, 1, 2}), Error::None) << bench.text;
  auto other = fold;
  other.advance = 65;
  EXPECT_EQ(failure(3, other, rows), Error::FoldRange);
  other = fold;
  other.offset = 8;
  EXPECT_EQ(failure(3, other, rows), Error::FoldRange) << "beyond the atom";
  other.offset = 7;
  other.unit_step = 2;
  EXPECT_EQ(failure(3, other, rows), Error::None) << bench.text;
  other = fold;
  other.units = 5;
  EXPECT_EQ(failure(3, other, rows), Error::LoadLength);
  EXPECT_EQ(info, 2U);
  other.units = 3;
  EXPECT_EQ(failure(3, other, rows), Error::LoadLength);
  load.kind = static_cast<std::uint32_t>(isa::LoadKind::Weight);
  EXPECT_EQ(failure(3, fold, rows), Error::FoldRange) << "weights";
  EXPECT_EQ(bench.failure(
                encode_all({isa::LdSource{0, 3}, rows, isa::LdStride{16, 16}, load, isa::End{}})),
            Error::NotConfigured);
  expect_works(bench);
}

TEST(RangeFaults, LengthsThatDoNotMatch) {
  TestBench bench("small");
  auto commands = loading(0);
  commands[0] = isa::LdSource{0, 7};
  EXPECT_EQ(bench.failure(encode_all(commands)), Error::LoadLength);
  std::uint32_t info = 0;
  commands = storing(0x4000);
  commands[1] = isa::StShape{7, 1, 1};
  EXPECT_EQ(bench.failure(encode_all(commands), &info), Error::StoreLength);
  EXPECT_EQ(info, 1U);
  commands[1] = isa::StShape{64, 1, 1};
  EXPECT_EQ(bench.failure(encode_all(commands), &info), Error::StoreLength);
  EXPECT_EQ(info, 2U);
  expect_works(bench);
}

TEST(RangeFaults, MoreKernelsThanTheArrayHas) {
  TestBench bench("small");
  auto commands = convolving();
  commands[3] = isa::CvWeights{8, 1, 9};
  EXPECT_EQ(bench.failure(encode_all(then(commands, {isa::End{}}))), Error::KernelCount);
  commands = storing(0x4000);
  commands[4] = isa::StTile{1, 1, 9, 0};
  EXPECT_EQ(bench.failure(encode_all(commands)), Error::KernelCount);
  expect_works(bench);
}

TEST(RangeFaults, DepthwiseBeyondTheWindow) {
  TestBench bench("small");
  std::uint32_t info = 0;
  const auto depthwise = [](isa::CvWindow window, std::uint32_t cols) {
    return encode_all({isa::CvInput{1, 1, 1, 0}, isa::CvKernel{3, 3, 1, 1, 1, 1, 1},
                       isa::CvTile{0, 0, 1, cols}, isa::CvWeights{8, 1, 8}, window,
                       isa::Depthwise{}, isa::End{}});
  };
  EXPECT_EQ(bench.failure(depthwise({3, 3, 1, 1}, 1), &info), Error::WindowRange);
  EXPECT_EQ(info, 0x33U);
  EXPECT_EQ(bench.failure(depthwise({2, 5, 1, 1}, 1), &info), Error::WindowRange);
  EXPECT_EQ(info, 0x52U);
  EXPECT_EQ(bench.failure(depthwise({2, 3, 2, 1}, 127), &info), Error::WindowRange);
  EXPECT_EQ(info, 256U);
  EXPECT_EQ(bench.failure(depthwise({2, 3, 2, 1}, 126), &info), Error::None);
  EXPECT_EQ(bench.failure(depthwise({1, 3, 3, 1}, 200), &info), Error::None);
  expect_works(bench);
}

TEST(RangeFaults, DepthwiseNeedsItsWindow) {
  TestBench bench("small");
  std::uint32_t info = 0;
  EXPECT_EQ(bench.failure(encode_all({isa::CvInput{1, 1, 1, 0}, isa::CvKernel{1, 1, 1, 1, 1, 1, 1},
                                      isa::CvTile{0, 0, 1, 1}, isa::CvWeights{8, 1, 8},
                                      isa::Depthwise{}, isa::End{}}),
                          &info),
            Error::NotConfigured);
  EXPECT_EQ(info, 1U);
  expect_works(bench);
}

}  // namespace
}  // namespace tessera

// Compressed weights: the format on any atoms, and what the load unit says of bytes that are no
// such thing.
#include <gtest/gtest.h>

#include <random>

#include "isa/weight_code.hpp"
#include "sim/npu/units.hpp"
#include "tests/draws.hpp"
#include "tests/rtl/small_programs.hpp"
#include "tests/rtl/test_bench.hpp"

namespace tessera {
namespace {

using namespace test;
using isa::Error;

struct Coded {
  std::vector<std::uint8_t> atoms, codes, bytes;
};

std::uint32_t below(std::mt19937& random, std::uint32_t n) {
  return static_cast<std::uint32_t>(random() % n);
}

// In units of so many atoms; values of few bits, or few values.
Coded drawn(std::mt19937& random, std::uint32_t atomic_c, std::uint32_t count, std::uint32_t unit,
            std::uint8_t zero) {
  const isa::WeightCode format(atomic_c);
  Coded coded;
  for (std::uint32_t a = 0; a < count; ++a) {
    const std::uint32_t shift = below(random, 9);
    const std::uint32_t zeros = below(random, 9);
    for (std::uint32_t c = 0; c < atomic_c; ++c) {
      const auto value = static_cast<std::int8_t>(random());
      coded.atoms.push_back(static_cast<std::uint8_t>(
          (below(random, 8) < zeros ? 0 : value >> shift) + static_cast<std::int32_t>(zero)));
    }
    coded.codes.push_back(format.best(coded.atoms.data() + std::size_t{a} * atomic_c, zero));
  }
  for (std::uint32_t from = 0; from < count; from += unit) {
    format.encode(coded.atoms.data() + std::size_t{from} * atomic_c, coded.codes.data() + from,
                  std::min(unit, count - from), zero, coded.bytes);
  }
  return coded;
}

timing::LoadOperation load_of_atoms(std::uint32_t count, std::uint32_t unit, std::uint8_t zero) {
  timing::LoadOperation load;
  load.code = {count, unit, static_cast<std::int8_t>(zero)};
  return load;
}

TEST(WeightCode, ComesBackAsItWas) {
  std::mt19937 random(1);
  for (int i = 0; i < cases(2000); ++i) {
    const std::uint32_t atomic_c = 2 * (1 + below(random, 32));
    const std::uint32_t count = 1 + below(random, 300);
    const std::uint32_t unit = 1 + below(random, count);
    const auto zero = static_cast<std::uint8_t>(random());
    const Coded coded = drawn(random, atomic_c, count, unit, zero);
    ASSERT_EQ(npu::decode_weights(load_of_atoms(count, unit, zero), coded.bytes, atomic_c),
              coded.atoms)
        << atomic_c << " " << count << " " << unit;
    std::uint64_t bytes = 0;
    for (std::uint32_t from = 0; from < count; from += unit) {
      bytes += isa::WeightCode(atomic_c).unit_bytes(coded.codes.data() + from,
                                                    std::min(unit, count - from));
    }
    ASSERT_EQ(bytes, coded.bytes.size());
  }
}

// Zeros take their codes, values of a few bits those bits.
TEST(WeightCode, TakesFewBytes) {
  const isa::WeightCode format(16);
  const auto bytes_of = [&](std::vector<std::uint8_t> atom) {
    return format.bytes(format.best(atom.data(), 0));
  };
  EXPECT_EQ(bytes_of(std::vector<std::uint8_t>(16, 0)), 0U);
  EXPECT_EQ(bytes_of({7, 0xF8, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7}), 8U);
  EXPECT_EQ(bytes_of({0, 0, 0, 100, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0}), 4U);
  EXPECT_EQ(bytes_of(std::vector<std::uint8_t>(16, 0x7F)), 16U);
}

class Compression : public testing::Test {
 protected:
  std::vector<isa::Command> loading(std::uint32_t bytes, isa::LdCode code,
                                    std::uint32_t pixel_bytes = 16,
                                    isa::LoadKind kind = isa::LoadKind::Weight) {
    isa::Load load = load_of(kind, 0);
    load.coded = 1;
    return {isa::LdSource{0, pixel_bytes}, isa::LdShape{bytes, 1, 1}, code, load, isa::End{}};
  }
  Error failure(const std::vector<isa::Command>& commands) {
    return bench_.failure(encode_all(commands), &info_);
  }
  void place(const std::vector<std::uint8_t>& bytes) {
    std::copy(bytes.begin(), bytes.end(), bench_.memory.begin());
  }

  TestBench bench_{"medium"};
  std::uint32_t info_ = 0;
};

TEST_F(Compression, WeightsThatAreNotTheirNumberOfAtoms) {
  std::mt19937 random(7);
  const Coded coded = drawn(random, 16, 100, 40, 3);
  place(coded.bytes);
  const auto bytes = static_cast<std::uint32_t>(coded.bytes.size());
  EXPECT_EQ(failure(loading(bytes, {100, 40, 3})), Error::None) << bench_.text;
  for (const auto& [length, code] : {std::pair{bytes - 1, isa::LdCode{100, 40, 3}},
                                     {bytes + 1, isa::LdCode{100, 40, 3}},
                                     {bytes, isa::LdCode{99, 40, 3}},
                                     {bytes, isa::LdCode{101, 40, 3}},
                                     {1U, isa::LdCode{100, 40, 3}},
                                     {bytes + 4000, isa::LdCode{100, 40, 3}}}) {
    EXPECT_EQ(failure(loading(length, code)), Error::LoadLength) << length << " " << code.atoms;
    EXPECT_EQ(info_, 3U);
  }
  EXPECT_EQ(failure(loading(bytes, {100, 40, 3})), Error::None) << bench_.text;
}

TEST_F(Compression, OfAnythingElseThanWeights) {
  std::mt19937 random(8);
  const Coded coded = drawn(random, 16, 10, 10, 0);
  place(coded.bytes);
  const auto bytes = static_cast<std::uint32_t>(coded.bytes.size());
  EXPECT_EQ(failure(loading(bytes, {10, 10, 0}, 8)), Error::LoadLength) << "not atoms";
  EXPECT_EQ(info_, 3U);
  EXPECT_EQ(failure(loading(bytes, {10, 10, 0}, 16, isa::LoadKind::Feature)), Error::LoadLength);
  EXPECT_EQ(info_, 3U);
  auto commands = loading(bytes, {10, 10, 0});
  commands[1] = isa::LdShape{bytes, 1, 2};
  commands.insert(commands.begin(), isa::LdStride{});
  EXPECT_EQ(failure(commands), Error::LoadLength) << "two segments";
  EXPECT_EQ(info_, 3U);
  commands = loading(bytes, {10, 10, 0});
  commands.erase(commands.begin() + 2);
  TestBench fresh("medium");
  std::uint32_t info = 9;
  EXPECT_EQ(fresh.failure(encode_all(commands), &info), Error::NotConfigured);
  EXPECT_EQ(info, 0U);
}

// 48 kernels of one atom, whose bytes come out one by one: pixel p is a one in channel p.
class DecodedBytes : public Compression {
 protected:
  static constexpr std::uint32_t kKernels = 48, kPixels = 16, kOnes = 0x1000, kParams = 0x2000;
  static constexpr std::uint32_t kOut = 0x4000;

  DecodedBytes() {
    for (std::uint32_t p = 0; p < kPixels; ++p) {
      bench_.memory[kOnes + 16 * p + p] = 1;
    }
    for (std::uint32_t k = 0; k < kKernels; ++k) {
      bench_.memory[kParams + 12 * k + 7] = 0x40;  // 2^30, and a shift to the left
      bench_.memory[kParams + 12 * k + 8] = 1;
    }
  }
  // Loads, multiplies and stores; damaged or not.
  Error run(const std::vector<std::uint8_t>& coded) {
    place(coded);
    isa::Load weights = load_of(isa::LoadKind::Weight, kPixels);
    weights.coded = 1;
    isa::Load params = load_of(isa::LoadKind::Param, 0);
    params.post_compute = 1;
    isa::Conv conv;
    conv.wait_load = 1;
    conv.post_store = 1;
    isa::Store store;
    store.wait_compute = 1;
    return failure({isa::LdSource{kOnes, 16},
                    isa::LdShape{16 * kPixels, 1, 1},
                    load_of(isa::LoadKind::Feature, 0),
                    isa::LdSource{0, 16},
                    isa::LdShape{static_cast<std::uint32_t>(coded.size()), 1, 1},
                    isa::LdCode{kKernels, 20, 0},
                    weights,
                    isa::LdSource{kParams, 12},
                    isa::LdShape{12 * kKernels, 1, 1},
                    params,
                    isa::CvInput{1, kPixels, 1, 0},
                    isa::CvKernel{1, 1, 1, 1, 1, 1, kPixels},
                    isa::CvTile{0, 0, 1, kPixels},
                    isa::CvWeights{kPixels, 3, 16},
                    conv,
                    isa::StAddress{kOut},
                    isa::StShape{kKernels * kPixels, 1, 1},
                    isa::StQuant{0, -128, 127},
                    isa::StTile{kPixels, 3, 16, 0},
                    store,
                    isa::End{}});
  }
};

TEST_F(DecodedBytes, AreThoseThatWereCoded) {
  std::mt19937 random(10);
  for (int i = 0; i < cases(20); ++i) {
    const Coded coded = drawn(random, 16, kKernels, 20, 0);
    ASSERT_EQ(run(coded.bytes), Error::None) << bench_.text;
    for (std::uint32_t p = 0; p < kPixels; ++p) {
      for (std::uint32_t k = 0; k < kKernels; ++k) {
        ASSERT_EQ(bench_.memory[kOut + p * kKernels + k], coded.atoms[16 * std::size_t{k} + p]);
      }
    }
  }
}

// Whatever bytes come, the accelerator and its model find the same error, or decode the same bytes:
// codes and bits that say which values follow may be damaged as well.
TEST_F(DecodedBytes, OfBytesThatWereNeverCoded) {
  std::mt19937 random(9 + static_cast<std::uint32_t>(seed_of_run()));
  int failures = 0;
  const int count = cases(200);
  for (int i = 0; i < count; ++i) {
    Coded coded = drawn(random, 16, kKernels, 20, 0);
    for (std::uint32_t damage = below(random, 4); damage > 0; --damage) {
      coded.bytes[random() % coded.bytes.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
    }
    const Error cause = run(coded.bytes);
    ASSERT_TRUE(cause == Error::None || cause == Error::LoadLength) << bench_.text;
    failures += cause == Error::None ? 0 : 1;
  }
  EXPECT_GT(failures, count / 20);
  EXPECT_LT(failures, count * 4 / 5);
}

}  // namespace
}  // namespace tessera
